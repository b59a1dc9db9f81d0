package agenttest

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/agent"
)

// host is an app that runs what call does, and knows one secret.
type host struct {
	call func(ctx context.Context, say func(progress string)) string
}

const known = "hunter2"

func (h host) Call(ctx context.Context, call agent.ToolCall, say func(agent.Event)) agent.ToolResult {
	output := h.call(ctx, func(progress string) { say(agent.ToolProgress{ID: call.ID, Output: progress}) })
	return agent.ToolResult{ID: call.ID, Name: call.Name, Output: output + string(call.Input), Data: []byte(`{"shown":true}`)}
}

func (h host) Redact(_ context.Context, text string) (string, error) {
	if strings.Contains(text, "unsearchable") {
		return "", agent.Errorf(agent.CodeInternal, "Unlock the keychain.")
	}
	return strings.ReplaceAll(text, known, "[secret:password]"), nil
}

// hosting plays on with an agent that has a tool which the app runs.
func (s *stage) hosting() {
	s.suite.Launch.Hosted = []agent.HostedTool{{Name: "deploy", Description: "Deploys.", InputSchema: []byte(`{"type":"object"}`), Permission: agent.Allow}}
	s.suite.Launch.Redacts = true
	s.reopen()
}

func (s *stage) promptTo(h host, text string) agent.Prompt {
	prompt := s.prompt(user(text))
	prompt.Host = h
	return prompt
}

func hasTheAppRunItsTools(s *stage) {
	s.hosting()
	h := host{func(_ context.Context, say func(string)) string {
		say("under way")
		return "done with "
	}}
	turn := Collect(s, s.conn.Prompt(s.ctx, s.promptTo(h, `[[tool:deploy {"to":"prod"}]] [[tool:deploy {}]] [[say:deployed]]`)))
	s.finished(turn, "deployed")
	_, results := s.answered(turn, "deploy", "deploy")
	if r := results[0]; r.IsError || r.Output != `done with {"to":"prod"}` || string(r.Data) != `{"shown":true}` {
		s.Errorf("the app's result came as %+v", r)
	}
	if progress := only[agent.ToolProgress](turn.Events); len(progress) != 2 {
		s.Errorf("the progress was %+v", progress)
	}
	s.goesOn()
}

func hasTheAppRedactResults(s *stage) {
	if err := os.MkdirAll(s.policy.Scratch, 0o700); err != nil { // far away there is none before the first turn
		s.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "the password is " + known, "b.txt": "unsearchable"} {
		if err := os.WriteFile(filepath.Join(s.policy.Scratch, name), []byte(text), 0o600); err != nil {
			s.Fatal(err)
		}
	}
	s.hosting()
	turn := Collect(s, s.conn.Prompt(s.ctx, s.promptTo(host{}, `[[tool:read_file {"path":"a.txt"}]] [[tool:read_file {"path":"b.txt"}]] [[say:read]]`)))
	s.finished(turn, "read")
	_, results := s.answered(turn, "read_file", "read_file")
	if r := results[0]; r.IsError || !strings.Contains(r.Output, "[secret:password]") || strings.Contains(r.Output+string(r.Data), known) {
		s.Errorf("the result is %+v", r)
	}
	if r := results[1]; !r.IsError || !strings.Contains(r.Output, "withheld") || !strings.Contains(r.Output, "Unlock the keychain.") {
		s.Errorf("what could not be searched gave %+v", r)
	}
}

// hosted takes a turn in which the app runs a call that ends only with its context. then is called once it runs.
func (s *stage) hosted(then func(stop func())) Turn {
	s.Helper()
	s.hosting()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	ended := make(chan struct{})
	h := host{func(ctx context.Context, _ func(string)) string {
		defer close(ended)
		go then(cancel)
		<-ctx.Done()
		return ""
	}}
	turn := Collect(s, s.conn.Prompt(ctx, s.promptTo(h, `[[tool:deploy {}]] [[say:never]]`)))
	select {
	case <-ended:
	default:
		s.Fatalf("the turn ended with %+v, %v, before the app's call or without it", turn.Finish, turn.Err)
	}
	return turn
}

func stopsWhileTheAppRunsACall(s *stage) {
	s.stopped(s.hosted(func(stop func()) { stop() }))
	s.goesOn()
}

func sandboxClosesWhileTheAppRunsACall(s *stage) {
	s.failed(s.hosted(func(func()) { s.sandbox.Close() }), "")
	<-s.sandbox.Done()
}
