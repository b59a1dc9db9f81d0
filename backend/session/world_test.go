package session

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/scripted"
	"parley/backend/store"
	"parley/backend/store/sealed"
)

// script is the harness of the agent in these tests: whatever the person writes is what it plays.
type script struct{}

func (script) Kind() agent.Kind { return agent.KindScripted }
func (script) Launch(s agent.Spec) (agent.Launch, error) {
	policy := agent.PermissionAuto
	if s.Permissions.Mode != "" {
		policy = s.Permissions.Mode.Policy()
	}
	return agent.Launch{Backend: agent.BackendScripted, Harness: agent.KindScripted, Tools: s.Tools, ClientTools: s.ClientTools, PermissionPolicy: policy, Rules: s.Permissions.Rules}, nil
}

var player = agent.Spec{ID: "player", Harness: agent.KindScripted, Model: "m", Tools: []string{"list_directory"}}

// careful asks before it changes anything.
var careful = agent.Spec{ID: "careful", Harness: agent.KindScripted, Tools: []string{"write_file", "ask_user"}, Permissions: agent.Permissions{Mode: agent.ModeAsk}}

type world struct {
	*Sessions
	store *store.Store
	env   *agent.Environment
}

// open is an app over the history at path. Two worlds over one path are two lives of the app.
func open(t *testing.T, path string) *world {
	t.Helper()
	return openOver(t, path, scripted.NewBackend())
}

func openOver(t *testing.T, path string, engine agent.Backend) *world {
	t.Helper()
	history, err := store.Open(t.Context(), path, &sealed.Key{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	env := agent.NewEnvironment(engine, agent.DefaultLimits)
	scratch := t.TempDir()
	sessions, err := Open(t.Context(), Options{
		Store:       history,
		Environment: env,
		Sides:       env,
		Agent: func(_ context.Context, _ agent.ProjectID, id string) (agent.Spec, error) {
			switch id {
			case "", player.ID:
				return player, nil
			case careful.ID:
				return careful, nil
			}
			return agent.Spec{}, agent.Errorf(agent.CodeValidation, "no agent %q", id)
		},
		Harness: func(agent.Kind) (agent.Harness, error) { return script{}, nil },
		Key:     func(context.Context, agent.ProjectID, string) (string, error) { return "", nil },
		Scratch: func(agent.SessionKey) string { return scratch },
		Folder:  func(agent.ProjectID) string { return "" },
		Servers: func([]string) ([]agent.MCPServer, error) { return nil, nil },
		Log:     slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{sessions, history, env}
	t.Cleanup(w.close)
	return w
}

func (w *world) close() {
	w.Sessions.Close()
	w.env.Close()
	w.store.Close()
}

func fresh(t *testing.T) *world { return open(t, filepath.Join(t.TempDir(), "history.db")) }

var home = agent.SessionKey{Project: agent.DefaultProject, Session: "s"}

func says(text string) Request {
	return Request{Key: home, User: agent.Message{Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: text}}}}
}

func (w *world) send(t *testing.T, r Request) *Turn {
	t.Helper()
	turn, err := w.Send(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// all reads a turn to its end.
func all(t *testing.T, turn *Turn) []agent.Record {
	t.Helper()
	var records []agent.Record
	for {
		more, err := turn.Records(t.Context(), len(records))
		if err != nil {
			t.Fatal(err)
		}
		if len(more) == 0 {
			<-turn.settled
			return records
		}
		records = append(records, more...)
	}
}

// until reads a turn until it has said text.
func until(t *testing.T, turn *Turn, text string) {
	t.Helper()
	var said strings.Builder
	for n := 0; !strings.Contains(said.String(), text); {
		more, err := turn.Records(t.Context(), n)
		if err != nil || len(more) == 0 {
			t.Fatalf("the turn ended (%v) after %q", err, said.String())
		}
		n += len(more)
		said.WriteString(spoken(more))
	}
}

func spoken(records []agent.Record) string {
	var b strings.Builder
	for _, r := range records {
		if d, ok := r.Event.(agent.MessageDelta); ok {
			b.WriteString(d.Text)
		}
	}
	return b.String()
}

func end(t *testing.T, records []agent.Record) agent.TurnCompleted {
	t.Helper()
	done, ok := records[len(records)-1].Event.(agent.TurnCompleted)
	if !ok {
		t.Fatalf("the last record is %#v", records[len(records)-1].Event)
	}
	return done
}

func (w *world) status(t *testing.T) store.Session {
	t.Helper()
	s, err := w.store.Session(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
