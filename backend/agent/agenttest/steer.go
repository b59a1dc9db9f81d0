package agenttest

import "parley/backend/agent"

// steers: what is said in the middle of a turn is taken once, and heard at one place; before and after it is not taken.
func steers(s *stage) {
	steerer, ok := s.conn.(agent.Steerer)
	if !ok {
		if s.suite.Steers {
			s.Error("the conn is no Steerer")
		}
		return
	}
	said := agent.Steering{Message: agent.NewMessageID(), Text: "[[say:two]]"}
	if steerer.Steer(s.ctx, said) {
		s.Error("it was taken before the turn")
	}
	taken := make(chan bool, 1)
	asked := false
	turn := CollectWhile(s, s.conn.Prompt(s.ctx, s.prompt(user("[[say:one]] [[steer]]"))), func(soFar Turn) bool {
		if soFar.Text() == "one" && !asked {
			asked = true
			go func() { taken <- steerer.Steer(s.ctx, said) }()
		}
		return true
	})
	want := "one"
	if s.suite.Steers {
		want = "onetwo"
	}
	s.finished(turn, want)
	if got := <-taken; got != s.suite.Steers {
		s.Errorf("it was taken: %v", got)
	}
	heard := 0
	for _, e := range turn.Events {
		if steered, ok := e.(agent.Steered); ok && steered == (agent.Steered{Message: said.Message}) {
			heard++
		}
	}
	if heard > 1 || heard == 1 != s.suite.Steers {
		s.Errorf("it was heard %d times", heard)
	}
	if steerer.Steer(s.ctx, said) {
		s.Error("it was taken after the turn")
	}
}
