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
	// dialectName is a request header: the major version of the AI SDK that reads the answer.
	dialectName = "x-ai-sdk"
	// pingAfter is how long a stream may be silent; proxies cut what is silent for longer.
	pingAfter = 15 * time.Second
	// portion is how many records are turned into frames at a time, so that a long replay needs little memory.
	portion = 1024
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
	x, err := d.send(r.Context(), req)
	switch {
	case err != nil:
		return err
	case as == asStream:
		d.stream(w, r, x)
	case x.turn == nil:
		writeJSON(w, http.StatusAccepted, QueuedReply{x.key.Session, QueuedMessage{x.queued.Number, x.queued.Message.ID.Shown()}})
	default:
		out, err := whole(r.Context(), x.turn)
		if err != nil {
			return err
		}
		writeJSON(w, out.Status.Code, out)
	}
	return nil
}

// exchange is what a client gets for a request: a turn, from the chunk after one on, or the turn of a message that waits.
type exchange struct {
	key    agent.SessionKey
	turn   *session.Turn // nil while the message waits
	after  int           // the index of a chunk; -1 is before the first
	queued store.Queued
}

// send does what a request asks for. Who finds the session busy is told with what.
func (d inside) send(ctx context.Context, req uistream.Request) (x exchange, err error) {
	x = exchange{key: agent.SessionKey{Project: d.project, Session: req.Session}, after: -1}
	r := session.Request{Key: x.key, Agent: req.Agent, User: req.Message, Media: req.Media, Overlay: req.Overlay, Inputs: req.Inputs}
	if req.Trigger == uistream.TriggerRegenerate {
		r.Regenerate, r.Answer = true, req.MessageID
	} else {
		r.Edits = req.MessageID
	}
	switch {
	case req.Continues != "":
		if x.turn, err = d.Sessions.Continue(ctx, x.key, req.Continues, req.Answers); err == nil {
			x.after, err = beforeResumed(ctx, x.turn)
		}
	case req.Queue:
		x.queued, x.turn, err = d.Sessions.Enqueue(ctx, r)
	default:
		x.turn, err = d.Sessions.Send(ctx, r)
	}
	if errors.Is(err, session.ErrBusy) {
		err = d.busyWith(ctx, x.key)
	}
	return x, err
}

// beforeResumed is the last chunk of a turn before it went on.
func beforeResumed(ctx context.Context, t *session.Turn) (int, error) {
	records, err := t.Records(ctx, 0)
	if err != nil {
		return 0, err
	}
	return uistream.ChunkCount(records[:t.From]) - 1, nil
}

// busyWith is session.ErrBusy with what the session is busy with.
func (d inside) busyWith(ctx context.Context, key agent.SessionKey) error {
	standing, err := d.Sessions.Standing(ctx, key)
	switch {
	case err != nil:
		return err
	case standing.Turn == "": // done by now
		return session.ErrBusy
	}
	turn := BusyTurn{standing.Turn, standing.Message, TurnRunning, toQuestions(standing.Open)}
	if standing.Paused {
		turn.State = TurnPaused
	}
	return &busy{turn}
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
	d.stream(w, r, exchange{key: key, turn: t, after: after})
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
