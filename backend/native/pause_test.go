package native

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/modelserver"
)

// §6 Several may be open at once, each answered by id: everything in the step that needs no answer is done first.
func TestAStepWithSeveralQuestions(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "write_file", "read_file")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i, c := range [][2]string{
			{"write_file", `{\"path\":\"a\",\"content\":\"x\"}`}, {"read_file", `{\"path\":\"note.txt\"}`},
			{"locate", `{}`}, {"write_file", `{`}, {"write_file", `{\"path\":\"b\",\"content\":\"y\"}`},
		} {
			fmt.Fprintf(w, `data: {"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"%s","arguments":"%s"}}]}}]}`+"\n\n", i, i, c[0], c[1])
		}
		io.WriteString(w, `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":5,"completion_tokens":1,"total_tokens":6}}`+"\n\ndata: [DONE]\n\n")
	}))
	defer server.Close()
	r.launch.Endpoint.BaseURL = server.URL
	r.launch.ClientTools = []agent.ClientToolSpec{{Name: "locate", InputSchema: []byte(`{"type":"object"}`)}}
	r.reopen(agent.PermissionAsk)
	turn := r.finished("go")
	said := ""
	for _, e := range turn.Events {
		switch e := e.(type) {
		case agent.ToolCall:
			said += fmt.Sprintf(" call %s", e.ID)
		case agent.ToolResult:
			said += fmt.Sprintf(" result %s", e.ID)
		case agent.InteractionRequest:
			said += fmt.Sprintf(" %s %s", e.Kind, e.Call)
		}
	}
	if want := " call c0 call c1 call c2 call c3 call c4 result c1 result c3 user_approval c0 client_tool c2 user_approval c4"; said != want || turn.Finish.StopReason != agent.StopPaused {
		t.Errorf("it said%s and finished with %+v", said, turn.Finish)
	}
	if turn.Finish.Usage.Total != 6 || !turn.Results()[1].IsError {
		t.Errorf("finish %+v, results %+v", turn.Finish, turn.Results())
	}
	if _, err := os.Stat(filepath.Join(r.root, "a")); err == nil {
		t.Error("what waits for an answer was done")
	}
}

// A tool speaks to the person before its result, and one that asks them ends the part of the turn, whatever the agent may do.
func TestToolsThatSpeakAndAsk(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "todo_write", "ask_user")
	turn := r.finished(`[[tool:todo_write {"items":[{"text":"Ask","status":"in_progress"}]}]] [[tool:ask_user {"question":"Which?","options":["a","b"]}]]`)
	said := ""
	for _, e := range turn.Events {
		switch e := e.(type) {
		case agent.Plan:
			said += fmt.Sprintf(" plan %v", e.Items)
		case agent.ToolResult:
			said += " result " + e.Name
		case agent.InteractionRequest:
			said += fmt.Sprintf(" %s %s", e.Kind, e.Payload)
		}
	}
	if want := ` plan [{Ask in_progress}] result todo_write user_input {"question":"Which?","options":["a","b"]}`; said != want || turn.Finish.StopReason != agent.StopPaused {
		t.Errorf("it said%s and finished with %+v", said, turn.Finish)
	}
}

// §6 a deny can carry a note that goes to the model; what was answered is read in the order of the calls, what was not
// as unanswered, and the second part counts its own usage.
func TestWhatTheModelReadsAfterAPause(t *testing.T) {
	for _, provider := range []string{"openai", "anthropic"} {
		r := newRigOn(t, provider, modelserver.Options{}, "write_file")
		call := func(id string) agent.Part {
			return agent.ToolCallPart{ID: id, Name: "write_file", Args: []byte(`{"path":"` + id + `","content":""}`)}
		}
		p := prompt(`[[say:go on]] [[usage:7,3]]`,
			agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{call("c1"), call("c2"), call("c3")}},
			agent.Message{Role: agent.RoleTool, Parts: []agent.Part{agent.ToolResultPart{ToolCallID: "c1", Result: []byte(`"Not this one: use \"c2\"."`), IsError: true, Denied: true}}})
		p.Approved = []string{"c2"}
		turn := agenttest.Resume(t, p, r.conn.Prompt(t.Context(), p))
		if turn.Text() != "go on" || turn.Finish.Usage.Total != 10 {
			t.Fatalf("%s: said %q, %+v, %v", provider, turn.Text(), turn.Finish, turn.Err)
		}
		requests := r.model.Requests()
		at := 0
		for _, want := range []string{`[the call was not run]\nNot this one: use \"c2\".`, `Created c2`, unanswered} {
			found := strings.Index(string(requests[0].Body)[at:], want)
			if found < 0 {
				t.Errorf("%s: the model did not read %s there: %s", provider, want, requests[0].Body)
			}
			at += max(found, 0)
		}
	}
}

// A pause is no way around the limit: the rounds of the turn are counted from its message.
func TestRoundsAreCountedAcrossPauses(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "read_file")
	conversation := []any{strings.Repeat(`[[tool:read_file {"path":"note.txt"}]]`, 20)}
	for i := range 15 {
		id := fmt.Sprint("c", i)
		conversation = append(conversation,
			agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{agent.ToolCallPart{ID: id, Name: "read_file", Args: []byte(`{"path":"note.txt"}`)}}},
			agent.Message{Role: agent.RoleTool, Parts: []agent.Part{agent.ToolResultPart{ToolCallID: id, Result: []byte(`"milk"`)}}})
	}
	if turn := r.failed(agent.CodeTurnLimit, conversation...); len(turn.Results()) != 1 {
		t.Errorf("failed after %d more rounds", len(turn.Results()))
	}
}
