package api

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
	"parley/backend/scripted"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/store/sealed"
)

// timed is a client that notes when each piece of a stream came.
type timed struct {
	*httptest.ResponseRecorder
	begun    time.Time
	deadline time.Time
	pieces   []piece
}

type piece struct {
	at, patience time.Duration // when it came, and how long the client might have taken for it
	text         string
}

func (c *timed) SetWriteDeadline(at time.Time) error {
	c.deadline = at
	return nil
}

func (c *timed) Write(b []byte) (int, error) {
	c.pieces = append(c.pieces, piece{time.Since(c.begun), time.Until(c.deadline), string(b)})
	return len(b), nil
}

// clocked streams the answer to a message on a clock that goes on when nobody has anything to do, and stops it after a while.
func clocked(t *testing.T, said string, stop time.Duration) (pieces []piece) {
	folder, catalog := t.TempDir(), agents(t)
	synctest.Test(t, func(t *testing.T) {
		history, err := store.Open(t.Context(), filepath.Join(folder, "history.db"), &sealed.Key{1}, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer history.Close()
		env := agent.NewEnvironment(scripted.NewBackend(), agent.DefaultLimits)
		defer env.Close()
		sessions, err := session.Open(t.Context(), options(history, env, catalog, folder))
		if err != nil {
			t.Fatal(err)
		}
		defer sessions.Close()
		key := agent.SessionKey{Project: agent.DefaultProject, Session: "s"}
		user := agent.Message{ID: "u1", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: said}}}
		client := &timed{ResponseRecorder: httptest.NewRecorder(), begun: time.Now()}
		turn, err := sessions.Send(t.Context(), session.Request{Key: key, User: user})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(stop, func() { sessions.Stop(t.Context(), key) })
		d := inside{&Door{Options: Options{Log: slog.New(slog.DiscardHandler)}}, &Rooms{Sessions: sessions, Store: history}, caller{project: key.Project}}
		d.stream(client, httptest.NewRequest("GET", "/", nil), exchange{key: key, turn: turn, after: -1})
		pieces = client.pieces
	})
	return pieces
}

// §3 A comment frame (: ping) after 15 s of silence, and after each 15 s more.
func TestSilenceIsBroken(t *testing.T) {
	var pings []time.Duration
	// §9 slow clients bounded: who does not take a piece in time is given up.
	for _, p := range clocked(t, "[[say:half]] [[hang]]", 40*time.Second) {
		if p.patience != writeLimit {
			t.Errorf("the client has %s for %q", p.patience, p.text)
		}
		if p.text == ": ping\n\n" {
			pings = append(pings, p.at)
		} else if p.at > time.Second && p.at < 40*time.Second || strings.Contains(p.text, "ping") {
			t.Errorf("after %s comes %q", p.at, p.text)
		}
	}
	if fmt.Sprint(pings) != "[15s 30s]" {
		t.Errorf("pings after %s", pings)
	}
}

// §3 Coalesce within ≤ 40 ms; never hold a frame longer: each word is seen that soon after it was said, and some share a frame.
func TestWordsComeSoon(t *testing.T) {
	const words, gap = 200, 3 * time.Millisecond
	pieces := clocked(t, fmt.Sprintf("[[deltas:%d]] [[gap:%s]]", words, gap), time.Hour)
	for i := range words {
		at := slices.IndexFunc(pieces, func(p piece) bool { return strings.Contains(p.text, fmt.Sprintf("w%07d", i)) })
		if at < 0 {
			t.Fatalf("word %d never came", i)
		}
		if late := pieces[at].at - time.Duration(i)*gap; late > 40*time.Millisecond {
			t.Errorf("word %d came %s late", i, late)
		}
	}
	if len(pieces) > words*2/3 {
		t.Errorf("%d words came in %d pieces", words, len(pieces))
	}
}
