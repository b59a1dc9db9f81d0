package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/uistream"
)

const (
	// coalesceName is a request header: "0" asks for every delta in a frame of its own.
	coalesceName = "x-parley-coalesce"
	// pingAfter is how long a stream may be silent; proxies cut what is silent for longer.
	pingAfter = 15 * time.Second
	// stretch is how many records are turned into frames at a time, so that a long replay needs little memory.
	stretch = 1024
)

// Stop says how a stop ended.
type Stop struct {
	Stopped session.Stopped `json:"stopped"`
}

// postMessage takes one turn.
func (d inside) postMessage(w http.ResponseWriter, r *http.Request) error {
	if !acceptsStream(r.Header.Values("Accept")) {
		return errAccept
	}
	b, err := body(r)
	if err != nil {
		return err
	}
	req, err := uistream.DecodeRequest(b)
	if err != nil {
		return err
	}
	t, err := d.send(r.Context(), req)
	if err != nil {
		return err
	}
	d.streamTurn(w, r, t, -1)
	return nil
}

// send gives the turn that answers a request of the AI SDK's shape.
func (d inside) send(ctx context.Context, req uistream.Request) (*session.Turn, error) {
	if req.Queue {
		return nil, agent.Errorf(agent.CodeValidation, "A message cannot wait for the running turn yet. Leave out queue.")
	}
	if req.Trigger == uistream.TriggerSubmit && req.MessageID != "" {
		return nil, agent.Errorf(agent.CodeValidation, "A sent message cannot be edited yet. Send a new one.")
	}
	return d.Sessions.Send(ctx, session.Request{
		Key:        agent.SessionKey{Project: agent.DefaultProject, Session: req.Session},
		Agent:      req.Agent,
		User:       req.Message,
		Media:      req.Media,
		Regenerate: req.Trigger == uistream.TriggerRegenerate,
	})
}

// resumeMessage streams the running turn. With Last-Event-ID it gives what follows that frame, also if the turn has
// ended meanwhile; without it everything from the start, or 204 if nothing runs.
func (d inside) resumeMessage(w http.ResponseWriter, r *http.Request) error {
	key, err := sessionKey(r)
	if err != nil {
		return err
	}
	after, again, err := lastEventID(r)
	if err != nil {
		return err
	}
	t, running := d.Sessions.Running(key)
	if !running && again {
		t, err = d.Sessions.Last(r.Context(), key)
		running = err == nil
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if !running {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	d.streamTurn(w, r, t, after)
	return nil
}

func lastEventID(r *http.Request) (after int, given bool, err error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		return -1, false, nil
	}
	after, err = strconv.Atoi(text)
	if err != nil || after < 0 {
		return 0, false, agent.Errorf(agent.CodeValidation, "Last-Event-ID must be the id of a frame.")
	}
	return after, true, nil
}

// streamTurn writes the turn as Server-Sent Events, from the chunk after the given one. A client that goes away ends
// its stream and nothing else.
func (d inside) streamTurn(w http.ResponseWriter, r *http.Request, t *session.Turn, after int) {
	h := w.Header()
	h.Set("content-type", "text/event-stream")
	h.Set("x-vercel-ai-ui-message-stream", "v1")
	h.Set("cache-control", "no-cache")
	h.Set("connection", "keep-alive")
	h.Set("x-accel-buffering", "no")
	out := newFlusher(w)
	framer := uistream.NewFramer(after, r.Header.Get(coalesceName) != "0", uistream.DialectOf(r.Header.Get("x-ai-sdk")))
	var buffer []byte
	err := follow(r.Context(), t, func(chunks []uistream.Chunk) error {
		buffer = framer.Append(buffer[:0], chunks)
		return out.write(buffer)
	}, func() error {
		return out.write([]byte(": ping\n\n"))
	})
	if err == nil {
		out.write(framer.Done(nil))
	}
}

// follow gives the chunks of a turn as they come until its end, and calls ping in silence. If the turn could not be
// stored to its end, the last chunks say so.
func follow(ctx context.Context, t *session.Turn, emit func([]uistream.Chunk) error, ping func() error) error {
	encoder := uistream.NewEncoder(t.Key.Session)
	var chunks []uistream.Chunk
	for n := 0; ; {
		wait, cancel := context.WithTimeout(ctx, pingAfter)
		records, err := t.Records(wait, n)
		silent := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err != nil && silent:
			if err := ping(); err != nil {
				return err
			}
			continue
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			e := agent.AsError(err)
			last := agent.TurnCompleted{StopReason: agent.StopError, Failure: &agent.Failure{Code: e.Code, Message: e.Message}}
			return emit(encoder.Encode(nil, agent.Record{At: time.Now(), Event: last}))
		case len(records) == 0:
			return nil
		}
		n += len(records)
		for len(records) > 0 {
			some := records[:min(stretch, len(records))]
			records = records[len(some):]
			chunks = chunks[:0]
			for _, r := range some {
				chunks = encoder.Encode(chunks, r)
			}
			if err := emit(chunks); err != nil {
				return err
			}
		}
	}
}

// acceptsStream: */* counts, because it is what the AI SDK's client sends.
func acceptsStream(accept []string) bool {
	for _, value := range accept {
		for _, kind := range strings.Split(value, ",") {
			kind, _, _ = strings.Cut(kind, ";")
			switch strings.TrimSpace(kind) {
			case "text/event-stream", "*/*", "text/*":
				return true
			}
		}
	}
	return false
}

func (d inside) stopMessage(r *http.Request) (Stop, error) {
	key, err := sessionKey(r)
	if err != nil {
		return Stop{}, err
	}
	stopped, err := d.Sessions.Stop(r.Context(), key)
	return Stop{stopped}, err
}

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
}

// loadSession gives the messages of the branch that is shown: all of them, or about the limit ones before, after or around
// a message.
func (d inside) loadSession(r *http.Request, req LoadRequest) (LoadedSession, error) {
	out := LoadedSession{SessionID: req.SessionID, Messages: []json.RawMessage{}}
	if err := req.SessionID.Validate(); err != nil {
		return out, err
	}
	limit, err := number(r, "limit", 1<<30, 1, 1<<30)
	if err != nil {
		return out, err
	}
	key := agent.SessionKey{Project: agent.DefaultProject, Session: req.SessionID}
	s, err := d.Store.Session(r.Context(), key)
	if err != nil {
		return out, err
	}
	end, half, most, later := s.Head, false, (limit+1)/2, false
	query := r.URL.Query()
	switch around, after := query.Get("around"), query.Get("after"); {
	case query.Has("before"):
		end, half, err = d.endBefore(r.Context(), key, agent.MessageID(query.Get("before")))
	case around != "":
		end, most, later, err = d.windowAt(r.Context(), s, agent.MessageID(around), most/2, most)
	case after != "":
		end, most, later, err = d.windowAt(r.Context(), s, agent.MessageID(after), -1, most)
	}
	if err != nil {
		return out, err
	}
	turns, err := d.Store.Branch(r.Context(), end, most)
	if err != nil || len(turns) == 0 {
		return out, err
	}
	if later {
		out.Later = turns[len(turns)-1].Message
	}
	if turns[0].Parent != "" {
		out.Earlier = turns[0].UserMessage
	}
	for _, turn := range turns {
		pair, err := d.view(r.Context(), key, turn)
		if err != nil {
			return out, err
		}
		out.Messages = append(out.Messages, pair...)
	}
	if half {
		out.Messages = out.Messages[:len(out.Messages)-1]
	}
	return out, nil
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
func (d inside) view(ctx context.Context, key agent.SessionKey, turn store.Turn) ([]json.RawMessage, error) {
	user, err := d.Store.Message(ctx, key, turn.UserMessage)
	if err != nil {
		return nil, err
	}
	question, err := uistream.UserMessage(user)
	if err != nil {
		return nil, err
	}
	records, err := d.Store.TurnLog(ctx, turn.ID)
	if err != nil {
		return nil, err
	}
	answer, err := uistream.View(key.Session, records)
	return []json.RawMessage{question, answer}, err
}

// Message is one durable message. Content is its parts.
type Message struct {
	ID      agent.MessageID `json:"id"`
	Role    agent.Role      `json:"role"`
	Content json.RawMessage `json:"content"`
	Model   string          `json:"model,omitempty"`
}

// MessageList is a session's durable messages, as models read them.
type MessageList struct {
	Messages []Message `json:"messages"`
}

func (d inside) listMessages(r *http.Request) (MessageList, error) {
	key, err := sessionKey(r)
	if err != nil {
		return MessageList{}, err
	}
	s, err := d.Store.Session(r.Context(), key)
	if err != nil {
		return MessageList{}, err
	}
	history, err := d.Store.History(r.Context(), s.Head)
	if err != nil {
		return MessageList{}, err
	}
	list := MessageList{Messages: make([]Message, len(history))}
	for i, m := range history {
		content, err := agent.EncodeParts(m.Parts)
		if err != nil {
			return MessageList{}, err
		}
		list.Messages[i] = Message{m.ID, m.Role, content, m.Model}
	}
	return list, nil
}
