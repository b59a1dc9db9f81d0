package store

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"parley/backend/agent"
)

var picture, recording = media("\x89PNG\x0D\x0A\x1A\x0A a picture"), media("ID3 a recording")

func media(content string) agent.Media {
	m, err := agent.NewMedia([]byte(content))
	if err != nil {
		panic(err)
	}
	return m
}

// attach runs a whole turn whose question is nothing but media.
func attach(t *testing.T, s *Store, key agent.SessionKey, name string, list ...agent.Media) {
	t.Helper()
	m := agent.Message{ID: agent.MessageID("u" + name), Role: agent.RoleUser}
	for _, one := range list {
		m.Parts = append(m.Parts, one.Part("holiday.png"))
	}
	say(t, s, key, name, "", &m, list...)
}

// stored is which media there is, by its content.
func stored(t *testing.T, s *Store) (list string) {
	t.Helper()
	for name, m := range map[string]agent.Media{"p": picture, "r": recording} {
		got, err := s.Media(t.Context(), home.Project, m.Handle)
		if err == nil && bytes.Equal(got.Content, m.Content) && got.MimeType == m.MimeType {
			list += name
		} else if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s is %+v, %v", name, got, err)
		}
	}
	if list == "rp" {
		return "pr"
	}
	return list
}

// collected takes away what may go at a time, and wants to see what is left.
func collected(t *testing.T, s *Store, at time.Time, want string) {
	t.Helper()
	for more := true; more; {
		var err error
		more, err = s.collectMedia(t.Context(), at)
		must(t, err)
	}
	if got := stored(t, s); got != want {
		t.Errorf("left is %q, not %q", got, want)
	}
}

func TestMediaStaysWhileAMessageRefersToIt(t *testing.T) {
	s := fresh(t)
	s.stopCollect()
	s.collecting.Wait()
	day := time.Unix(0, 0)
	s.now = func() time.Time { return day }
	other := agent.SessionKey{Project: home.Project, Session: "other"}
	for _, key := range []agent.SessionKey{home, other} {
		must(t, s.CreateSession(t.Context(), key, spec, ""))
	}
	attach(t, s, home, "1", picture, picture)
	attach(t, s, other, "2", picture, recording)
	must(t, s.PutMedia(t.Context(), home.Project, picture))
	if p, err := s.MediaPart(t.Context(), home.Project, picture.Handle); err != nil || p != picture.Part("") {
		t.Errorf("a message would say %+v of it (%v)", p, err)
	}
	must(t, s.DeleteSession(t.Context(), other))
	collected(t, s, day.Add(1000*keepUnused), "pr")

	must(t, s.PurgeSession(t.Context(), other))
	collected(t, s, day.Add(keepUnused-time.Millisecond), "pr")
	collected(t, s, day.Add(keepUnused), "p")

	must(t, s.DeleteSession(t.Context(), home))
	must(t, s.PurgeSession(t.Context(), home))
	day = day.Add(keepUnused)
	must(t, s.PutMedia(t.Context(), home.Project, picture)) // uploaded again, and not sent yet
	collected(t, s, day.Add(keepUnused-time.Millisecond), "p")
	collected(t, s, day.Add(keepUnused), "")
	if _, err := s.MediaPart(t.Context(), home.Project, picture.Handle); !errors.Is(err, errNoMedia) {
		t.Errorf("what was collected is %v", err)
	}
}

func TestMediaIsCollectedAtOpenAndAfterAPurge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	s.now = func() time.Time { return time.Now().Add(-keepUnused) }
	must(t, s.PutMedia(t.Context(), home.Project, picture))
	must(t, s.Close())
	s = open(t, path)
	must(t, gone(t.Context(), s, picture))

	s.now = func() time.Time { return time.Now().Add(-keepUnused) }
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	attach(t, s, home, "1", picture)
	must(t, s.DeleteSession(t.Context(), home))
	must(t, s.PurgeSession(t.Context(), home))
	must(t, gone(t.Context(), s, picture))
}

// gone waits until the collector took m.
func gone(ctx context.Context, s *Store, m agent.Media) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if _, err := s.Media(ctx, home.Project, m.Handle); errors.Is(err, ErrNotFound) {
			return nil
		}
	}
	return ctx.Err()
}

// TestAMessageIsNotStoredWithoutItsMedia: both or neither.
func TestAMessageIsNotStoredWithoutItsMedia(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	m := agent.Message{ID: "u1", Role: agent.RoleUser, Parts: []agent.Part{picture.Part(""), recording.Part("")}}
	_, err := s.StartTurn(t.Context(), home, NewTurn{Started: agent.TurnStarted{Turn: "t1", UserMessage: "u1", Message: "a1"}, User: &m, Media: []agent.Media{picture}})
	if !errors.Is(err, errNoMedia) {
		t.Errorf("got %v", err)
	}
	if _, err := s.Message(t.Context(), home, "u1"); !errors.Is(err, ErrNotFound) || stored(t, s) != "" {
		t.Errorf("stored are the message (%v) and %q", err, stored(t, s))
	}
}

// TestSalvagedMessagesReferToTheirMedia: what is left may be a message without its reference, a reference to nothing, and
// media whose message is gone.
func TestSalvagedMessagesReferToTheirMedia(t *testing.T) {
	s := fresh(t)
	s.rest()
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	milk := media("milk")
	attach(t, s, home, "1", picture, recording)
	attach(t, s, home, "2", milk)
	_, err := s.writer.ExecContext(t.Context(), `PRAGMA foreign_keys = 0; DELETE FROM media WHERE mime_type = 'audio/mpeg';
		DELETE FROM message_media WHERE media = (SELECT key FROM media WHERE mime_type = 'image/png'); DELETE FROM message WHERE id = 'u2'`)
	must(t, err)
	must(t, s.update(t.Context(), written, func(tx tx) error { _, err := remake(t.Context(), tx); return err }))
	var broken int
	must(t, s.writer.QueryRowContext(t.Context(), `SELECT count(*) FROM pragma_foreign_key_check`).Scan(&broken))
	if broken != 0 {
		t.Errorf("%d rows refer to what is not there", broken)
	}
	collected(t, s, time.Now().Add(keepUnused-time.Minute), "p")
	if _, err := s.Media(t.Context(), home.Project, milk.Handle); err != nil {
		t.Errorf("media without a message is gone at once: %v", err)
	}
	collected(t, s, time.Now().Add(2*keepUnused), "p")
	if _, err := s.Media(t.Context(), home.Project, milk.Handle); !errors.Is(err, ErrNotFound) {
		t.Errorf("media without a message is %v", err)
	}
	_, err = s.writer.ExecContext(t.Context(), `PRAGMA foreign_keys = 1`)
	must(t, err)
	must(t, s.DeleteSession(t.Context(), home))
	must(t, s.PurgeSession(t.Context(), home))
	collected(t, s, time.Now().Add(2*keepUnused), "")
}
