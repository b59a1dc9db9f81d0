// Package session runs sessions: it takes what a person sends, lets an agent answer, and remembers. A turn belongs to
// it, not to the request that began it: whoever watches may come and go.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/backend/agent"
	"parley/backend/redact"
	"parley/backend/store"
)

// ErrBusy is returned when a session already answers something.
var ErrBusy = errors.New("the session is busy with another turn")

// Options is what sessions are made of.
type Options struct {
	Store       *store.Store
	Environment *agent.Environment
	Sides       *agent.Environment                                                                // where the tools run that are given secrets
	Agent       func(ctx context.Context, project agent.ProjectID, id string) (agent.Spec, error) // "" is the agent for who chose none
	Harness     func(agent.Kind) (agent.Harness, error)
	Key         func(ctx context.Context, project agent.ProjectID, provider string) (string, error) // the API key that a project uses; empty if none is needed
	Servers     func(ids []string) ([]agent.MCPServer, error)                                       // the MCP servers of these names
	Resolve     func(context.Context, agent.ProjectID, agent.SecretRef) (string, error)             // the value of a secret, as it is now
	Known       func(context.Context) (*redact.Known, error)                                        // what is secret; nil: nothing is
	Used        func(ctx context.Context, key agent.SessionKey, slug, tool string) error            // notes that a tool was given a secret
	Search      func() (*agent.Search, error)                                                       // the search engine that is set up; an error says that there is none
	Scratch     func(agent.SessionKey) string                                                       // a session's own folder
	Folder      func(agent.ProjectID) string                                                        // that the new sessions of a project are about; empty if none
	Data        string                                                                              // as agent.Policy's
	Log         *slog.Logger
}

// Sessions runs the sessions of one store. All methods may be called at once.
type Sessions struct {
	Options
	changes changes
	sides   sides

	mu      sync.Mutex
	turns   map[agent.SessionKey]*Turn                      // running
	given   map[agent.SessionKey]map[agent.MessageID]string // see give
	whole   map[agent.TurnID]map[string]json.RawMessage     // of paused turns: see secrets.whole
	closed  bool
	running sync.WaitGroup
}

// Open settles what an earlier process left unsettled and is ready to run sessions. Close it.
func Open(ctx context.Context, o Options) (*Sessions, error) {
	s := &Sessions{Options: o, turns: map[agent.SessionKey]*Turn{}, given: map[agent.SessionKey]map[agent.MessageID]string{}, whole: map[agent.TurnID]map[string]json.RawMessage{}}
	if s.Known == nil {
		s.Known = func(context.Context) (*redact.Known, error) { return nil, nil }
	}
	answered, err := s.recover(ctx)
	if err != nil {
		return nil, err
	}
	for _, u := range answered {
		if _, err := s.resume(ctx, u.Key, u.Turn.ID); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Close stops every turn, keeps what was said, and waits. Nothing can be sent any more.
func (s *Sessions) Close() {
	s.mu.Lock()
	s.closed = true
	for _, t := range s.turns {
		t.stop()
	}
	s.mu.Unlock()
	s.running.Wait()
	s.changes.close()
}

// Busy reports whether a turn runs.
func (s *Sessions) Busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.turns) > 0
}

// Request is something to answer.
type Request struct {
	Key        agent.SessionKey // an empty Session makes a new one
	Agent      string           // empty: the session's own, or the default for a new one
	User       agent.Message    // an empty ID gets one
	Media      []agent.Media    // that User refers to; what else it refers to is stored already
	Edits      agent.MessageID  // the message that User takes the place of, in a branch of its own; empty if none
	Regenerate bool             // answer a user message again; User is not looked at
	Answer     agent.MessageID  // with Regenerate: the answer to write anew; empty is the last
	Overlay    agent.Overlay    // what the request says about the agent; it is frozen when the session is made
	Inputs     json.RawMessage  // an object: what {{inputs.name}} in the instructions stands for; may be nil
	queued     int64            // the number under which User waited
}

// Send stores a message and begins the turn that answers it, or says ErrBusy. A message that is known already is not
// answered twice: its turn is given again, running or not.
func (s *Sessions) Send(ctx context.Context, r Request) (*Turn, error) {
	if r.Key.Session == "" {
		r.Key.Session = agent.NewSessionID()
	}
	if err := r.Key.Session.Validate(); err != nil {
		return nil, err
	}
	if err := refuseSecrets(r.User); err != nil {
		return nil, err
	}
	if err := s.lookUpMedia(ctx, r.Key.Project, &r.User); err != nil {
		return nil, err
	}
	session, err := s.find(ctx, r)
	if err != nil {
		return nil, err
	}
	if !r.Regenerate && r.User.ID != "" {
		if t, err := s.known(ctx, session, r.User); t != nil || err != nil {
			return t, err
		}
	}
	t, err := s.begin(r.Key)
	if errors.Is(err, ErrBusy) && !r.Regenerate && r.User.ID != "" {
		// The same message may have been sent twice at once: the second joins the first.
		<-t.started
		if known, err := s.known(ctx, session, r.User); known != nil || err != nil {
			return known, err
		}
	}
	if err != nil {
		return nil, err
	}
	// From here on nothing depends on the one who asked.
	ctx = context.WithoutCancel(ctx)
	if err := s.start(ctx, t, r); err != nil {
		s.end(t)
		return nil, err
	}
	return t, nil
}

// find gives the session, making it if nobody did; of two who make it at once, both get the same one.
func (s *Sessions) find(ctx context.Context, r Request) (store.Session, error) {
	session, err := s.Store.Session(ctx, r.Key)
	if errors.Is(err, store.ErrNotFound) {
		return s.create(ctx, r.Key, r.Agent, r.Overlay)
	}
	if err != nil {
		return session, err
	}
	wanted, err := s.wanted(ctx, session, r.Agent, r.Overlay)
	if err != nil {
		return store.Session{}, err
	}
	if sameAgent(wanted, session.Agent) {
		return session, nil
	}
	err = s.Store.ChooseAgent(ctx, r.Key, wanted)
	if errors.Is(err, store.ErrExists) {
		return store.Session{}, agent.Errorf(agent.CodeValidation, "This session talks to %s and keeps it as it was at the start. Start a new session to talk to another one.", session.Agent.ID)
	}
	session.Agent = wanted
	return session, err
}

// wanted gives the agent with an id, or the one that a session has, as the overlay wants it.
func (s *Sessions) wanted(ctx context.Context, has store.Session, id string, overlay agent.Overlay) (agent.Spec, error) {
	if id == "" || id == has.Agent.ID {
		return over(has.Agent, overlay)
	}
	spec, err := s.Agent(ctx, has.Key.Project, id)
	if err != nil {
		return spec, err
	}
	return over(spec, overlay)
}

// over gives an agent as a request wants it. A session may have some of its agent's tools, and never others; only a program,
// which has tools of its own, may be given what its agent does not name.
func over(spec agent.Spec, overlay agent.Overlay) (agent.Spec, error) {
	if overlay.Tools != nil && !spec.Harness.IsProgram() {
		has := spec.ToolNames()
		for _, name := range *overlay.Tools {
			if !slices.Contains(has, name) {
				return agent.Spec{}, agent.Errorf(agent.CodeToolUnavailable, "The agent %q does not have the tool %q. It has: %s.", spec.ID, name, strings.Join(has, ", "))
			}
		}
	}
	return overlay.Over(spec), nil
}

func (s *Sessions) create(ctx context.Context, key agent.SessionKey, wanted string, overlay agent.Overlay) (store.Session, error) {
	spec, err := s.Agent(ctx, key.Project, wanted)
	if err != nil {
		return store.Session{}, err
	}
	if spec, err = over(spec, overlay); err != nil {
		return store.Session{}, err
	}
	err = s.Store.CreateSession(ctx, key, spec, s.Folder(key.Project))
	if err != nil && !errors.Is(err, store.ErrExists) {
		return store.Session{}, err
	}
	s.changes.publish(Change{Key: key})
	session, err := s.Store.Session(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return store.Session{}, agent.Errorf(agent.CodeValidation, "This session was deleted. Restore it, or start a new one.")
	}
	return session, err
}

// known gives the turn that answers, or answered, a message which was sent before; nil if it is new, or says something else
// than before. The branch that it is in is shown.
func (s *Sessions) known(ctx context.Context, session store.Session, user agent.Message) (*Turn, error) {
	editions, err := s.Store.Editions(ctx, session.Key, user.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(editions, func(m agent.Message) bool { return sameContent(m, user) })
	if i < 0 {
		return nil, nil
	}
	turns, err := s.Store.TurnsFor(ctx, session.Key, editions[i].ID)
	if err != nil || len(turns) == 0 {
		return nil, err
	}
	turn := turns[len(turns)-1]
	if turn.ID != session.Head {
		path, err := s.Store.Path(ctx, session.Head)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(path, turn.ID) {
			if err := s.show(ctx, session.Key, turn); err != nil {
				return nil, err
			}
		}
	}
	return s.replay(ctx, session.Key, turn.ID)
}

func sameContent(a, b agent.Message) bool {
	x, errX := agent.EncodeParts(a.Parts)
	y, errY := agent.EncodeParts(b.Parts)
	return a.Role == b.Role && errX == nil && errY == nil && string(x) == string(y)
}

// replay gives a turn to watch: the running one if it is, else one that is all there already.
func (s *Sessions) replay(ctx context.Context, key agent.SessionKey, id agent.TurnID) (*Turn, error) {
	if t, ok := s.Running(key); ok && t.ID == id {
		return t, nil
	}
	records, err := s.Store.TurnLog(ctx, id)
	if err != nil {
		return nil, err
	}
	return finished(key, records)
}

// Running gives the turn that the session is busy with.
func (s *Sessions) Running(key agent.SessionKey) (*Turn, bool) {
	s.mu.Lock()
	t, ok := s.turns[key]
	s.mu.Unlock()
	if ok {
		<-t.started
		ok = !t.failedToStart()
	}
	return t, ok
}

// Last gives the last turn of the branch that is shown, running or not; store.ErrNotFound if there is none.
func (s *Sessions) Last(ctx context.Context, key agent.SessionKey) (*Turn, error) {
	session, err := s.Store.Session(ctx, key)
	if err != nil {
		return nil, err
	}
	head, err := s.head(ctx, session)
	if err != nil {
		return nil, err
	}
	return s.replay(ctx, key, head.ID)
}

// Stopped says how a stop ended.
type Stopped string

// The ways a stop ends.
const (
	Confirmed Stopped = "confirmed"
	Killed    Stopped = "killed" // the harness did not answer in time
	WasIdle   Stopped = "idle"   // nothing ran, or it was done already
)

// Stop ends the session's turn, keeps what was said, and waits until the session is free again.
func (s *Sessions) Stop(ctx context.Context, key agent.SessionKey) (Stopped, error) {
	if t, ok := s.Running(key); ok {
		t.stop()
		select {
		case <-t.settled:
		case <-ctx.Done():
			return "", ctx.Err()
		}
		if !t.paused {
			return t.stopped, nil
		}
	}
	return s.stopPaused(ctx, key)
}

// begin takes the session for one turn. With ErrBusy it gives the turn that has it.
func (s *Sessions) begin(key agent.SessionKey) (*Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, agent.Errorf(agent.CodeCancelled, "Parley is closing; nothing new is started.")
	}
	if t := s.turns[key]; t != nil {
		return t, ErrBusy
	}
	t := newTurn(key)
	s.turns[key] = t
	s.running.Add(1)
	return t, nil
}

// end gives the session free. What is to come next begins before Close would find nothing running.
func (s *Sessions) end(t *Turn, next ...func()) {
	s.mu.Lock()
	delete(s.turns, t.Key)
	s.mu.Unlock()
	t.end()
	for _, begin := range next {
		begin()
	}
	s.running.Done()
}

// title is a session's first: the beginning of its first message, or the name of what came without a word.
func title(m agent.Message) string {
	const most = 60
	for _, p := range m.Parts {
		var line string
		switch p := p.(type) {
		case agent.TextPart:
			line = p.Text
		case agent.MediaPart:
			line = p.Name
		}
		if line = strings.Join(strings.Fields(line), " "); line == "" {
			continue
		}
		if utf8.RuneCountInString(line) <= most {
			return line
		}
		return strings.TrimSpace(string([]rune(line)[:most-1])) + "…"
	}
	return ""
}
