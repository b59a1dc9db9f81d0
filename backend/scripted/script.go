// Package scripted plays scripts: what an agent says and does is written in the message that it answers, as directives
// (see Parse). The demo agent is a set of such scripts. The scripted model server speaks the same language, so that one
// message makes every kind of agent behave in the same way.
package scripted

import (
	_ "embed"
	"encoding/json"
	"iter"
	"strings"
	"time"

	"parley/backend/agent"
)

// Script is what the directives of one message ask for: a turn of len(Tools)+1 model calls, one for each tool and then
// one for the answer. What no directive says has its default.
type Script struct {
	Found bool          // the text held a directive
	TTFT  time.Duration // before the first beat of every model call
	Gap   time.Duration // between two beats of one model call

	Think    int        // deltas of reasoning, in the first model call
	Tools    []ToolStep // one per model call
	Say      string     // the answer; if empty, the showcase; if not Showcase, Deltas of Size bytes each
	Showcase bool
	Deltas   int
	Size     int
	Usage    *agent.Usage // of the whole turn
	Steer    bool         // then comes what the person says in the middle of the turn; only agents can do that

	// At most one of these is set; it breaks the turn off At its place. The first in the text wins.
	Failure *Failure
	Crash   bool
	Hang    bool
	At      Place
}

// ToolStep is a call of one tool. Input is what the message says, word for word: a JSON value, or what its author wrote
// instead on purpose. Say is said before the call; only the demo's own scenes have it.
type ToolStep struct {
	Say   string
	Name  string
	Input json.RawMessage
}

// Failure is how a turn fails. Status and Code are both set, whichever was written. Once means once per session and
// message: whoever plays the script remembers, and sets Script.Failure to nil from then on.
type Failure struct {
	Status int
	Code   agent.Code
	Once   bool
}

// Place is a moment of the model call that follows this many tool results.
type Place struct {
	Results int
	Moment  Moment
}

// Moment is a point of one model call.
type Moment int

// The moments: before anything is said, after the reasoning, after the answer.
const (
	Start Moment = iota
	Thought
	Answered
)

// Beat is the next thing that happens in a model call.
type Beat struct {
	Kind BeatKind
	Text string    // of BeatThought and BeatText
	Call *ToolStep // of BeatCall
}

// BeatKind says what a Beat is.
type BeatKind int

// The kinds. Nothing follows the last four in the same model call.
const (
	BeatThought BeatKind = iota
	BeatText
	BeatCall
	BeatFailure // Script.Failure
	BeatCrash
	BeatHang
)

// Play gives the beats of the model call that follows this many tool results. It pauses nowhere: TTFT and Gap are for
// whoever plays.
func (s Script) Play(results int) iter.Seq[Beat] {
	results = min(results, len(s.Tools))
	return func(yield func(Beat) bool) {
		speak := func(kind BeatKind, texts iter.Seq[string]) bool {
			for text := range texts {
				if !yield(Beat{Kind: kind, Text: text}) {
					return false
				}
			}
			return true
		}
		pass := func(m Moment) bool {
			broken := s.broken()
			if broken == nil || s.At != (Place{results, m}) {
				return true
			}
			yield(*broken)
			return false
		}
		if !pass(Start) || results == 0 && !speak(BeatThought, thoughts(s.Think)) || !pass(Thought) {
			return
		}
		if results < len(s.Tools) {
			call := &s.Tools[results]
			if speak(BeatText, words(call.Say)) {
				yield(Beat{Kind: BeatCall, Call: call})
			}
			return
		}
		if speak(BeatText, s.answer()) {
			pass(Answered)
		}
	}
}

// broken is the beat that breaks the turn off, if any.
func (s Script) broken() *Beat {
	switch {
	case s.Failure != nil:
		return &Beat{Kind: BeatFailure}
	case s.Crash:
		return &Beat{Kind: BeatCrash}
	case s.Hang:
		return &Beat{Kind: BeatHang}
	}
	return nil
}

//go:embed showcase.md
var showcase string

func (s Script) answer() iter.Seq[string] {
	switch {
	case s.Say != "":
		return words(s.Say)
	case s.Showcase:
		return words(showcase)
	}
	return numbered(s.Deltas, s.Size)
}

// words cuts text after every space, so that its pieces are about a word each and together are the text.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.SplitAfterSeq(text, " ") {
			if word != "" && !yield(word) {
				return
			}
		}
	}
}

//go:embed thoughts.txt
var monologue string

// thoughts gives n words of reasoning; what is asked for beyond the monologue starts it again.
func thoughts(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for n > 0 {
			for word := range words(monologue) {
				if !yield(word) {
					return
				}
				if n--; n == 0 {
					return
				}
			}
		}
	}
}

// numbered gives n pieces of exactly size bytes, each with its number: "w0000012 xxxxxxxxxx ", or as much of the end of
// "w0000012 " as fits.
func numbered(n, size int) iter.Seq[string] {
	return func(yield func(string) bool) {
		const head = len("w0000000 ")
		piece := []byte("w0000000 " + strings.Repeat("x", max(0, size-head)))
		piece[len(piece)-1] = ' '
		digits := piece[1 : head-1]
		text := piece[len(piece)-size:]
		for range n {
			if !yield(string(text)) {
				return
			}
			increment(digits)
		}
	}
}

func increment(digits []byte) {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i]++; digits[i] <= '9' {
			return
		}
		digits[i] = '0'
	}
}
