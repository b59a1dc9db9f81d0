package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/uistream"
)

// LoadRequest asks for a session's messages.
type LoadRequest struct {
	SessionID agent.SessionID `json:"session_id"`
}

// LoadedSession is a session as useChat takes it. Earlier, if any, is what to give as before for the messages that come
// before these, and Later what to give as after for those that follow.
type LoadedSession struct {
	SessionID agent.SessionID   `json:"session_id"`
	Messages  []json.RawMessage `json:"messages"`
	Earlier   agent.MessageID   `json:"earlier,omitempty"`
	Later     agent.MessageID   `json:"later,omitempty"`

	Pending  []Question                            `json:"pending"`  // what the session waits for
	Queue    []Queued                              `json:"queue"`    // what waits for the session
	Branches map[agent.MessageID][]agent.MessageID `json:"branches"` // of each answer that was given in several ways: all of them, oldest first
}

// loadSession gives the messages of the branch that is shown: all of them, or about the limit ones before, after or around
// a message. As a stream it gives the chunks that they were made of.
func (d inside) loadSession(w http.ResponseWriter, r *http.Request) error {
	as, err := chooseForm(r, asJSON)
	if err != nil {
		return err
	}
	var req LoadRequest
	if err := decode(r, &req); err != nil {
		return err
	}
	s, err := d.stretch(r, agent.SessionKey{Project: d.project, Session: req.SessionID})
	if err != nil {
		return err
	}
	if as == asStream {
		return d.replay(w, r, s)
	}
	out, err := d.loaded(r.Context(), s)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// stretch is a part of the branch that is shown.
type stretch struct {
	key            agent.SessionKey
	turns          []store.Turn
	half           bool // of the last turn only the question
	earlier, later agent.MessageID
}

func (d inside) stretch(r *http.Request, key agent.SessionKey) (out stretch, err error) {
	out.key = key
	if err := key.Session.Validate(); err != nil {
		return out, err
	}
	limit, err := number(r, "limit", 1<<30, 1, 1<<30)
	if err != nil {
		return out, err
	}
	s, err := d.Store.Session(r.Context(), key)
	if err != nil {
		return out, err
	}
	end, most, later := s.Head, (limit+1)/2, false
	query := r.URL.Query()
	switch around, after := query.Get("around"), query.Get("after"); {
	case query.Has("before"):
		end, out.half, err = d.endBefore(r.Context(), key, agent.MessageID(query.Get("before")))
	case around != "":
		end, most, later, err = d.windowAt(r.Context(), s, agent.MessageID(around), most/2, most)
	case after != "":
		end, most, later, err = d.windowAt(r.Context(), s, agent.MessageID(after), -1, most)
	}
	if err != nil {
		return out, err
	}
	out.turns, err = d.Store.Branch(r.Context(), end, most)
	if err != nil || len(out.turns) == 0 {
		return out, err
	}
	if later {
		out.later = out.turns[len(out.turns)-1].Message
	}
	if first := out.turns[0]; first.Parent != "" {
		out.earlier = first.UserMessage
	}
	return out, nil
}

// loaded is a stretch as messages, with what else a page shows of its session.
func (d inside) loaded(ctx context.Context, s stretch) (LoadedSession, error) {
	out := LoadedSession{
		SessionID: s.key.Session, Messages: []json.RawMessage{}, Earlier: s.earlier, Later: s.later,
		Branches: map[agent.MessageID][]agent.MessageID{},
	}
	for i, turn := range s.turns {
		question, answer, err := d.view(ctx, s.key, turn)
		if err != nil {
			return out, err
		}
		out.Messages = append(out.Messages, question)
		if s.half && i == len(s.turns)-1 {
			break
		}
		out.Messages = append(out.Messages, answer)
		siblings, err := d.Store.Siblings(ctx, turn)
		if err != nil {
			return out, err
		}
		for _, sibling := range siblings {
			if len(siblings) > 1 {
				out.Branches[turn.Message] = append(out.Branches[turn.Message], sibling.Message)
			}
		}
	}
	standing, err := d.Sessions.Standing(ctx, s.key)
	if err != nil {
		return out, err
	}
	out.Pending = toQuestions(standing.Open)
	out.Queue, err = d.queue(ctx, s.key)
	return out, err
}

// replay writes a stretch as one stream: for each turn what the person said, then the chunks of the answer.
func (d inside) replay(w http.ResponseWriter, r *http.Request, s stretch) error {
	out, framer := startStream(w, r, -1)
	var buffer []byte
	for i, turn := range s.turns {
		user, records, err := d.said(r.Context(), s.key, turn)
		if err != nil {
			return err
		}
		question, err := uistream.UserChunk(user)
		if err != nil {
			return err
		}
		chunks := []uistream.Chunk{question}
		if !s.half || i < len(s.turns)-1 {
			encoder := uistream.NewEncoder(s.key.Session)
			for _, rec := range records {
				chunks = encoder.Encode(chunks, rec)
			}
		}
		buffer = framer.Append(buffer[:0], chunks)
		if out.write(buffer) != nil {
			return nil
		}
	}
	out.write(framer.Done(nil))
	return nil
}

// endBefore finds the last turn that comes before a message. Before an answer comes half of its turn: the question.
func (d inside) endBefore(ctx context.Context, key agent.SessionKey, before agent.MessageID) (end agent.TurnID, half bool, err error) {
	turns, err := d.Store.TurnsFor(ctx, key, before)
	if err != nil {
		return "", false, err
	}
	if len(turns) > 0 {
		return turns[0].Parent, false, nil
	}
	turn, err := d.Store.Turn(ctx, key, before)
	return turn.ID, true, err
}

// windowAt finds a stretch of the branch that is shown: most turns, beginning lead turns before the one of a message. It
// gives the last turn of the stretch, its length, and whether more follow.
func (d inside) windowAt(ctx context.Context, s store.Session, message agent.MessageID, lead, most int) (end agent.TurnID, length int, later bool, err error) {
	path, err := d.Store.Path(ctx, s.Head)
	if err != nil {
		return "", 0, false, err
	}
	at, err := d.placeOf(ctx, s.Key, path, message)
	if err != nil {
		return "", 0, false, err
	}
	from := max(0, at-lead)
	to := min(len(path), from+min(most, len(path)))
	if from >= to {
		return "", 0, false, nil
	}
	return path[to-1], to - from, to < len(path), nil
}

// placeOf is where in a branch a message is. One that was answered again, or what followed on it, is not in the branch
// any more: its place is that of what took its place.
func (d inside) placeOf(ctx context.Context, key agent.SessionKey, path []agent.TurnID, message agent.MessageID) (int, error) {
	turns, err := d.Store.TurnsFor(ctx, key, message)
	if err == nil && len(turns) == 0 {
		var turn store.Turn
		turn, err = d.Store.Turn(ctx, key, message)
		turns = []store.Turn{turn}
	}
	if err != nil {
		return 0, err
	}
	for _, turn := range turns {
		if at := slices.Index(path, turn.ID); at >= 0 {
			return at, nil
		}
	}
	for parent := turns[0].Parent; parent != ""; {
		if at := slices.Index(path, parent); at >= 0 {
			return min(at+1, len(path)-1), nil
		}
		above, err := d.Store.Branch(ctx, parent, 1)
		if err != nil {
			return 0, err
		}
		parent = above[0].Parent
	}
	return 0, nil
}

// view is a turn as two messages: what was asked and what was answered.
func (d inside) view(ctx context.Context, key agent.SessionKey, turn store.Turn) (question, answer json.RawMessage, err error) {
	user, records, err := d.said(ctx, key, turn)
	if err != nil {
		return nil, nil, err
	}
	question, err = uistream.UserMessage(user)
	if err != nil {
		return nil, nil, err
	}
	answer, err = uistream.View(key.Session, records)
	return question, answer, err
}

// said is what a turn is made of: what a person said, and the log of the answer.
func (d inside) said(ctx context.Context, key agent.SessionKey, turn store.Turn) (user agent.Message, records []agent.Record, err error) {
	if user, err = d.Store.Message(ctx, key, turn.UserMessage); err == nil {
		records, err = d.Store.TurnLog(ctx, turn.ID)
	}
	return user, records, err
}
