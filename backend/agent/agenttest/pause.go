package agenttest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/agent"
)

// writeTwice is a turn of three steps: two calls that change something, and the answer.
const writeTwice = `[[tool:write_file {"path":"a.txt","content":"one\ntwo\n"}]] [[tool:write_file {"path":"b.txt","content":"b"}]] [[say:done]]`

// asking plays on with an agent that asks before it changes something.
func (s *stage) asking() {
	s.suite.Launch.PermissionPolicy = agent.PermissionAsk
	s.reopen()
}

// paused fails the test unless the turn waits for exactly these questions, all asked after everything else.
func (s *stage) paused(turn Turn, kinds ...agent.InteractionKind) []agent.InteractionRequest {
	s.Helper()
	requests := only[agent.InteractionRequest](turn.Events)
	if turn.Err != nil || turn.Finish == nil || turn.Finish.StopReason != agent.StopPaused || len(requests) != len(kinds) {
		s.Fatalf("the turn ended with %+v, %v after the questions %+v; want %v", turn.Finish, turn.Err, requests, kinds)
	}
	for i, r := range requests {
		asked := func(c agent.ToolCall) bool { return c.ID == r.Call }
		answered := func(result agent.ToolResult) bool { return result.ID == r.Call }
		if r.Kind != kinds[i] || !slices.ContainsFunc(turn.Calls(), asked) || slices.ContainsFunc(turn.Results(), answered) {
			s.Errorf("the question is %+v", r)
		}
		if last := turn.Events[len(turn.Events)-len(requests)+i]; !isRequest(last, r.Call) {
			s.Errorf("the question about %s is followed by %#v", r.Call, last)
		}
	}
	return requests
}

func isRequest(e agent.Event, call string) bool {
	r, ok := e.(agent.InteractionRequest)
	return ok && r.Call == call
}

// rows is what a session keeps of a turn.
func rows(turn Turn) (rows []agent.Message) {
	add := func(role agent.Role, part agent.Part) {
		if n := len(rows); n == 0 || rows[n-1].Role != role {
			rows = append(rows, message(role))
		}
		last := &rows[len(rows)-1]
		last.Parts = append(last.Parts, part)
	}
	for _, e := range turn.Events {
		switch e := e.(type) {
		case agent.MessageDelta:
			add(agent.RoleAssistant, agent.TextPart(e))
		case agent.ToolCall:
			add(agent.RoleAssistant, agent.ToolCallPart{ID: e.ID, Name: e.Name, Args: e.Input})
		case agent.ToolResult:
			add(agent.RoleTool, answer(e))
		}
	}
	return rows
}

// answer is the result of a call, as the session keeps it.
func answer(r agent.ToolResult) agent.Part {
	text, _ := json.Marshal(r.Output) // a string: it cannot fail
	return agent.ToolResultPart{ToolCallID: r.ID, Result: text, IsError: r.IsError || r.Denied, Denied: r.Denied}
}

// deny is what the session answers in the place of a call that the person does not allow.
func deny(call, note string) agent.Part {
	return answer(agent.ToolResult{ID: call, Output: note, Denied: true})
}

// resume goes on with a conversation whose turn was paused, and in which these calls were approved since.
func (s *stage) resume(conversation []agent.Message, approved ...string) Turn {
	s.Helper()
	prompt := s.prompt(conversation...)
	prompt.Approved = approved
	return Resume(s, prompt, s.conn.Prompt(s.ctx, prompt))
}

// written fails the test unless of a.txt and b.txt exactly these are in the folder.
func (s *stage) written(names ...string) {
	s.Helper()
	for _, name := range []string{"a.txt", "b.txt"} {
		_, err := os.Stat(filepath.Join(s.policy.Scratch, name))
		if there := err == nil; there != slices.Contains(names, name) {
			s.Errorf("%s: written %v (%v)", name, there, err)
		}
	}
}

// §6 Approvals: an `ask` emits exactly one request after the decision is made, and the harness gets no answer until the
// person decides.
func asksBeforeAChange(s *stage) {
	s.asking()
	turn := s.say(`[[tool:list_directory {"path":"."}]] [[tool:write_file {"path":1}]] ` + writeTwice)
	asked := s.paused(turn, agent.UserApproval)
	var told struct{ Action, ToolName, Preview string }
	if err := json.Unmarshal(asked[0].Payload, &told); err != nil || told.Action != "fs_write" || told.ToolName != "write_file" || told.Preview != "a.txt (2 lines)" {
		s.Errorf("the person decides on %s (%v)", asked[0].Payload, err)
	}
	if len(turn.Results()) != 2 { // what only reads, and what cannot be run, is not asked about
		s.Errorf("the results are %+v", turn.Results())
	}
	s.written()
	s.goesOn()
}

func goesOnWhenApproved(s *stage) {
	s.asking()
	conversation := []agent.Message{user(writeTwice)}
	turn := s.resume(conversation)
	for _, written := range [][]string{{"a.txt"}, {"a.txt", "b.txt"}} {
		call := s.paused(turn, agent.UserApproval)[0].Call
		conversation = append(conversation, rows(turn)...)
		turn = s.resume(conversation, call)
		if results := turn.Results(); len(results) != 1 || results[0].ID != call || results[0].IsError || results[0].Denied {
			s.Fatalf("the approved call gave %+v", results)
		}
		s.written(written...)
	}
	s.finished(turn, "done")
}

// A new sandbox knows nothing but the prompt.
func goesOnInANewSandbox(s *stage) {
	s.asking()
	conversation := []agent.Message{user(writeTwice)}
	call := s.paused(s.resume(conversation), agent.UserApproval)[0].Call
	conversation = append(conversation, message(agent.RoleAssistant, agent.ToolCallPart{ID: call, Name: "write_file", Args: []byte(`{"path":"a.txt","content":""}`)}))
	if err := s.sandbox.Close(); err != nil {
		s.Fatal(err)
	}
	s.newSandbox()
	turn := s.resume(conversation, call)
	s.paused(turn, agent.UserApproval)
	s.written("a.txt")
}

// §6 Approvals: a deny can carry a note that goes to the model. The session gives the result; here nothing is run.
func goesOnWhenDenied(s *stage) {
	s.asking()
	conversation := []agent.Message{user(`[[tool:write_file {"path":"a.txt","content":""}]] [[say:as you wish]]`)}
	turn := s.resume(conversation)
	call := s.paused(turn, agent.UserApproval)[0].Call
	conversation = append(append(conversation, rows(turn)...), message(agent.RoleTool, deny(call, "Not this file.")))
	turn = s.resume(conversation)
	s.finished(turn, "as you wish")
	if len(turn.Calls())+len(turn.Results()) != 0 {
		s.Errorf("something was called: %+v", turn.Events)
	}
	s.written()
}

// §6 Several may be open at once, each answered by id.
func goesOnFromSeveralAnswers(s *stage) {
	s.asking()
	step := message(agent.RoleAssistant, agent.TextPart{Text: "All at once."},
		agent.ToolCallPart{ID: "c1", Name: "write_file", Args: []byte(`{"path":"a.txt","content":"a"}`)},
		agent.ToolCallPart{ID: "c2", Name: "list_directory", Args: []byte(`{"path":"."}`)},
		agent.ToolCallPart{ID: "c3", Name: "write_file", Args: []byte(`{"path":"b.txt","content":"b"}`)},
		agent.ToolCallPart{ID: "c4", Name: "write_file", Args: []byte(`{"path":"b.txt","content":"unanswered"}`)})
	seen := message(agent.RoleTool, answer(agent.ToolResult{ID: "c2", Output: "nothing"}))
	script := user(strings.Repeat(`[[tool:read_file {"path":"a.txt"}]]`, 4) + "[[say:done]]")
	turn := s.resume([]agent.Message{script, step, seen}, "c3", "c1")
	s.finished(turn, "done")
	if r := turn.Results(); len(r) != 2 || r[0].ID != "c1" || r[1].ID != "c3" || r[0].IsError || r[1].IsError {
		s.Errorf("in the order of the calls there came %+v", r)
	}
	s.written("a.txt", "b.txt")
	if b, err := os.ReadFile(filepath.Join(s.policy.Scratch, "b.txt")); string(b) != "b" {
		s.Errorf("b.txt holds %q (%v)", b, err)
	}
	turn = s.resume([]agent.Message{script, step, seen, message(agent.RoleTool, deny("c1", "no"), deny("c3", "no"))}, "c1")
	s.finished(turn, "done")
	if r := turn.Results(); len(r) != 0 {
		s.Errorf("a call that has its result was run again: %+v", r)
	}
}

// §6 Client tools (a tool with no executor): the call is shown, its output is given, the turn continues.
func asksForTheCallersTools(s *stage) {
	s.suite.Launch.PermissionPolicy = agent.PermissionDeny // which is about our tools
	s.suite.Launch.ClientTools = []agent.ClientToolSpec{{Name: "where_am_i", Description: "Where the person is.", InputSchema: []byte(`{"type":"object","properties":{}}`)}}
	s.reopen()
	conversation := []agent.Message{user(`[[tool:where_am_i {"exact":true}]] [[tool:where_am_i {"exact":]] [[say:I see.]]`)}
	turn := s.resume(conversation)
	call := s.paused(turn, agent.ClientTool)[0].Call
	if c := turn.Calls()[0]; !c.Client {
		s.Errorf("the caller's call is announced as %+v", c)
	}
	conversation = append(append(conversation, rows(turn)...), message(agent.RoleTool, agent.ToolResultPart{ToolCallID: call, Result: []byte(`{"city":"Bern"}`)}))
	turn = s.resume(conversation)
	s.finished(turn, "I see.")
	if r := turn.Results(); len(r) != 1 || !r[0].IsError { // no object, so not for the caller
		s.Errorf("the malformed call gave %+v", r)
	}
	if c := turn.Calls()[0]; c.Client {
		s.Errorf("the malformed call is announced as %+v", c)
	}
}

func asksNotWhatIsAllowed(s *stage) {
	s.asking()
	prompt := s.prompt(user(writeTwice))
	prompt.Allowed = []string{"write_file"}
	s.finished(Collect(s, s.conn.Prompt(s.ctx, prompt)), "done")
	s.written("a.txt", "b.txt")
}

func deniesByPolicy(s *stage) {
	s.suite.Launch.PermissionPolicy = agent.PermissionDeny
	s.reopen()
	turn := s.say(`[[tool:list_directory {"path":"."}]] ` + writeTwice)
	s.finished(turn, "done")
	_, results := s.answered(turn, "list_directory", "write_file", "write_file")
	if results[0].Denied || !results[1].Denied || !results[2].Denied || results[1].Output == "" {
		s.Errorf("the results are %+v", results)
	}
	s.written()
}
