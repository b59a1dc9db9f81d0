package program

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

// Line is the connection to a program: lines in, lines out. Next is for one goroutine, Send for any.
type Line struct {
	want   chan struct{} // the next line is asked for
	asked  bool          // and has not come
	lines  chan []byte
	ended  chan struct{} // closed when none comes any more; then err is set
	err    *agent.Error
	closed chan struct{}
	stop   chan struct{}
	steer  chan agent.Steering
	late   atomic.Int64 // lines that were let go

	stopping bool // the turn is told to stop: it is told nothing else

	mu  sync.Mutex
	out io.Writer
}

// NewLine connects to a program by its stdout and stdin. A goroutine reads in until that ends, or Close. explain says why it
// has ended.
func NewLine(in io.Reader, out io.Writer, explain func(error) *agent.Error) *Line {
	l := &Line{
		want: make(chan struct{}), lines: make(chan []byte), ended: make(chan struct{}), closed: make(chan struct{}),
		stop: make(chan struct{}, 1), steer: make(chan agent.Steering), out: out,
	}
	go func() {
		l.err = explain(l.read(process.NewLines(in)))
		close(l.ended)
	}()
	return l
}

// read reads one line each time that one is wanted, so that the one before may be looked at until then.
func (l *Line) read(lines process.Lines) error {
	for {
		select {
		case <-l.want:
		case <-l.closed:
			return io.EOF
		}
		line, err := lines.Next()
		if err != nil {
			return err
		}
		select {
		case l.lines <- line:
		case <-l.closed:
			return io.EOF
		}
	}
}

// Incoming is what comes next: one of its fields is set.
type Incoming struct {
	Data []byte // a line of the program; valid until the next call of Next
	Stop bool   // the person stops the turn; said once. The program is to be told, and the turn goes on to its end
	// Steer is what the person says in the middle of the turn; only if Opened.Steers. Once the model is told, and only
	// then, the speaker says agent.Steered.
	Steer *agent.Steering
}

// Next waits for what comes next. The error says that the program is gone, and why.
func (l *Line) Next() (Incoming, error) { return l.next(nil) }

// NextWithin is Next for a program that owes an answer: it is an error if nothing comes for that long.
func (l *Line) NextWithin(limit time.Duration) (Incoming, error) {
	overdue := time.NewTimer(limit)
	defer overdue.Stop()
	return l.next(overdue.C)
}

func (l *Line) next(overdue <-chan time.Time) (Incoming, error) {
	want, steer := l.want, l.steer
	if l.stopping {
		steer = nil
	}
	for {
		if l.asked {
			want = nil
		}
		select {
		case <-l.stop:
			l.stopping = true
			return Incoming{Stop: true}, nil
		case <-overdue:
			return Incoming{}, agent.Errorf(agent.CodeRunTimeout, "The agent does not say what became of the message that it was sent in the middle of its answer. The message waits; send it again.")
		case said := <-steer:
			return Incoming{Steer: &said}, nil
		case want <- struct{}{}:
			l.asked = true
		case line := <-l.lines:
			l.asked = false
			return Incoming{Data: line}, nil
		case <-l.ended:
			return Incoming{}, l.err
		}
	}
}

// Send writes v as one line.
func (l *Line) Send(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.out.Write(append(b, '\n')); err != nil {
		return agent.Wrap(agent.CodeSandbox, err, "The agent's program does not take what it is sent.")
	}
	return nil
}

// Stop lets Next say that the person stops the turn.
func (l *Line) Stop() {
	select {
	case l.stop <- struct{}{}:
	default: // it was said already, and not heard yet
	}
}

// unstop forgets a stop of a turn that ended before it heard of it.
func (l *Line) unstop() {
	select {
	case <-l.stop:
	default:
	}
}

// drop lets go what the program says between turns, until it is told to end, which waits.
func (l *Line) drop() (end func()) {
	until, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		l.stopping = false
		for {
			want := l.want
			if l.asked {
				want = nil
			}
			select {
			case want <- struct{}{}:
				l.asked = true
			case <-l.lines:
				l.asked = false
				l.late.Add(1)
			case <-l.ended:
				return
			case <-until:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(until)
		<-done
	})
}

// Close ends the goroutine that reads.
func (l *Line) Close() { close(l.closed) }

// Steer lets Next say what the person says in the middle of the turn. It waits until it does, or it is too late for that.
func (l *Line) Steer(ctx context.Context, said agent.Steering, late <-chan struct{}) bool {
	select {
	case l.steer <- said:
		return true
	case <-late:
	case <-ctx.Done():
	}
	return false
}
