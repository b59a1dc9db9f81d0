package agenttest

import "parley/backend/agent"

// permits: what calls are decided by can change, before a turn and in the middle of one.
func permits(s *stage) {
	conn, ok := s.conn.(agent.Permitter)
	if !ok {
		s.Fatal("the conn is no Permitter")
	}
	permit := func(policy agent.PermissionPolicy) {
		if !conn.Permit(s.ctx, policy, agent.Rules{}) {
			s.Errorf("%s is not taken", policy)
		}
	}
	permit(agent.PermissionDeny)
	denied := s.say(writeTwice)
	s.finished(denied, "done")
	s.written()
	permit(agent.PermissionAuto)
	if !s.suite.Steers { // nobody can tell where such a turn stands
		s.finished(s.say(writeTwice), "done")
		s.written("a.txt", "b.txt")
		return
	}
	asked := false
	turn := CollectWhile(s, s.conn.Prompt(s.ctx, s.prompt(user("[[say:one]] [[steer]]"))), func(soFar Turn) bool {
		if soFar.Text() == "one" && !asked {
			asked = true
			go func() {
				permit(agent.PermissionDeny)
				s.conn.(agent.Steerer).Steer(s.ctx, agent.Steering{Message: agent.NewMessageID(), Text: writeTwice})
			}()
		}
		return true
	})
	s.finished(turn, "onedone")
	_, results := s.answered(turn, "write_file", "write_file")
	if !results[0].Denied || !results[1].Denied {
		s.Errorf("the results are %+v", results)
	}
	s.written()
}
