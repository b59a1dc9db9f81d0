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
	"parley/backend/process"
	"parley/backend/scripted"
)

// recordTurn keeps in a fixture what the real runner writes for one turn, with a line added after the first that holds mark.
func recordTurn(t *testing.T, name string, engine agent.Backend, launch agent.Launch, prompt agent.Prompt, mark, added string) {
	t.Helper()
	request, err := encodeRequest(launch, prompt)
	if err != nil {
		t.Fatal(err)
	}
	in, out := io.Pipe()
	var recorded bytes.Buffer
	r, w := io.Pipe()
	go func() {
		defer w.Close()
		options := Options{Version: "test", Policy: agent.Policy{Scratch: t.TempDir()}, Engines: Engines{agent.BackendScripted: engine}, Log: slog.New(slog.DiscardHandler)}
		if err := Serve(t.Context(), in, w, options); err != nil {
			t.Error(err)
		}
	}()
	go out.Write(request)
	lines := process.NewLines(r)
	for {
		line, err := lines.Next()
		if err != nil {
			t.Fatal(err)
		}
		recorded.Write(append(line, '\n'))
		if bytes.Contains(line, []byte(mark)) {
			recorded.WriteString(added + "\n")
		}
		if bytes.HasPrefix(line, resultHead) {
			break
		}
	}
	out.Close()
	golden(t, name, recorded.String())
}

// replay reads a recorded turn, its end as the Finish that it is.
func replay(t *testing.T, name string) (told []any, dropped []string) {
	t.Helper()
	for line := range strings.Lines(fixture(t, name, "")) {
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
	return told, dropped
}

// TestARecordedTurn reads what the real runner wrote, with one event of an unknown type added.
func TestARecordedTurn(t *testing.T) {
	recordTurn(t, "turn", engine{}, scriptedLaunch, say("whole I look.", "call read_file", "rogue", "whole There it is."),
		`"tool_call"`, `{"kind":"event","event":{"type":"hologram","text":"from a later version"}}`)
	told, dropped := replay(t, "turn")
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

// §4 interaction_request, as it travels: a question of an unknown kind is dropped and counted, an unknown field ignored.
func TestARecordedPause(t *testing.T) {
	launch := scriptedLaunch
	launch.Tools, launch.PermissionPolicy = []string{"write_file"}, agent.PermissionAsk
	prompt := agent.Prompt{Messages: []agent.Message{{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: `[[tool:write_file {"path":"a","content":"x"}]]`}}}}}
	recordTurn(t, "turn-paused", scripted.NewBackend(), launch, prompt, `"interaction_request"`,
		`{"kind":"event","event":{"type":"interaction_request","toolCallId":"call_1","kind":"telepathy"}}`+"\n"+
			`{"kind":"event","event":{"type":"interaction_request","toolCallId":"call_1","kind":"user_input","payload":{},"novelty":1}}`)
	told, dropped := replay(t, "turn-paused")
	want := []any{
		agent.InteractionRequest{Call: "call_1", Kind: agent.UserApproval, Payload: json.RawMessage(`{"action":"fs_write","toolName":"write_file","preview":"a (1 line)","rule":"write_file"}`)},
		agent.InteractionRequest{Call: "call_1", Kind: agent.UserInput, Payload: json.RawMessage(`{}`)},
		agent.Finish{StopReason: agent.StopPaused, Model: "scripted"},
	}
	if !reflect.DeepEqual(told[len(told)-3:], want) {
		t.Errorf("told %+v", told)
	}
	if !reflect.DeepEqual(dropped, []string{"event interaction_request"}) {
		t.Errorf("dropped %q", dropped)
	}
}
