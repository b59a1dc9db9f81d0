//go:build linux

package runner

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
)

// TestARecordedTurn reads what the real runner wrote, with one event of an unknown type added.
func TestARecordedTurn(t *testing.T) {
	request, err := encodeRequest(scriptedLaunch, say("whole I look.", "call read_file", "rogue", "whole There it is."))
	if err != nil {
		t.Fatal(err)
	}
	in, out := io.Pipe()
	var recorded bytes.Buffer
	r, w := io.Pipe()
	go func() {
		defer w.Close()
		if err := Serve(t.Context(), in, w, Options{Version: "test", Engines: Engines{agent.BackendScripted: engine{}}, Log: slog.New(slog.DiscardHandler)}); err != nil {
			t.Error(err)
		}
	}()
	go out.Write(request)
	lines := newLineReader(r)
	for {
		line, err := lines.next()
		if err != nil {
			t.Fatal(err)
		}
		recorded.Write(append(line, '\n'))
		if bytes.Contains(line, []byte(`"tool_call"`)) {
			recorded.WriteString(`{"kind":"event","event":{"type":"hologram","text":"from a later version"}}` + "\n")
		}
		if bytes.HasPrefix(line, resultHead) {
			break
		}
	}
	out.Close()
	golden(t, "turn", recorded.String())

	var told []any
	var dropped []string
	for line := range strings.Lines(fixture(t, "turn", "")) {
		if strings.HasPrefix(line, `{"kind":"hello"`) {
			if err := checkHello([]byte(line)); err != nil {
				t.Error(err)
			}
			continue
		}
		r, err := decodeRecord([]byte(line))
		switch {
		case err != nil:
			t.Error(err)
		case r.dropped != "":
			dropped = append(dropped, r.dropped)
		case r.event != nil:
			told = append(told, r.event)
		case r.ended != nil:
			told = append(told, r.ended.finish)
		}
	}
	want := []any{
		agent.MessageWhole{Text: "I look."}, agent.ToolCall{ID: "c1", Name: "read_file", Input: json.RawMessage(`{}`)},
		agent.MessageWhole{Text: "There it is."},
		agent.Finish{StopReason: agent.StopEndTurn, Usage: agent.Usage{Input: 1, Output: 2, Total: 3}, Model: "test-model"},
	}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("told %+v", told)
	}
	if !reflect.DeepEqual(dropped, []string{"event hologram", "agent.SessionStarted"}) {
		t.Errorf("dropped %q", dropped)
	}
}
