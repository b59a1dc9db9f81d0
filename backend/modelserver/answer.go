package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/backend/scripted"
)

// answer is one that is being given: in pieces as a stream, or gathered until the end.
type answer struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	id     int64
	text   string // of the message that holds script
	script scripted.Script

	begun  bool  // the stream has
	tokens int64 // said
}

// voice says a script in the words of one wire.
type voice interface {
	speak(beat scripted.Beat) // a thought, a text or a call
	finish()
	complaint(f scripted.Failure) (event string, body any)
}

// unscripted is the answer to a message without directives.
const unscripted = "This is a scripted model. Its answers are directed by the message, as in [[say:hello]]."

// newAnswer reads the script that directs the answer to what was said. The request offers this many tools.
func (s *Server) newAnswer(w http.ResponseWriter, r *http.Request, said []utterance, tools int) (a *answer, results int) {
	a = &answer{server: s, w: w, r: r, id: s.answers.Add(1)}
	if tools > 0 || !s.options.Foreign {
		a.text, results = directed(said)
	}
	a.script = scripted.Parse(a.text)
	if !a.script.Found {
		a.script.Say = unscripted
	}
	if f := a.script.Failure; f != nil && f.Once {
		if _, failed := s.failed.Load(a.text); failed {
			a.script.Failure = nil
		}
	}
	return a, results
}

// utterance is a message, or a part of one, as far as it directs the answer. Its role is OpenAI's.
type utterance struct{ role, text string }

// told is what a program adds to what the user says: what was said before, what its model should keep in mind, what it
// should judge. Nothing in it directs.
var told = regexp.MustCompile(`(?s)<conversation>.*</conversation>|<system-reminder>.*?</system-reminder>|>>> [A-Z ]+ START\n.*>>> [A-Z ]+ END\n`)

// ownWords is what the user said of a text. The expression is slow over megabytes, and hardly a text needs it.
func ownWords(text string) string {
	for _, mark := range []string{"<conversation>", "<system-reminder>", ">>> "} {
		if strings.Contains(text, mark) {
			return told.ReplaceAllString(text, "")
		}
	}
	return text
}

// directed finds the text that directs the answer, and how many tool results have come since. It is the newest message
// in which the user says something; of one that was merged of several, the last paragraph that holds a directive.
func directed(said []utterance) (text string, results int) {
	for _, u := range slices.Backward(said) {
		switch u.role {
		case "tool":
			results++
		case "user":
			text = ownWords(u.text)
			if text != u.text && strings.TrimSpace(text) == "" {
				continue
			}
			for rest := text; ; {
				before := strings.LastIndex(rest, "\n\n")
				if paragraph := rest[max(0, before):]; scripted.Parse(paragraph).Found {
					return paragraph, results
				}
				if before < 0 {
					return text, results
				}
				rest = rest[:before]
			}
		}
	}
	return "", results
}

// play says what the script says.
func (a *answer) play(v voice, results int) {
	if !a.pause(a.script.TTFT) {
		return
	}
	for beat := range a.script.Play(results) {
		switch beat.Kind {
		case scripted.BeatThought, scripted.BeatText, scripted.BeatCall:
			v.speak(beat)
		case scripted.BeatFailure:
			a.fail(v)
			return
		case scripted.BeatCrash:
			a.flush()
			panic(http.ErrAbortHandler) // breaks the connection
		case scripted.BeatHang:
			a.flush()
			<-a.r.Context().Done()
			return
		default:
			panic(fmt.Sprintf("a beat of kind %d", beat.Kind))
		}
		a.tokens++
		if !a.pause(a.script.Gap) {
			return
		}
	}
	v.finish()
}

// pause waits as long as the script asks, and reports whether the caller is still there. Before it waits it sends what
// was said; a script without pauses is sent as fast as it can be.
func (a *answer) pause(d time.Duration) bool {
	if d == 0 {
		return a.r.Context().Err() == nil
	}
	a.flush()
	select {
	case <-time.After(d):
		return true
	case <-a.r.Context().Done():
		return false
	}
}

// fail fails as servers do: with a status as long as nothing was said, else in the stream.
func (a *answer) fail(v voice) {
	a.server.failed.Store(a.text, true)
	f := *a.script.Failure
	event, body := v.complaint(f)
	if a.begun {
		a.send(event, body)
		return
	}
	if f.Status == http.StatusTooManyRequests {
		a.w.Header().Set("Retry-After", "1")
	}
	writeJSON(a.w, f.Status, body)
}

func asked(f scripted.Failure) string {
	return fmt.Sprintf("The script asks for this failure (%s).", f.Code)
}

// send sends an event of the stream; not every wire names its events.
func (a *answer) send(event string, value any) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "text/event-stream")
		a.w.Header().Set("Cache-Control", "no-cache")
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // a value of ours that is no JSON
	}
	if event != "" {
		event = "event: " + event + "\n"
	}
	_, _ = fmt.Fprintf(a.w, "%sdata: %s\n\n", event, b)
}

// flush sends what was said. Before that it sends nothing: a failure may still need the status.
func (a *answer) flush() {
	if a.begun {
		_ = http.NewResponseController(a.w).Flush() // the caller may be gone
	}
}

// halves cuts text in two, between runes.
func halves(text string) [2]string {
	half := len(text) / 2
	for half > 0 && text[half]&0xC0 == 0x80 {
		half--
	}
	return [2]string{text[:half], text[half:]}
}
