package session

import (
	"context"
	"errors"
	"slices"

	"parley/backend/agent"
	"parley/backend/store"
)

// Choose shows the branch that goes through a message, to its end.
func (s *Sessions) Choose(ctx context.Context, key agent.SessionKey, message agent.MessageID) error {
	session, err := s.Store.Session(ctx, key)
	if err != nil {
		return err
	}
	t, err := s.begin(key)
	if err != nil {
		return err
	}
	defer s.end(t)
	if session.Status == store.Paused {
		return ErrBusy
	}
	turn, err := s.turnOf(ctx, session, message)
	if err != nil {
		return err
	}
	return s.show(ctx, key, turn)
}

// show makes the branch that goes through a turn the one that is shown.
func (s *Sessions) show(ctx context.Context, key agent.SessionKey, turn store.Turn) error {
	leaf, err := s.Store.Leaf(ctx, turn.ID)
	if err != nil {
		return err
	}
	if err := s.Store.ChooseHead(ctx, key, leaf); err != nil {
		return err
	}
	s.changes.publish(Change{Key: key})
	return nil
}

// head gives the last turn of the branch that is shown, or store.ErrNotFound if nothing was sent yet.
func (s *Sessions) head(ctx context.Context, session store.Session) (store.Turn, error) {
	turns, err := s.Store.Branch(ctx, session.Head, 1)
	if err != nil {
		return store.Turn{}, err
	}
	if len(turns) == 0 {
		return store.Turn{}, store.ErrNotFound
	}
	return turns[0], nil
}

// Fork copies the branch that is shown, up to the turn of a message (all of it if that is empty), into a new session. That
// has the agent named, as the overlay wants it; its own if none is.
func (s *Sessions) Fork(ctx context.Context, key agent.SessionKey, message agent.MessageID, agentID string, overlay agent.Overlay) (agent.SessionKey, error) {
	session, err := s.Store.Session(ctx, key)
	if err != nil {
		return agent.SessionKey{}, err
	}
	wanted, err := s.wanted(ctx, session, agentID, overlay)
	if err != nil {
		return agent.SessionKey{}, err
	}
	if _, err := s.Harness(wanted.Harness); err != nil {
		return agent.SessionKey{}, err
	}
	head := session.Head
	if message != "" {
		turn, err := s.turnOf(ctx, session, message)
		if err != nil {
			return agent.SessionKey{}, err
		}
		head = turn.ID
	}
	if head == "" {
		return agent.SessionKey{}, agent.Errorf(agent.CodeValidation, "There is nothing in this session to copy yet.")
	}
	to := agent.SessionKey{Project: key.Project, Session: agent.NewSessionID()}
	if err := s.Store.Fork(ctx, key, head, to.Session, wanted); err != nil {
		return agent.SessionKey{}, err
	}
	s.changes.publish(Change{Key: to})
	return to, nil
}

// turnOf gives the turn of a message, which is its answer, or what a person said under that id: then the turn in the branch
// that is shown, or else the newest. It is store.ErrNotFound if there is no such message.
func (s *Sessions) turnOf(ctx context.Context, session store.Session, message agent.MessageID) (store.Turn, error) {
	turn, err := s.Store.Turn(ctx, session.Key, message)
	if !errors.Is(err, store.ErrNotFound) {
		return turn, err
	}
	editions, err := s.Store.Editions(ctx, session.Key, message)
	if err != nil {
		return store.Turn{}, err
	}
	var turns []store.Turn
	for _, m := range editions {
		of, err := s.Store.TurnsFor(ctx, session.Key, m.ID)
		if err != nil {
			return store.Turn{}, err
		}
		turns = append(turns, of...)
	}
	if len(turns) == 0 {
		return store.Turn{}, store.ErrNotFound
	}
	if len(turns) > 1 {
		path, err := s.Store.Path(ctx, session.Head)
		if err != nil {
			return store.Turn{}, err
		}
		if i := slices.IndexFunc(turns, func(t store.Turn) bool { return slices.Contains(path, t.ID) }); i >= 0 {
			return turns[i], nil
		}
	}
	return turns[len(turns)-1], nil
}

// place is where a turn goes: after which other one, and what it answers.
type place struct {
	parent agent.TurnID
	asked  agent.Message
}

// place finds where the turn of a request goes: at the end of the branch that is shown; or beside the one whose answer is
// written anew, or whose message is replaced.
func (s *Sessions) place(ctx context.Context, session store.Session, r Request) (place, error) {
	if r.Regenerate {
		last, err := s.again(ctx, session, r.Answer)
		if err != nil {
			return place{}, err
		}
		asked, err := s.Store.Message(ctx, session.Key, last.UserMessage)
		return place{last.Parent, asked}, err
	}
	user := r.User
	if user.ID == "" {
		user.ID = agent.NewMessageID()
	}
	replaced := r.Edits
	if replaced == "" {
		replaced = user.ID
	}
	turn, err := s.turnOf(ctx, session, replaced)
	if errors.Is(err, store.ErrNotFound) && r.Edits == "" {
		return place{session.Head, user}, nil
	}
	if errors.Is(err, store.ErrNotFound) {
		return place{}, agent.Errorf(agent.CodeValidation, "There is no message %s to edit in this session.", r.Edits)
	}
	if err != nil {
		return place{}, err
	}
	if turn.Message == replaced {
		return place{}, agent.Errorf(agent.CodeValidation, "The message %s is an answer. Only what a person said can be edited.", replaced)
	}
	editions, err := s.Store.Editions(ctx, session.Key, user.ID)
	if err != nil {
		return place{}, err
	}
	if n := len(editions); n > 0 { // not all of them need be here: a fork has those of its branch
		user.ID = user.ID.Edit(editions[n-1].ID.Edition() + 1)
	}
	return place{turn.Parent, user}, nil
}

// again gives the turn whose answer is to be written anew: that of a message, or the last one.
func (s *Sessions) again(ctx context.Context, session store.Session, message agent.MessageID) (store.Turn, error) {
	if message != "" {
		turn, err := s.turnOf(ctx, session, message)
		if errors.Is(err, store.ErrNotFound) {
			err = agent.Errorf(agent.CodeValidation, "There is no message %s to answer again in this session.", message)
		}
		return turn, err
	}
	head, err := s.head(ctx, session)
	if errors.Is(err, store.ErrNotFound) {
		err = agent.Errorf(agent.CodeValidation, "There is nothing to answer again in this session yet.")
	}
	return head, err
}
