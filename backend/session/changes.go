package session

import (
	"context"
	"sync"

	"parley/backend/agent"
)

// Change says that something about a session is not as it was. Record is the lifecycle record that did it; it is the
// zero Record for what has no record: a new title, a draft, a deletion.
type Change struct {
	Key    agent.SessionKey
	Record agent.Record
}

// Event is what happened, or nil for what has no record.
func (c Change) Event() *Event {
	if c.Record.Event == nil {
		return nil
	}
	e := toEvent(c.Key.Session, "", c.Record)
	return &e
}

// changes hands every Change to every watcher. A watcher that does not read keeps a list of what it missed, never the
// publisher waiting; lifecycle changes are few.
type changes struct {
	mu       sync.Mutex
	watchers map[*Watcher]struct{}
	closed   bool
}

// Watcher receives the changes of one project's sessions. Close it.
type Watcher struct {
	from    *changes
	project agent.ProjectID
	added   chan struct{}

	mu      sync.Mutex
	waiting []Change
	closed  bool
}

// Watch begins to collect the changes of a project's sessions.
func (s *Sessions) Watch(project agent.ProjectID) *Watcher {
	w := &Watcher{from: &s.changes, project: project, added: make(chan struct{}, 1)}
	s.changes.mu.Lock()
	defer s.changes.mu.Unlock()
	if s.changes.watchers == nil {
		s.changes.watchers = map[*Watcher]struct{}{}
	}
	s.changes.watchers[w] = struct{}{}
	w.closed = s.changes.closed
	return w
}

// Next waits for changes and gives all that there are; none once the sessions were closed.
func (w *Watcher) Next(ctx context.Context) ([]Change, error) {
	for {
		w.mu.Lock()
		changes, closed := w.waiting, w.closed
		w.waiting = nil
		w.mu.Unlock()
		if len(changes) > 0 || closed {
			return changes, nil
		}
		select {
		case <-w.added:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the watching. It may be called twice.
func (w *Watcher) Close() {
	w.from.mu.Lock()
	defer w.from.mu.Unlock()
	delete(w.from.watchers, w)
}

func (c *changes) publish(change Change) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for w := range c.watchers {
		if w.project != change.Key.Project {
			continue
		}
		w.mu.Lock()
		w.waiting = append(w.waiting, change)
		w.mu.Unlock()
		signal(w.added)
	}
}

func (c *changes) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for w := range c.watchers {
		w.mu.Lock()
		w.closed = true
		w.mu.Unlock()
		signal(w.added)
	}
}
