package agenttest

import (
	"context"

	"parley/backend/agent"
)

func failsWithTheCode(s *stage) {
	for directive, code := range map[string]agent.Code{
		"400": agent.CodeValidation, "401": agent.CodeProviderAuth, "429": agent.CodeProviderRateLimit,
		"500": agent.CodeProviderUnavailable, "529": agent.CodeProviderUnavailable, "provider_auth": agent.CodeProviderAuth,
	} {
		turn := s.say("[[error:" + directive + "]] [[say:never]]")
		s.failed(turn, code)
		if turn.Text() != "" {
			s.Errorf("it said %q", turn.Text())
		}
		s.goesOn()
	}
}

func failsInTheMiddle(s *stage) {
	turn := s.say("[[deltas:3]] [[error:500]]")
	s.failed(turn, agent.CodeProviderUnavailable)
	if got := s.numbered(turn); got != 3 {
		s.Errorf("%d deltas of 3 were kept", got)
	}
	s.goesOn()
}

func failsOnce(s *stage) {
	prompt := s.prompt(user("[[error1:400]] [[say:fine]]"))
	s.failed(Collect(s, s.conn.Prompt(s.ctx, prompt)), agent.CodeValidation)
	s.finished(Collect(s, s.conn.Prompt(s.ctx, prompt)), "fine")
}

func stopsBeforeAnything(s *stage) {
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	s.stopped(Collect(s, s.conn.Prompt(ctx, s.prompt(user("[[say:never]]")))))
	s.goesOn()
}

func stopsWhileWaiting(s *stage) {
	ctx, cancel := context.WithCancel(s.ctx)
	go cancel()
	turn := Collect(s, s.conn.Prompt(ctx, s.prompt(user("[[ttft:1h]] [[say:never]]"))))
	s.stopped(turn)
	if turn.Text() != "" {
		s.Errorf("it said %q", turn.Text())
	}
	s.goesOn()
}

func stopsInTheMiddle(s *stage) {
	turn := s.stopWhen("[[deltas:1000000]] [[gap:1ms]]", func(soFar Turn) bool { return len(soFar.Text()) >= 200 })
	s.stopped(turn)
	if got := s.numbered(turn); got < 10 || got > 100_000 {
		s.Errorf("it said %d deltas", got)
	}
	s.goesOn()
}

// stopWhen takes a turn, and stops it once.
func (s *stage) stopWhen(text string, now func(soFar Turn) bool) Turn {
	s.Helper()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	return CollectWhile(s, s.conn.Prompt(ctx, s.prompt(user(text))), func(soFar Turn) bool {
		if now(soFar) {
			cancel()
		}
		return true
	})
}

func stopsAroundATool(s *stage) {
	turn := s.stopWhen(`[[tool:list_directory {"path":"."}]] [[gap:1h]] [[deltas:2]]`, func(soFar Turn) bool {
		switch soFar.Events[len(soFar.Events)-1].(type) {
		case agent.ToolCallDelta, agent.ToolCall:
			return true
		}
		return false
	})
	s.stopped(turn)
	s.goesOn()
}

func stopsWhenHung(s *stage) {
	turn := s.stopWhen("[[deltas:3]] [[hang]]", func(soFar Turn) bool { return len(soFar.Text()) == 60 })
	s.stopped(turn)
	if got := s.numbered(turn); got != 3 {
		s.Errorf("%d deltas of 3 were kept", got)
	}
	s.goesOn()
}

func mayBeLeftEarly(s *stage) {
	prompt := s.prompt(user("[[deltas:1000000]] [[gap:1ms]]"))
	CollectWhile(s, s.conn.Prompt(s.ctx, prompt), func(soFar Turn) bool { return false })
	s.goesOn()
}

func takesOneTurnAtATime(s *stage) {
	var second Turn
	first := s.stopWhen("[[deltas:1]] [[hang]]", func(soFar Turn) bool {
		if soFar.Text() == "" || second.Err != nil {
			return false
		}
		second = s.say("[[say:me too]]")
		return true
	})
	s.failed(second, "")
	s.stopped(first)
	s.goesOn()
}

func connCloses(s *stage) {
	for range 2 {
		if err := s.conn.Close(); err != nil {
			s.Error(err)
		}
	}
	s.failed(s.say("[[say:never]]"), "")
	s.reopen()
	s.finished(s.say("[[say:again]]"), "again")
}

func connClosesInTheMiddle(s *stage) {
	s.failed(s.closeWhenHung(s.conn.Close), "")
}

func sandboxCloses(s *stage) {
	select {
	case <-s.sandbox.Done():
		s.Error("the sandbox is done before it is closed")
	default:
	}
	for range 2 {
		if err := s.sandbox.Close(); err != nil {
			s.Error(err)
		}
		<-s.sandbox.Done()
	}
	s.failed(s.say("[[say:never]]"), "")
	conn, err := s.sandbox.Open(s.ctx, s.suite.Launch)
	if err == nil {
		conn.Close()
		s.Fatal("a closed sandbox opened a conn")
	}
	checkError(s, nil, err)
}

func sandboxClosesInTheMiddle(s *stage) {
	s.failed(s.closeWhenHung(s.sandbox.Close), "")
	<-s.sandbox.Done()
}

// closeWhenHung takes a turn that hangs after its first word, and calls close then.
func (s *stage) closeWhenHung(close func() error) Turn {
	s.Helper()
	closed := make(chan error, 1)
	closing := false
	turn := CollectWhile(s, s.conn.Prompt(s.ctx, s.prompt(user("[[deltas:1]] [[hang]]"))), func(soFar Turn) bool {
		if soFar.Text() != "" && !closing {
			closing = true
			go func() { closed <- close() }()
		}
		return true
	})
	if !closing {
		s.Fatalf("the turn ended before it hung: %v", turn.Err)
	}
	if err := <-closed; err != nil {
		s.Error(err)
	}
	return turn
}
