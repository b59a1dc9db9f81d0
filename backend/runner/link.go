package runner

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/agent"
	"parley/backend/mcp"
	"parley/backend/process"
)

// link is the app's end of a runner, whether that is a process of its own or far away. The runner takes one turn at a time,
// whichever conn asks.
type link struct {
	log      *slog.Logger
	limits   limits
	begin    chan *exchange           // gets each turn
	exchange atomic.Pointer[exchange] // nil between turns
	acks     sync.Map                 // gets the answer to each control that waits for one: a chan ack, by id
	closed   atomic.Bool              // by Close
	silent   atomic.Bool              // for so long that it was killed

	report func(mcp.Report) // is told of MCP servers

	kill  func()          // ends the runner and all that it started, and returns when they are gone
	gone  <-chan struct{} // closed once they are
	dead  chan struct{}   // closed once every record was delivered and cause is set
	cause *agent.Error

	// Of whoever hears the runner.
	dropped int // since the last result
	last    string
}

type limits struct {
	hello   time.Duration // until a runner said hello
	silence time.Duration // without any line, heartbeats included
	stop    time.Duration // until a stop is confirmed
}

// exchange is the app's end of a turn.
type exchange struct {
	key      agent.SessionKey
	turn     agent.TurnID
	prompt   agent.Prompt
	request  []byte        // a line; set before the turn begins
	controls chan []byte   // lines that follow it
	conn     *conn         // that asked
	records  chan record   // events and asks, then how the turn ended; unbuffered, so none is left when dead is closed
	over     chan struct{} // closed once nobody receives records any more
}

// Open makes a conn. The runner hears of it with its first turn.
func (l *link) Open(_ context.Context, launch agent.Launch) (agent.Conn, error) {
	if !supports(launch.Backend, launch.Harness) {
		return nil, agent.Errorf(agent.CodeValidation, "The backend %q cannot run the harness %q.", launch.Backend, launch.Harness)
	}
	select {
	case <-l.gone:
	default:
		if !l.closed.Load() {
			return &conn{runner: l, launch: launch, permits: launch.Permits(), closed: make(chan struct{})}, nil
		}
	}
	return nil, agent.Errorf(agent.CodeSandbox, "The agent's process is gone; nothing can be asked of it.")
}

// Done is closed once the runner and all that it started are gone.
func (l *link) Done() <-chan struct{} { return l.gone }

// hear hands the next record to the turn that runs, and reports whether it was the turn's last. After an error the runner
// cannot be followed any further.
func (l *link) hear(lines process.Lines) (ended bool, err error) {
	line, err := lines.Next()
	if err != nil {
		return false, err
	}
	r, err := decodeRecord(line)
	if err != nil {
		return false, err
	}
	if r.ended != nil && l.dropped > 0 {
		l.log.Warn("runner: records were dropped; it is of another version, or defective", "count", l.dropped, "last", l.last)
		l.dropped = 0
	}
	if r.ack != nil {
		l.acknowledge(*r.ack)
	}
	if r.server != nil {
		l.report(*r.server)
	}
	if r.dropped == "" && (r.event != nil || r.ended != nil || r.ask != nil) && !l.deliver(r) {
		r.dropped = "outside of a turn"
	}
	if r.dropped != "" {
		l.dropped++
		l.last = r.dropped
	}
	return r.ended != nil, nil
}

// acknowledge tells whoever waits for it what became of a control.
func (l *link) acknowledge(a ack) {
	if waiting, ok := l.acks.LoadAndDelete(a.ID); ok {
		waiting.(chan ack) <- a
	}
}

// deliver waits for the turn to take r: a consumer that is slow slows the runner down. It reports whether there is a turn
// that r can belong to.
func (l *link) deliver(r record) bool {
	x := l.exchange.Load()
	if x == nil {
		return false
	}
	select {
	case x.records <- r:
	case <-x.over:
	}
	return true
}

// explain gives the reason for the end of the runner as one that a person may see: otherwise, if nothing better is known.
func (l *link) explain(err error, otherwise string) *agent.Error {
	var known *agent.Error
	switch {
	case l.closed.Load():
		return agent.Wrap(agent.CodeSandbox, err, "The agent's process was closed before its answer was complete.")
	case l.silent.Load():
		return agent.Wrap(agent.CodeRunTimeout, err, "The agent's process gave no sign of life, so it was ended.")
	case errors.As(err, &known):
		return agent.Wrap(known.Code, err, known.Message)
	case errors.Is(err, process.ErrLongLine):
		return agent.Wrap(agent.CodeSandbox, err, "The agent's process wrote more at once than can be read, so it was ended.")
	}
	return agent.Wrap(agent.CodeSandbox, err, otherwise)
}

// watched stops a clock while nobody waits for the reader: a slow consumer must not look like a silent runner.
type watched struct {
	io.Reader
	silence *time.Timer
	limit   time.Duration
}

func (w watched) Read(b []byte) (int, error) {
	w.silence.Reset(w.limit)
	defer w.silence.Stop()
	return w.Reader.Read(b)
}
