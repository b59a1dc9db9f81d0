package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/mcp"
	"parley/backend/process"
)

const (
	firstEventLimit = 2 * time.Minute
	idleLimit       = 30 * time.Minute
	leaveLimit      = 300 * time.Millisecond // to end in an orderly way, before the app loses its patience
	maxOutput       = 1 << 20                // bytes of text repeated in a result
)

var errStuck = errors.New("the engine did not stop when its turn was overdue")

// Engines are the backends inside a runner, each under its name on the wire.
type Engines map[agent.BackendName]agent.Backend

// Options are what a runner is told when it starts.
type Options struct {
	Version string
	Policy  agent.Policy
	Engines Engines
	Servers *mcp.Servers // that the engines take the tools of others from; nil if they do not
	Log     *slog.Logger
}

// Serve is the runner's side of the wire. It takes turns from in, one after the other, and answers on out: exactly one
// result for each request, whatever happens. It returns nil when in or ctx ended, after cancelling what ran; a read of
// in may then still be pending. After an error the process is no use any more.
func Serve(ctx context.Context, in io.Reader, out io.Writer, options Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{Options: options, out: newOutbox(), written: make(chan error, 1), sandboxes: map[agent.BackendName]agent.Sandbox{}}
	go func() { s.written <- s.out.write(out) }()
	s.out.line(encodeHello(options.Version))
	s.Servers.Watch(func(r mcp.Report) { s.out.line(encodeServer(r)) })

	lines := make(chan incomingLine)
	go receive(ctx, in, lines)
	err := s.serve(ctx, lines)
	cancel()
	s.leave()
	return err
}

// server is a runner at work. Its fields are touched by one goroutine only: sandboxes by the turn while one runs, the
// others by Serve.
type server struct {
	Options
	out       *outbox
	written   chan error
	sandboxes map[agent.BackendName]agent.Sandbox
	turn      turn // zero between turns
	queue     []incomingLine
	stuck     bool // an engine goes on with a turn whose result is written
}

// turn is a request that is being answered.
type turn struct {
	*addressed
	session agent.SessionID
	ended   chan outcome // gets exactly one
}

// incomingLine is a line from the app, or why it cannot be read.
type incomingLine struct {
	incoming
	err error
}

// receive reads lines until in or ctx ends, then closes lines.
func receive(ctx context.Context, in io.Reader, lines chan<- incomingLine) {
	defer close(lines)
	r := process.NewLines(in)
	for {
		var next incomingLine
		line, err := r.Next()
		switch {
		case errors.Is(err, process.ErrLongLine):
			next.err = agent.Errorf(agent.CodeValidation, "The request cannot be run: %v.", err)
		case err != nil:
			return
		default:
			next.incoming, next.err = decodeLine(line)
		}
		select {
		case lines <- next:
		case <-ctx.Done():
			return
		}
	}
}

func (s *server) serve(ctx context.Context, lines <-chan incomingLine) error {
	for {
		if s.turn.ended == nil && len(s.queue) > 0 {
			s.start(ctx, s.queue[0])
			s.queue = s.queue[1:]
		}
		select {
		case line, ok := <-lines:
			switch {
			case !ok:
				return nil
			case line.Kind == "control":
				s.control(ctx, line.incoming)
			case line.Kind == "" || line.err != nil:
				s.queue = append(s.queue, line)
			default:
				s.Log.Warn("runner: a line of an unknown kind", "kind", line.Kind)
			}
		case o := <-s.turn.ended:
			s.result(o)
			if s.stuck = o.stuck; s.stuck {
				return errStuck
			}
		case err := <-s.written:
			s.written <- err // leave looks for it too
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// leave lets the cancelled turn end and what was said be written, for as long as the app has patience.
func (s *server) leave() {
	left := make(chan struct{})
	go func() {
		defer close(left)
		if s.turn.ended != nil {
			s.result(<-s.turn.ended)
		}
		for range s.queue {
			s.result(outcome{failure: agent.Errorf(agent.CodeCancelled, "The agent's process was ended before this turn began.")})
		}
		if !s.stuck {
			for _, sandbox := range s.sandboxes {
				_ = sandbox.Close()
			}
		}
		s.Servers.Close()
		s.out.end()
		<-s.written
	}()
	select {
	case <-left:
	case <-time.After(leaveLimit):
	}
}

// result ends the turn on the wire.
func (s *server) result(o outcome) {
	if o.failure != nil {
		s.Log.Error("runner: the turn failed", "error", o.failure)
	}
	mirror, result := o.encode()
	s.out.line(mirror)
	s.out.line(result)
	s.turn = turn{}
}

// control does what a control line asks for. What the agent may take its time for does not hold up what comes next.
func (s *server) control(ctx context.Context, in incoming) {
	turn := s.turn.addressed
	if session := orEmpty(in.SessionID); session != "" && session != s.turn.session {
		turn = nil
	}
	obey := func() { s.out.line(in.obey(ctx, turn).encode()) }
	if in.Control.Type == controlSteer {
		go obey()
	} else {
		obey()
	}
}

// start answers a request in a goroutine of its own.
func (s *server) start(ctx context.Context, line incomingLine) {
	ctx, stop := context.WithCancel(ctx)
	silence := time.NewTimer(firstEventLimit)
	heard := func() { silence.Reset(idleLimit) }
	t := turn{&addressed{stop: stop, asker: newAsker(s.out, heard)}, orEmpty(line.SessionID), make(chan outcome, 1)}
	s.turn = t
	go func() {
		o := s.supervise(ctx, t.addressed, silence, line)
		stop()
		t.asker.close()
		o.session = t.session
		t.ended <- o
	}()
}

// supervise takes the turn, and ends it if its engine falls silent.
func (s *server) supervise(ctx context.Context, turn *addressed, silence *time.Timer, line incomingLine) outcome {
	answered := make(chan outcome, 1)
	go func() { answered <- s.answer(ctx, turn, line) }()
	select {
	case o := <-answered:
		return o
	case <-silence.C:
	}
	overdue := outcome{failure: agent.Errorf(agent.CodeRunTimeout, "The agent said nothing for too long, so its turn was ended.")}
	turn.stop()
	select {
	case <-answered:
	case <-time.After(agent.StopGrace):
		overdue.stuck = true
	}
	return overdue
}

// answer takes the turn. Neither a panic nor an engine that breaks its contract gets past it.
func (s *server) answer(ctx context.Context, turn *addressed, line incomingLine) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = outcome{failure: agent.AsError(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))}
		}
	}()
	var launch agent.Launch
	var prompt agent.Prompt
	err := line.err
	if err == nil {
		launch, prompt, err = line.decode()
	}
	if err == nil {
		launch, err = launch.Filled(prompt.Secrets)
	}
	if err == nil {
		prompt.Host = turn.asker
		o.finish, o.output, err = s.play(ctx, turn, launch, prompt)
	}
	if err != nil {
		return outcome{failure: agent.AsError(err)}
	}
	return o
}

// play lets the engine speak, and sends on what it says.
func (s *server) play(ctx context.Context, turn *addressed, launch agent.Launch, prompt agent.Prompt) (agent.Finish, string, error) {
	sandbox, err := s.sandbox(ctx, launch.Backend)
	if err != nil {
		return agent.Finish{}, "", err
	}
	for _, missing := range s.Servers.Start(ctx, s.Policy, launch.Servers) {
		if err := s.out.event(agent.Data{Name: "mcp", Data: plainJSON(missing)}); err != nil {
			return agent.Finish{}, "", err
		}
	}
	conn, err := sandbox.Open(ctx, launch)
	if err != nil {
		return agent.Finish{}, "", err
	}
	defer conn.Close()
	turn.open(ctx, conn)
	return relay(conn.Prompt(ctx, prompt), s.out, turn.asker.heard)
}

// relay sends on what is said in a turn, and calls heard each time. It gives the turn's end, and the answer's last text.
func relay(turn iter.Seq2[agent.Event, error], out *outbox, heard func()) (agent.Finish, string, error) {
	var output answerText
	for event, err := range turn {
		if err != nil {
			return agent.Finish{}, "", err
		}
		if finish, ok := event.(agent.Finish); ok {
			if !finish.StopReason.Valid() || finish.StopReason == agent.StopError {
				return agent.Finish{}, "", fmt.Errorf("the engine finished with the reason %q", finish.StopReason)
			}
			return finish, output.String(), nil
		}
		heard()
		output.add(event)
		if err := out.event(event); err != nil {
			return agent.Finish{}, "", err
		}
	}
	return agent.Finish{}, "", errors.New("the engine ended its turn without a Finish")
}

// sandbox gives the engine's one sandbox, made when first needed.
func (s *server) sandbox(ctx context.Context, name agent.BackendName) (agent.Sandbox, error) {
	if sandbox := s.sandboxes[name]; sandbox != nil {
		return sandbox, nil
	}
	engine, ok := s.Engines[name]
	if !ok {
		return nil, agent.Errorf(agent.CodeValidation, "The request cannot be run: this runner has no backend %q.", name)
	}
	sandbox, err := engine.NewSandbox(ctx, s.Policy)
	if err == nil {
		s.sandboxes[name] = sandbox
	}
	return sandbox, err
}

// answerText is the last block of text in a turn, or its beginning if it is very long.
type answerText struct{ strings.Builder }

func (a *answerText) add(e agent.Event) {
	switch e := e.(type) {
	case agent.MessageStart, agent.ToolCall:
		a.Reset()
	case agent.MessageWhole:
		a.Reset()
		a.append(e.Text)
	case agent.MessageDelta:
		a.append(e.Text)
	}
}

func (a *answerText) append(text string) {
	room := maxOutput - a.Len()
	a.WriteString(text[:min(len(text), room)])
}
