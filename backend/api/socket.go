package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"parley/backend/agent"
	"parley/backend/session"
	"parley/backend/uistream"
	"parley/backend/vault"
)

const (
	socketProtocol = "parley"
	tokenProtocol  = "parley.token."
	maxRequests    = 256 // of one socket at once
)

// SessionNotice is the socket's message that something about a session is not as it was. The transport of the AI SDK
// passes over it, because it belongs to no request of its own.
type SessionNotice struct {
	Type      string          `json:"type"` // "session"
	RequestID string          `json:"requestId"`
	SessionID agent.SessionID `json:"sessionId"`
	Event     *session.Event  `json:"event,omitempty"` // what happened, if it has a number in the session
}

// socket is one connection for everything that a page does: its turns, and the news of its sessions. It is another face
// of what /messages shows; a browser allows only six connections to a host, and a page may watch more turns than that.
func (d *Door) socket(c caller, w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{socketProtocol},
		InsecureSkipVerify: true, // the door has checked the origin, and knows the window's, which has no host
	})
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow()
	conn.SetReadLimit(maxBody)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(d.closing, cancel)()

	s := &socket{door: d, caller: c, conn: conn, requests: map[string]*request{}}
	s.streams.Go(func() { s.news(ctx) })
	s.streams.Go(func() { s.agentNews(ctx) })
	s.streams.Go(func() { s.workflowNews(ctx) })
	if err := s.read(ctx); err != nil {
		conn.Close(websocket.StatusPolicyViolation, err.Error()) // before cancel, which cuts off what is being written
	}
	cancel()
	s.streams.Wait()
}

type socket struct {
	door    *Door
	caller  caller
	conn    *websocket.Conn
	streams sync.WaitGroup

	mu       sync.Mutex
	requests map[string]*request
}

// request is a turn that the socket streams.
type request struct {
	cancel context.CancelFunc
	turn   *session.Turn // set once it has begun
}

// read takes frames until the page leaves, or says something that no frame is.
func (s *socket) read(ctx context.Context) error {
	for {
		kind, b, err := s.conn.Read(ctx)
		if err != nil {
			return nil
		}
		if kind != websocket.MessageText {
			return errors.New("frames are text")
		}
		id, frame, err := uistream.DecodeSocketFrame(b)
		switch {
		case id == "":
			return errors.New("a frame needs a requestId")
		case err != nil:
			s.write(ctx, uistream.NewSocket(id).Error(s.door.describe(err).Message))
		default:
			s.take(ctx, id, frame)
		}
	}
}

func (s *socket) take(ctx context.Context, id string, frame uistream.SocketFrame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, known := s.requests[id]
	if _, abort := frame.(uistream.AbortFrame); abort {
		if known {
			r.cancel()
		}
		if known && r.turn != nil {
			key := r.turn.Key
			s.streams.Go(func() {
				in, leave, err := s.door.enterRooms(ctx, s.caller)
				defer leave()
				if err == nil {
					in.Sessions.Stop(ctx, key)
				}
			})
		}
		return
	}
	if known || len(s.requests) >= maxRequests {
		s.streams.Go(func() { s.write(ctx, uistream.NewSocket(id).Error("There are too many requests on this socket.")) })
		return
	}
	stream, cancel := context.WithCancel(ctx)
	r = &request{cancel: cancel}
	s.requests[id] = r
	s.streams.Go(func() {
		defer cancel()
		s.serve(ctx, stream, id, r, frame)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.requests, id)
	})
}

// serve streams the turn that a frame asks for, until the stream's context ends. What it writes it writes under the
// socket's: a message that is broken off takes the connection with it, and all the other turns.
func (s *socket) serve(ctx, stream context.Context, id string, r *request, frame uistream.SocketFrame) {
	out := uistream.NewSocket(id)
	in, leave, err := s.door.enterRooms(stream, s.caller)
	defer leave()
	var x *exchange
	if err == nil {
		x, err = in.exchange(stream, frame)
	}
	if err != nil {
		s.write(ctx, out.Error(s.door.describe(err).Message))
		return
	}
	if x == nil {
		s.write(ctx, out.NoActive())
		return
	}
	began := func(t *session.Turn) {
		s.mu.Lock()
		defer s.mu.Unlock()
		r.turn = t
	}
	if x.turn != nil {
		began(x.turn) // before the page hears of it, and may stop it
	}
	if s.write(ctx, out.Start(x.after)) != nil {
		return
	}
	err = in.follow(stream, *x, began, func(chunks []uistream.Chunk) error {
		for message := range out.Chunks(chunks) {
			if stream.Err() != nil {
				return stream.Err()
			}
			if err := s.write(ctx, message); err != nil {
				return err
			}
		}
		return nil
	}, func() error { return nil })
	if err == nil {
		for message := range out.End() {
			s.write(ctx, message)
		}
	}
}

// exchange gives what to stream, or nothing if there is nothing to resume.
func (d inside) exchange(ctx context.Context, frame uistream.SocketFrame) (*exchange, error) {
	switch f := frame.(type) {
	case uistream.SendFrame:
		d.History.Use()
		x, err := d.send(ctx, f.Request)
		return &x, err
	case uistream.ResumeFrame:
		key := agent.SessionKey{Project: d.project, Session: f.Session}
		if t, running := d.Sessions.Running(key); running {
			return &exchange{key: key, turn: t, after: -1}, nil
		}
		return nil, nil
	}
	return nil, agent.Errorf(agent.CodeInternal, "This frame asks for no turn.")
}

// news tells the page what changes: where the history stands, and while it is open, its sessions.
func (s *socket) news(ctx context.Context) {
	select {
	case <-s.door.History.Tried():
	case <-ctx.Done():
		return
	}
	var told vault.State
	var id string
	for {
		status, changed := s.door.History.Status()
		isNews := told != status.State || id != status.ID // another history may be as open as the one before
		if isNews && s.tell(ctx, VaultNotice{"vault", status.State}) != nil {
			return
		}
		told, id = status.State, status.ID
		if s.sessionNews(ctx) != nil {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// sessionNews ends without an error when the history is closed, or is closed already.
func (s *socket) sessionNews(ctx context.Context) error {
	in, leave, err := s.door.enterRooms(ctx, s.caller)
	if err != nil {
		return ctx.Err()
	}
	defer leave()
	watcher := in.Sessions.Watch(s.caller.project)
	defer watcher.Close()
	for {
		changes, err := watcher.Next(ctx)
		if err != nil || len(changes) == 0 {
			return err
		}
		for _, c := range changes {
			if err := s.tell(ctx, SessionNotice{Type: "session", SessionID: c.Key.Session, Event: c.Event()}); err != nil {
				return err
			}
		}
	}
}

// newsOf tells a notice whenever a channel that changed gives is closed.
func (s *socket) newsOf(ctx context.Context, changed func() <-chan struct{}, notice any) {
	next := changed()
	for {
		select {
		case <-next:
			next = changed() // before the page asks
		case <-ctx.Done():
			return
		}
		if s.tell(ctx, notice) != nil {
			return
		}
	}
}

func (s *socket) tell(ctx context.Context, notice any) error {
	b, err := json.Marshal(notice)
	if err != nil {
		return err
	}
	return s.write(ctx, b)
}

// write sends one message. A page that takes nothing for long is given up.
func (s *socket) write(ctx context.Context, message []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	return s.conn.Write(ctx, websocket.MessageText, message)
}
