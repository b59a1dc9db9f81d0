package session

import (
	"context"
	"errors"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
)

// takeLimit is how long an agent may take to take what it is told in the middle of its turn.
const takeLimit = 5 * time.Second

// Waiting is a message in the queue. One that was given to the agent, in the middle of its turn, waits for it to be heard: it
// leaves the queue when it is, and if it is not by the end of the turn it goes as any other.
type Waiting struct {
	store.Queued
	Given bool
}

// Queue gives what waits in a session, in the order in which it will be sent.
func (s *Sessions) Queue(ctx context.Context, key agent.SessionKey) ([]Waiting, error) {
	queue, err := s.Store.Queue(ctx, key)
	list := make([]Waiting, len(queue))
	for i, q := range queue {
		_, given := s.wasGiven(key, q.Message.ID)
		list[i] = Waiting{q, given}
	}
	return list, err
}

// steer gives a message that waits to the agent in the middle of the turn, and reports whether it took it. Files it does not
// take, nor a message whose id is another's: both would be refused, or fail, later.
func (s *Sessions) steer(ctx context.Context, t *Turn, m agent.Message) (bool, error) {
	conn, ok := t.listener().(agent.Steerer)
	if !ok || len(m.Parts) != 1 {
		return false, nil
	}
	text, ok := m.Parts[0].(agent.TextPart)
	if !ok {
		return false, nil
	}
	if _, err := s.Store.Message(ctx, t.Key, m.ID); !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	if !s.give(t.Key, m.ID, text.Text) {
		return true, nil
	}
	s.changes.publish(Change{Key: t.Key})
	ctx, cancel := context.WithTimeout(ctx, takeLimit)
	defer cancel()
	return conn.Steer(ctx, agent.Steering{Message: m.ID, Text: text.Text}), nil
}

// give notes that a message is the agent's to hear, and reports whether it was not before. From then on it stays as it is: nobody
// knows when it is heard.
func (s *Sessions) give(key agent.SessionKey, id agent.MessageID, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, given := s.given[key][id]; given {
		return false
	}
	if s.given[key] == nil {
		s.given[key] = map[agent.MessageID]string{}
	}
	s.given[key][id] = text
	return true
}

func (s *Sessions) wasGiven(key agent.SessionKey, id agent.MessageID) (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok = s.given[key][id]
	return text, ok
}

// takeBack gives what the agent of a turn that is over has not heard back to the person, and shows that.
func (s *Sessions) takeBack(key agent.SessionKey) {
	s.mu.Lock()
	given := len(s.given[key]) > 0
	delete(s.given, key)
	s.mu.Unlock()
	if given {
		s.changes.publish(Change{Key: key})
	}
}

// changeable refuses to change what the agent may hear at any moment.
func (s *Sessions) changeable(q store.Queued, key agent.SessionKey) error {
	if _, given := s.wasGiven(key, q.Message.ID); given {
		return agent.Errorf(agent.CodeValidation, "The agent was given this message already, so it stays as it is. Stop the agent to change it.")
	}
	return nil
}

// hearer gives the turn that answers a message, or was told it in its middle; nil if there is none.
func (s *Sessions) hearer(ctx context.Context, key agent.SessionKey, message agent.MessageID) (*Turn, error) {
	turns, err := s.Store.TurnsFor(ctx, key, message)
	if err != nil {
		return nil, err
	}
	if len(turns) > 0 {
		return s.replay(ctx, key, turns[0].ID)
	}
	standing, err := s.Standing(ctx, key) // what was told stands in the log only, until the turn is over
	if err != nil || standing.Turn == "" {
		return nil, err
	}
	t, err := s.replay(ctx, key, standing.Turn)
	if err != nil || !t.heard(message) {
		return nil, err
	}
	return t, nil
}

// heard reports whether the agent was told a message in the middle of the turn.
func (t *Turn) heard(message agent.MessageID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.records {
		if said, ok := r.Event.(agent.Steered); ok && said.Message == message {
			return true
		}
	}
	return false
}

// listen lets the agent be told things in the middle of the turn, for as long as conn has it.
func (t *Turn) listen(conn agent.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.conn = conn
}

func (t *Turn) listener() agent.Conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.conn
}
