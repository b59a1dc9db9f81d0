package session

import (
	"context"
	"errors"
	"slices"

	"parley/backend/agent"
	"parley/backend/store"
)

// Enqueue stores a message that is sent when the running or paused turn is done; at once if there is none, and then its turn
// is given. A session that does not exist is made.
func (s *Sessions) Enqueue(ctx context.Context, r Request) (store.Queued, *Turn, error) {
	standing, err := s.Standing(ctx, r.Key)
	if err != nil {
		return store.Queued{}, nil, err
	}
	if standing.Turn == "" {
		t, err := s.Send(ctx, r)
		if !errors.Is(err, ErrBusy) {
			return store.Queued{}, t, err
		}
	}
	if r.Regenerate || r.Edits != "" {
		return store.Queued{}, nil, agent.Errorf(agent.CodeValidation, "Only a new message can wait for the running turn.")
	}
	if err := refuseSecrets(r.User); err != nil {
		return store.Queued{}, nil, err
	}
	if err := s.lookUpMedia(ctx, r.Key.Project, &r.User); err != nil {
		return store.Queued{}, nil, err
	}
	if r.User.ID == "" {
		r.User.ID = agent.NewMessageID()
	}
	session, err := s.Store.Session(ctx, r.Key)
	if err != nil {
		return store.Queued{}, nil, err
	}
	if t, err := s.known(ctx, session, r.User); t != nil || err != nil {
		return store.Queued{}, t, err
	}
	if t, err := s.hearer(ctx, r.Key, r.User.ID); t != nil || err != nil {
		return store.Queued{}, t, err
	}
	queued, err := s.Store.Enqueue(ctx, r.Key, r.User, r.Media)
	if err != nil {
		return store.Queued{}, nil, err
	}
	s.changes.publish(Change{Key: r.Key})
	// The turn may have been done before it knew that something waits.
	if _, busy := s.Running(r.Key); !busy {
		s.goOn(context.WithoutCancel(ctx), r.Key)
	}
	return queued, nil, nil
}

// ChangeQueued gives a message that waits another text; its files stay.
func (s *Sessions) ChangeQueued(ctx context.Context, key agent.SessionKey, number int64, text string) error {
	q, err := s.queued(ctx, key, number)
	if err == nil {
		err = s.changeable(q, key)
	}
	if err != nil {
		return err
	}
	files := slices.DeleteFunc(slices.Clone(q.Message.Parts), func(p agent.Part) bool { _, isText := p.(agent.TextPart); return isText })
	parts := append(files, agent.TextPart{Text: text})
	if err := refuseSecrets(agent.Message{Parts: parts}); err != nil {
		return err
	}
	if err := s.Store.ChangeQueued(ctx, key, number, parts); err != nil {
		return err
	}
	s.changes.publish(Change{Key: key})
	return nil
}

// Unqueue removes a message that waits.
func (s *Sessions) Unqueue(ctx context.Context, key agent.SessionKey, number int64) error {
	q, err := s.queued(ctx, key, number)
	if err == nil {
		err = s.changeable(q, key)
	}
	if err == nil {
		err = s.Store.Unqueue(ctx, key, number)
	}
	if err != nil {
		return err
	}
	s.changes.publish(Change{Key: key})
	return nil
}

// queued gives a message that waits: the first one if number is 0.
func (s *Sessions) queued(ctx context.Context, key agent.SessionKey, number int64) (store.Queued, error) {
	queue, err := s.Store.Queue(ctx, key)
	if err != nil {
		return store.Queued{}, err
	}
	i := slices.IndexFunc(queue, func(q store.Queued) bool { return number == 0 || q.Number == number })
	if i < 0 {
		return store.Queued{}, store.ErrNotFound
	}
	return queue[i], nil
}

// Await gives the turn that answers a message which waits, once it begins, or that was told it in its middle. It is store.ErrNotFound if the message was
// removed.
func (s *Sessions) Await(ctx context.Context, key agent.SessionKey, message agent.MessageID) (*Turn, error) {
	watcher := s.Watch(key.Project)
	defer watcher.Close()
	for {
		// In this order: what begins between the two looks is not taken for removed.
		queue, err := s.Store.Queue(ctx, key)
		if err != nil {
			return nil, err
		}
		if t, err := s.hearer(ctx, key, message); t != nil || err != nil {
			return t, err
		}
		if !slices.ContainsFunc(queue, func(q store.Queued) bool { return q.Message.ID == message }) {
			return nil, store.ErrNotFound
		}
		changes, err := watcher.Next(ctx)
		if err == nil && len(changes) == 0 {
			err = agent.Errorf(agent.CodeCancelled, "Parley is closing. The message waits.")
		}
		if err != nil {
			return nil, err
		}
	}
}

// SendNow tells a message that waits, the first one if number is 0, to the agent in the middle of its turn, and gives that turn.
// If it does not take any, what runs is stopped, what was said is kept, and the message is sent. It is store.ErrNotFound if
// there is none.
func (s *Sessions) SendNow(ctx context.Context, key agent.SessionKey, number int64) (*Turn, error) {
	q, err := s.queued(ctx, key, number)
	if err != nil {
		return nil, err
	}
	if t, ok := s.Running(key); ok {
		if taken, err := s.steer(ctx, t, q.Message); taken || err != nil {
			return t, err
		}
	}
	if _, err := s.Stop(ctx, key); err != nil {
		return nil, err
	}
	t, err := s.sendQueued(ctx, key, q)
	if errors.Is(err, store.ErrNotFound) {
		if heard, lost := s.hearer(ctx, key, q.Message.ID); heard != nil || lost != nil {
			return heard, lost
		}
	}
	return t, err
}

func (s *Sessions) sendQueued(ctx context.Context, key agent.SessionKey, q store.Queued) (*Turn, error) {
	t, err := s.begin(key)
	if err != nil {
		return nil, err
	}
	if err := s.start(context.WithoutCancel(ctx), t, Request{Key: key, User: q.Message, queued: q.Number}); err != nil {
		s.end(t)
		return nil, err
	}
	return t, nil
}

// goOn sends the first message that waits, if the last turn was done: after a failure, a stop or a restart a person decides.
func (s *Sessions) goOn(ctx context.Context, key agent.SessionKey) {
	session, err := s.Store.Session(ctx, key)
	if err != nil || session.Status != store.Idle {
		return
	}
	head, err := s.head(ctx, session)
	if err != nil || head.StopReason == agent.StopError || head.StopReason == agent.StopCancelled {
		return
	}
	q, err := s.queued(ctx, key, 0)
	if err != nil {
		return
	}
	if _, err := s.sendQueued(ctx, key, q); err != nil && !errors.Is(err, ErrBusy) && !errors.Is(err, store.ErrNotFound) {
		s.Log.Warn("a message that waited could not be sent", "session", key.Session, "error", err)
	}
}
