// Package agenttest is the conformance suite of agent's ports. Every Backend, and through it its Sandbox and its Conn,
// runs it in ten lines. What the agent is to do is written in the user's messages, as the directives of package scripted;
// so behind the ports must be one that plays them: a script, or a loop whose model is the scripted model server.
package agenttest

import (
	"context"
	"testing"
	"time"

	"parley/backend/agent"
)

// Suite says what is tested. The agent of Launch has the tools list_directory, read_file and write_file, and uses them
// without asking.
type Suite struct {
	New     func(t *testing.T) agent.Backend
	Launch  agent.Launch
	Steers  bool                            // the agent can be told something in the middle of its turn
	Policy  func(t *testing.T) agent.Policy // nil: a new empty folder for each test
	Secrets map[string]string               // goes with every Prompt
}

// Run tests what the ports promise, as far as it can be seen from outside. Not in parallel with anything: it looks for
// goroutines that were left behind.
func Run(t *testing.T, suite Suite) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := goroutines()
			t.Cleanup(func() { before.checkGone(t) }) // last of all
			c.play(open(t, suite))
		})
	}
}

var cases = []struct {
	name string
	play func(s *stage)
}{
	{"Says", says},
	{"SaysDeltasInOrder", saysDeltasInOrder},
	{"ThinksFirst", thinksFirst},
	{"AnswersTheNewestMessage", answersTheNewestMessage},
	{"TakesAnyHistory", takesAnyHistory},
	{"CallsTools", callsTools},
	{"SurvivesWrongCalls", survivesWrongCalls},
	{"PassesFiveMegabytes", passesFiveMegabytes},
	{"ReportsUsage", reportsUsage},
	{"FailsWithTheCode", failsWithTheCode},
	{"FailsInTheMiddle", failsInTheMiddle},
	{"FailsOnce", failsOnce},
	{"AsksBeforeAChange", asksBeforeAChange},
	{"GoesOnWhenApproved", goesOnWhenApproved},
	{"GoesOnInANewSandbox", goesOnInANewSandbox},
	{"GoesOnWhenDenied", goesOnWhenDenied},
	{"GoesOnFromSeveralAnswers", goesOnFromSeveralAnswers},
	{"AsksForTheCallersTools", asksForTheCallersTools},
	{"AsksNotWhatIsAllowed", asksNotWhatIsAllowed},
	{"DeniesByPolicy", deniesByPolicy},
	{"HasTheAppRunItsTools", hasTheAppRunItsTools},
	{"HasTheAppRedactResults", hasTheAppRedactResults},
	{"StopsWhileTheAppRunsACall", stopsWhileTheAppRunsACall},
	{"SandboxClosesWhileTheAppRunsACall", sandboxClosesWhileTheAppRunsACall},
	{"Steers", steers},
	{"Permits", permits},
	{"StopsBeforeAnything", stopsBeforeAnything},
	{"StopsWhileWaiting", stopsWhileWaiting},
	{"StopsInTheMiddle", stopsInTheMiddle},
	{"StopsAroundATool", stopsAroundATool},
	{"StopsWhenHung", stopsWhenHung},
	{"MayBeLeftEarly", mayBeLeftEarly},
	{"TakesOneTurnAtATime", takesOneTurnAtATime},
	{"ConnCloses", connCloses},
	{"ConnClosesInTheMiddle", connClosesInTheMiddle},
	{"SandboxCloses", sandboxCloses},
	{"SandboxClosesInTheMiddle", sandboxClosesInTheMiddle},
}

// patience is how long one test may take. Then its turn is stopped, and the test fails by what it sees.
const patience = time.Minute

// stage is a conn to play on, and what it stands on.
type stage struct {
	*testing.T
	suite   Suite
	policy  agent.Policy
	backend agent.Backend
	sandbox agent.Sandbox
	conn    agent.Conn
	ctx     context.Context // ends when patience does
}

func open(t *testing.T, suite Suite) *stage {
	s := &stage{T: t, suite: suite}
	if suite.Policy != nil {
		s.policy = suite.Policy(t)
	} else {
		s.policy.Scratch = t.TempDir()
	}
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	s.backend = suite.New(t)
	if !s.backend.Supports(suite.Launch.Backend, suite.Launch.Harness) {
		t.Fatalf("the backend does not support %q by %q", suite.Launch.Harness, suite.Launch.Backend)
	}
	if s.backend.Supports("no such backend", suite.Launch.Harness) || s.backend.Supports(suite.Launch.Backend, "no such harness") {
		t.Error("the backend supports what does not exist")
	}
	s.newSandbox()
	return s
}

// newSandbox plays on in a new sandbox.
func (s *stage) newSandbox() {
	s.Helper()
	sandbox, err := s.backend.NewSandbox(s.ctx, s.policy.For(s.suite.Launch))
	if err != nil {
		s.Fatal(err)
	}
	s.sandbox = sandbox
	s.Cleanup(func() {
		if err := sandbox.Close(); err != nil {
			s.Errorf("closing the sandbox: %v", err)
		}
	})
	s.reopen()
}

// reopen plays on with a new conn.
func (s *stage) reopen() {
	s.Helper()
	var err error
	if s.conn, err = s.sandbox.Open(s.ctx, s.suite.Launch); err != nil {
		s.Fatal(err)
	}
	conn := s.conn
	s.Cleanup(func() {
		if err := conn.Close(); err != nil {
			s.Errorf("closing the conn: %v", err)
		}
	})
}

// prompt makes a turn of the conversation that every stage has.
func (s *stage) prompt(messages ...agent.Message) agent.Prompt {
	key := agent.SessionKey{Project: agent.DefaultProject, Session: "sess_conformance"}
	return agent.Prompt{Key: key, Turn: agent.NewTurnID(), Messages: messages, Secrets: s.suite.Secrets}
}

func message(role agent.Role, parts ...agent.Part) agent.Message {
	return agent.Message{ID: agent.NewMessageID(), Role: role, Parts: parts}
}

func user(text string) agent.Message { return message(agent.RoleUser, agent.TextPart{Text: text}) }

// say takes a turn to its end.
func (s *stage) say(text string) Turn {
	s.Helper()
	return Collect(s, s.conn.Prompt(s.ctx, s.prompt(user(text))))
}

// finished fails the test unless the turn came to its own end and said want.
func (s *stage) finished(turn Turn, want string) {
	s.Helper()
	if turn.Err != nil || turn.Finish == nil || turn.Finish.StopReason != agent.StopEndTurn || turn.Finish.Killed || turn.Text() != want {
		s.Errorf("the turn said %.200q and ended with %+v, %v; want %.200q", turn.Text(), turn.Finish, turn.Err, want)
	}
}

// stopped fails the test unless the turn was stopped, and by the agent itself.
func (s *stage) stopped(turn Turn) {
	s.Helper()
	if turn.Finish == nil || turn.Finish.StopReason != agent.StopCancelled || turn.Finish.Killed {
		s.Errorf("the stopped turn ended with %+v, %v", turn.Finish, turn.Err)
	}
	if s.ctx.Err() != nil {
		s.Errorf("the turn was still running after %v", patience)
	}
}

// failed fails the test unless the turn ended with an error of this code; any will do if code is empty.
func (s *stage) failed(turn Turn, code agent.Code) {
	s.Helper()
	if turn.Err == nil || code != "" && turn.Err.Code != code {
		s.Errorf("the turn ended with %+v, %v; want an error of code %q", turn.Finish, turn.Err, code)
	}
	if s.ctx.Err() != nil {
		s.Errorf("the turn was still running after %v", patience)
	}
}

// goesOn fails the test unless the next turn is like any other, on this conn or on a new one.
func (s *stage) goesOn() {
	s.Helper()
	prompt := s.prompt(user("[[say:on we go]]"))
	if turn := Collect(s, s.conn.Prompt(s.ctx, prompt)); turn.Err != nil {
		s.reopen()
		s.finished(Collect(s, s.conn.Prompt(s.ctx, prompt)), "on we go")
	} else {
		s.finished(turn, "on we go")
	}
}
