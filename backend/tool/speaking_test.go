package tool

import (
	"encoding/json"
	"testing"

	"parley/backend/agent"
)

// What a call says before its result is for the person.
func TestToolsThatSpeak(t *testing.T) {
	set, _ := open(t)
	for _, c := range []struct{ name, input, said, output string }{
		{"todo_write", `{"items":[{"text":"look","status":"completed"},{"text":"act","status":"in_progress"}]}`,
			`{"type":"plan","items":[{"text":"look","status":"completed"},{"text":"act","status":"in_progress"}]}`, "The checklist has 2 items, of which 1 are completed."},
		{"todo_write", `{"items":[{"text":"look","status":"done"}]}`, ``, "The arguments of todo_write do not fit: items[0].status must be one of pending, in_progress, completed."},
		{"notify", `{"title":"Done\nat last"}`, `{"type":"data","name":"notification","data":{"title":"Done at last","body":""},"transient":true}`, "The person is notified, if their desktop shows notifications."},
		{"ask_user", `{"question":"Which?"}`, ``, "Nobody can be asked here. Decide yourself, and say what you assumed."},
	} {
		said := ""
		r := set.Run(t.Context(), nil, agent.ToolCall{ID: "c", Name: c.name, Input: json.RawMessage(c.input)}, func(e agent.Event) {
			b, err := agent.EncodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			said += string(b)
		})
		if said != c.said || r.Output != c.output {
			t.Errorf("%s %s: said %s, and %q", c.name, c.input, said, r.Output)
		}
	}
}
