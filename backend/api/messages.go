package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"parley/backend/agent"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/uistream"
)

const (
	// coalesceName is a request header: "0" asks for every delta in a frame of its own.
	coalesceName = "x-parley-coalesce"
	// dialectName is a request header: the version of the AI SDK that reads the answer.
	dialectName = "x-ai-sdk"
	// pingAfter is how long a stream may be silent; proxies cut what is silent for longer.
	pingAfter = 15 * time.Second
	// stretch is how many records are turned into frames at a time, so that a long replay needs little memory.
	stretch = 1024
)

// Stop says how a stop ended.
type Stop struct {
	Stopped session.Stopped `json:"stopped"`
}

// postMessage takes one turn, and answers in the form that the client wants.
func (d inside) postMessage(w http.ResponseWriter, r *http.Request) error {
	as, err := chooseForm(r, asStream)
	if err != nil {
		return err
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
	if as == asStream {
		d.streamTurn(w, r, t, -1)
		return nil
	}
	out, err := d.whole(r.Context(), t)
	if err == nil {
		writeJSON(w, out.Status.Code, out)
	}
	return err
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
		Key:        agent.SessionKey{Project: d.project, Session: req.Session},
		Agent:      req.Agent,
		User:       req.Message,
		Media:      req.Media,
		Regenerate: req.Trigger == uistream.TriggerRegenerate,
	})
}

// resumeMessage streams the running turn. With Last-Event-ID it gives what follows that frame, also if the turn has
// ended meanwhile; without it everything from the start, or 204 if nothing runs.
func (d inside) resumeMessage(w http.ResponseWriter, r *http.Request) error {
	key, err := d.key(r)
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
	n, err := strconv.ParseUint(text, 10, 53)
	if err != nil {
		return 0, false, agent.Errorf(agent.CodeValidation, "Last-Event-ID must be the id of a frame.")
	}
	return int(n), true, nil
}

func (d inside) stopMessage(r *http.Request) (Stop, error) {
	key, err := d.key(r)
	if err != nil {
		return Stop{}, err
	}
	stopped, err := d.Sessions.Stop(r.Context(), key)
	return Stop{stopped}, err
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
	key, err := d.key(r)
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
