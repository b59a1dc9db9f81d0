package agent

import (
	"encoding/json"
	"fmt"
	"strings"
)

// EncodeLog writes events as one JSON array. A run of deltas becomes one element: each keeps its own place and number,
// at a few bytes instead of fifty.
func EncodeLog(events []Event) ([]byte, error) {
	out := make([]eventJSON, 0, len(events))
	for _, e := range events {
		j, err := toJSON(e)
		if err != nil {
			return nil, err
		}
		if isDelta(j.Type) && len(out) > 0 && out[len(out)-1].Type == j.Type {
			last := &out[len(out)-1]
			if last.Texts == nil {
				last.Texts, last.Text = []string{last.Text}, ""
			}
			last.Texts = append(last.Texts, j.Text)
			continue
		}
		out = append(out, j)
	}
	return json.Marshal(out)
}

// DecodeLog reads what EncodeLog wrote. Anything unknown is an error: a log with a hole would be another turn.
func DecodeLog(b []byte) ([]Event, error) {
	if events, ok := decodeDeltas(string(b)); ok {
		return events, nil
	}
	var in []eventJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("decode log: %w", err)
	}
	return fromLog(in)
}

// fromLog gives the events of a log, a run of deltas as the many that it is.
func fromLog(in []eventJSON) ([]Event, error) {
	events := make([]Event, 0, len(in))
	for _, j := range in {
		texts := j.Texts
		if texts == nil {
			texts = []string{j.Text}
		}
		for _, j.Text = range texts {
			e, err := fromJSON(j)
			if err != nil {
				return nil, fmt.Errorf("decode log: %w", err)
			}
			events = append(events, e)
		}
	}
	return events, nil
}

func isDelta(eventType string) bool {
	return eventType == "message_delta" || eventType == "thought_delta"
}

// decodeDeltas reads a log of nothing but deltas, which most are, and many: replaying a long turn is reading those. It
// knows only the bytes that EncodeLog writes, and reports false for everything else.
func decodeDeltas(log string) ([]Event, bool) {
	r := deltaReader(log)
	events := make([]Event, 0, 1+strings.Count(log, `","`))
	for more := r.take("["); more; more = r.take(",") {
		message := r.take(`{"type":"message_delta",`)
		if !message && !r.take(`{"type":"thought_delta",`) {
			return nil, false
		}
		run := r.take(`"texts":[`)
		if !run && !r.take(`"text":`) {
			return nil, false
		}
		for next := true; next; next = run && r.take(",") {
			text, ok := r.text()
			switch {
			case !ok:
				return nil, false
			case message:
				events = append(events, MessageDelta{text})
			default:
				events = append(events, ThoughtDelta{text})
			}
		}
		if run && !r.take("]") || !r.take("}") {
			return nil, false
		}
	}
	return events, r == "]"
}

// deltaReader is what is left of a log.
type deltaReader string

// take passes over token if it comes next.
func (r *deltaReader) take(token string) bool {
	rest, ok := strings.CutPrefix(string(*r), token)
	*r = deltaReader(rest)
	return ok
}

// text reads a JSON string that holds no escapes.
func (r *deltaReader) text() (string, bool) {
	rest := *r
	if !rest.take(`"`) {
		return "", false
	}
	text, after, closed := strings.Cut(string(rest), `"`)
	if !closed || strings.Contains(text, `\`) {
		return "", false
	}
	*r = deltaReader(after)
	return text, true
}
