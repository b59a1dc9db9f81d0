package session

import (
	"sync"
	"time"

	"parley/backend/agent"
)

// batchLimit is how many events may wait to be stored before the agent has to wait too.
const batchLimit = 8192

// batch is what an agent has said and nobody has stored yet. One goroutine adds, another takes.
type batch struct {
	mu     sync.Mutex
	events []agent.Event
	urgent bool // something other than a delta waits
	end    *ending
	closed bool
	added  chan struct{} // gets a token when take should look again
	taken  chan struct{} // gets a token when add should look again
	last   time.Time     // of the last take that gave deltas only
}

// ending is how a prompt ended: exactly one of the two.
type ending struct {
	finish agent.Finish
	err    error
}

func newBatch() *batch {
	return &batch{added: make(chan struct{}, 1), taken: make(chan struct{}, 1)}
}

// add puts in what a Conn yielded and reports whether more is wanted. It waits while too much is waiting. What comes
// after the ending is not taken.
func (b *batch) add(event agent.Event, err error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.events) >= batchLimit && !b.closed {
		b.mu.Unlock()
		<-b.taken
		b.mu.Lock()
	}
	if b.closed || b.end != nil {
		return false
	}
	switch e := event.(type) {
	case agent.Finish:
		b.end = &ending{finish: e}
	case nil:
		b.end = &ending{err: err}
	case agent.MessageDelta, agent.ThoughtDelta:
		b.events = append(b.events, e)
	default:
		b.events = append(b.events, e)
		b.urgent = true
	}
	signal(b.added)
	return b.end == nil
}

// take waits for events and gives all that there are. Deltas that follow deltas within the window wait for it to pass, so
// that they are stored together; everything else goes at once, the first delta after it too. With the last events it gives
// the ending.
func (b *batch) take(window time.Duration) ([]agent.Event, *ending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var rest *time.Timer
	for !b.urgent && b.end == nil && len(b.events) < batchLimit {
		if len(b.events) > 0 {
			wait := window - time.Since(b.last)
			if wait <= 0 {
				break
			}
			if rest == nil {
				rest = time.AfterFunc(wait, func() { signal(b.added) })
				defer rest.Stop()
			}
		}
		b.mu.Unlock()
		<-b.added
		b.mu.Lock()
	}
	events := b.events
	if b.last = time.Now(); b.urgent {
		b.last = time.Time{}
	}
	b.events, b.urgent = nil, false
	signal(b.taken)
	return events, b.end
}

// close tells the adder that nobody takes any more.
func (b *batch) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	signal(b.taken)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
