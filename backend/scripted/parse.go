package scripted

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"parley/backend/agent"
)

// What a directive may ask for; more is clamped.
const (
	maxDeltas = 5_000_000
	maxSize   = 1 << 20
	maxPause  = time.Hour
	maxTokens = 1_000_000_000_000
)

const (
	defaultDeltas = 5
	defaultSize   = 20
)

// Parse reads the directives of text; of two that say the same, the later wins:
//
//	[[say:TEXT]]               answer TEXT
//	[[md]]                     answer with a long showcase of markdown
//	[[deltas:N]] [[size:B]]    answer with N deltas of B bytes (5 of 20)
//	[[think:N]]                N deltas of reasoning first
//	[[ttft:50ms]] [[gap:2ms]]  pause before the first word of each model call, and between words
//	[[tool:NAME {json}]]       call a tool; several are called in order, one per model call
//	[[usage:IN,OUT]]           report this many tokens
//	[[error:CODE]]             fail with an HTTP status from 400 to 599, or with an agent.Code
//	[[error1:CODE]]            fail once per session and message
//	[[steer]]                  wait at the end for what the person says in the middle of the turn, and play that
//	[[crash]]                  the runner's process dies
//	[[hang]]                   say nothing more until stopped
//
// A failure, crash or hang comes after what was asked for before it: "[[deltas:20]] [[crash]]" dies after twenty deltas.
// But for that the order is fixed: reasoning, tools, answer. A directive that is unknown or makes no sense is plain text.
func Parse(text string) Script { return read(text, false) }

// reader is a Script that is being read. If it is narrated, what stands between the directives is said: before the tool
// that follows it, or as the answer.
type reader struct {
	Script
	narrated bool
	plain    strings.Builder // since the last tool
	answered bool            // a directive said what to answer
}

func read(text string, narrated bool) Script {
	r := &reader{Script: Script{Deltas: defaultDeltas, Size: defaultSize}, narrated: narrated}
	closed := strings.LastIndex(text, "]]") // what opens later has no end, and to look for it each time would take long
	for at := 0; ; {
		open := strings.Index(text[at:max(at, closed)], "[[")
		if open < 0 {
			r.plain.WriteString(text[at:])
			break
		}
		r.plain.WriteString(text[at : at+open])
		at += open
		if length := r.directive(text[at+len("[["):]); length > 0 {
			r.Found = true
			at += len("[[") + length
		} else {
			r.plain.WriteByte('[')
			at++
		}
	}
	if r.At.Moment == Answered {
		r.At.Results = len(r.Tools)
	}
	if r.Say == "" {
		r.Say = r.narration()
	}
	return r.Script
}

// narration is what was narrated since the last tool.
func (r *reader) narration() string {
	if !r.narrated {
		return ""
	}
	return strings.TrimSpace(r.plain.String())
}

// maxShort bounds the search for the end of a directive that has no free text, so that reading stays linear.
const maxShort = 80

// directive takes in the directive that text starts with, past its opening brackets. It gives the length of it, closing
// brackets included, or 0 if there is none.
func (r *reader) directive(text string) int {
	if call, ok := strings.CutPrefix(text, "tool:"); ok {
		if length := r.tool(call); length > 0 {
			return len("tool:") + length
		}
		return 0
	}
	within := text[:min(len(text), maxShort)]
	if strings.HasPrefix(text, "say:") {
		within = text
	}
	body, _, found := strings.Cut(within, "]]")
	if name, value, _ := strings.Cut(body, ":"); !found || !r.take(name, value) {
		return 0
	}
	return len(body) + len("]]")
}

// tool takes in a call, from its name on.
func (r *reader) tool(text string) int {
	end := strings.IndexAny(text[:min(len(text), maxShort)], " \t\n]{")
	if end <= 0 {
		return 0
	}
	name, rest := text[:end], strings.TrimLeft(text[end:], " \t\n")
	input, after := rest, ""
	decoder := json.NewDecoder(strings.NewReader(rest))
	var value json.RawMessage
	if decoder.Decode(&value) == nil {
		input, after = string(value), strings.TrimLeft(rest[decoder.InputOffset():], " \t\n")
	}
	if !strings.HasPrefix(after, "]]") { // no JSON: what is there goes to the tool all the same
		length := strings.Index(rest, "]]")
		if length < 0 {
			return 0
		}
		input, after = strings.TrimSpace(rest[:length]), rest[length:]
	}
	if input == "" {
		input = "{}"
	}
	r.Tools = append(r.Tools, ToolStep{Say: r.narration(), Name: name, Input: json.RawMessage(input)})
	r.plain.Reset()
	return len(text) - len(after) + len("]]")
}

// take takes in a directive other than a tool, and reports whether it makes sense.
func (r *reader) take(name, value string) (ok bool) {
	switch name {
	case "say":
		r.Say, ok = value, value != ""
		r.answered = r.answered || ok
	case "md":
		ok = value == ""
		r.Showcase = r.Showcase || ok
		r.answered = r.answered || ok
	case "deltas":
		ok = count(&r.Deltas, value, maxDeltas)
		r.answered = r.answered || ok
	case "size":
		ok = count(&r.Size, value, maxSize)
	case "think":
		ok = count(&r.Think, value, maxDeltas)
	case "ttft":
		ok = pause(&r.TTFT, value)
	case "gap":
		ok = pause(&r.Gap, value)
	case "usage":
		var u agent.Usage
		in, out, _ := strings.Cut(value, ",")
		if ok = count(&u.Input, in, maxTokens) && count(&u.Output, out, maxTokens); ok {
			u.Total = u.Input + u.Output
			r.Usage = &u
		}
	case "error", "error1":
		var f Failure
		if f, ok = failure(value); ok && r.breaksHere() {
			f.Once = name == "error1"
			r.Failure = &f
		}
	case "steer":
		ok = value == ""
		r.Steer = r.Steer || ok
	case "crash", "hang":
		if ok = value == ""; ok && r.breaksHere() {
			r.Crash, r.Hang = name == "crash", name == "hang"
		}
	}
	return ok
}

// breaksHere makes this the place where the turn breaks off, unless it does so already.
func (r *reader) breaksHere() bool {
	if r.broken() != nil {
		return false
	}
	switch {
	case r.answered || r.narration() != "":
		r.At.Moment = Answered // Results is not known yet
	case len(r.Tools) > 0:
		r.At.Results = len(r.Tools)
	case r.Think > 0:
		r.At.Moment = Thought
	}
	return true
}

// count reads a number that is not negative.
func count[T int | int64](dst *T, value string, most T) bool {
	n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 63)
	if errors.Is(err, strconv.ErrRange) {
		n, err = uint64(most), nil
	}
	if err == nil {
		*dst = T(min(n, uint64(most)))
	}
	return err == nil
}

func pause(dst *time.Duration, value string) bool {
	d, err := time.ParseDuration(strings.TrimSpace(value))
	if err != nil || d < 0 {
		return false
	}
	*dst = min(d, maxPause)
	return true
}

// failure reads an HTTP status or a code, and finds the other one.
func failure(value string) (f Failure, ok bool) {
	value = strings.TrimSpace(value)
	if code := agent.Code(value); code.Valid() {
		return Failure{Status: statusOf(code), Code: code}, true
	}
	status, err := strconv.Atoi(value)
	if err != nil || status < 400 || status > 599 {
		return Failure{}, false
	}
	return Failure{Status: status, Code: codeOf(status)}, true
}

func statusOf(code agent.Code) int {
	switch code {
	case agent.CodeValidation, agent.CodeContentFilter:
		return http.StatusBadRequest
	case agent.CodeProviderAuth:
		return http.StatusUnauthorized
	case agent.CodeProviderRateLimit:
		return http.StatusTooManyRequests
	case agent.CodeProviderUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

func codeOf(status int) agent.Code {
	switch {
	case status >= 500:
		return agent.CodeProviderUnavailable
	case status == http.StatusTooManyRequests:
		return agent.CodeProviderRateLimit
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return agent.CodeProviderAuth
	}
	return agent.CodeValidation
}
