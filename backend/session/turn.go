package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"parley/backend/agent"
	"parley/backend/store"
)

// Turn is one turn as its watchers see it. Each reads at its own pace from the one copy of the log that the turn keeps
// while it runs, so a slow watcher, or one that went away, costs nobody anything.
type Turn struct {
	Key     agent.SessionKey
	ID      agent.TurnID
	Message agent.MessageID // of the answer
	From    int             // how many records there were before what runs now: more than 0 for a turn that was paused

	ctx     context.Context // ends when the person stops the turn
	stop    context.CancelFunc
	started chan struct{} // closed once the first record is stored, or the turn could not start
	settled chan struct{} // closed once the session is free again
	stopped Stopped       // set before settled is closed
	paused  bool          // likewise: it waits for answers

	binding sync.Mutex // one change of the mode at a time

	mu      sync.Mutex
	conn    agent.Conn // nil while the agent cannot be told anything
	host    *host      // of what is given secrets; nil until the agent is opened
	began   agent.Mode // in which the agent was opened
	wanted  agent.Mode // that was chosen since; empty if none was
	keeps   bool       // the mode that is wanted does not hold for this turn, or not whole
	records []agent.Record
	done    bool
	err     error
	more    chan struct{} // closed, and replaced, when records, done or err change
}

func newTurn(key agent.SessionKey) *Turn {
	t := &Turn{
		Key: key, ID: agent.NewTurnID(), Message: agent.NewMessageID(),
		started: make(chan struct{}), settled: make(chan struct{}), more: make(chan struct{}), stopped: WasIdle,
	}
	t.ctx, t.stop = context.WithCancel(context.Background())
	return t
}

// finished is a turn from the store. Nothing more happens in it, also if its log has no end: whoever reads the log of a
// turn between its last event and its settling gets what there is.
func finished(key agent.SessionKey, records []agent.Record) (*Turn, error) {
	t := newTurn(key)
	if err := t.take(records); err != nil {
		return nil, err
	}
	t.end()
	return t, nil
}

// take makes t the turn whose log is in records.
func (t *Turn) take(records []agent.Record) error {
	if len(records) == 0 {
		return store.ErrNotFound
	}
	started, ok := records[0].Event.(agent.TurnStarted)
	if !ok {
		return fmt.Errorf("the log of the turn %s begins with %T", records[0].Turn, records[0].Event)
	}
	t.ID, t.Message, t.From = started.Turn, started.Message, afterPause(records)
	t.publish(records)
	return nil
}

// afterPause is where the records begin that followed on the last pause; 0 if nothing did.
func afterPause(records []agent.Record) int {
	for i, r := range slices.Backward(records) {
		if _, paused := r.Event.(agent.TurnPaused); paused && i+1 < len(records) {
			return i + 1
		}
	}
	return 0
}

// Records gives the records from the n-th on, waiting until there is one. After the last it gives none and no error.
// An error other than ctx's means that the turn could not be stored to its end; its log is closed at the next start.
func (t *Turn) Records(ctx context.Context, n int) ([]agent.Record, error) {
	for {
		t.mu.Lock()
		records, done, err, more := t.records, t.done, t.err, t.more
		t.mu.Unlock()
		if len(records) > n {
			return records[n:], nil
		}
		if done {
			return nil, err
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// publish shows stored records to whoever watches.
func (t *Turn) publish(records []agent.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.records) == 0 {
		close(t.started)
	}
	t.records = append(t.records, records...)
	close(t.more)
	t.more = make(chan struct{})
}

// fail ends the turn for its watchers with what could not be stored.
func (t *Turn) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
}

// end tells the watchers that nothing follows.
func (t *Turn) end() {
	t.stop()
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.records) == 0 {
		close(t.started)
	}
	t.done = true
	close(t.more)
	t.more = make(chan struct{})
	close(t.settled)
}

func (t *Turn) failedToStart() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.records) == 0
}

// reaches waits until the turn has the record with number seq, or is over.
func (t *Turn) reaches(ctx context.Context, seq int64) error {
	for n := 0; ; {
		records, err := t.Records(ctx, n)
		if err != nil || len(records) == 0 || records[len(records)-1].Seq >= seq {
			return err
		}
		n += len(records)
	}
}

// inputs are what the request gave for the agent's instructions.
func (t *Turn) inputs() json.RawMessage {
	started, _ := t.records[0].Event.(agent.TurnStarted)
	return started.Inputs
}
