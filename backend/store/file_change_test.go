package store

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"parley/backend/agent"
)

// TestFileChangesAreKeptAsTheyWere: a file that was not there, one that was empty, and bytes that are no text.
func TestFileChangesAreKeptAsTheyWere(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	turn := say(t, s, home, "1", "", nil)
	want := []FileChange{
		{Path: "/a", After: []byte{}},
		{Path: "/a", Before: []byte{}, After: []byte("\xff\x00")},
		{Path: "/b", Before: []byte("\xff\x00"), After: nil, ByPerson: true},
	}
	for _, c := range want {
		must(t, s.AddFileChange(t.Context(), home, turn, c))
	}
	got, err := s.FileChanges(t.Context(), home, turn)
	must(t, err)
	for i := range got {
		got[i].At = time.Time{}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("they are %+v, not %+v", got, want)
	}
	elsewhere := agent.SessionKey{Project: "other", Session: home.Session}
	if got, err := s.FileChanges(t.Context(), elsewhere, turn); len(got) != 0 || err != nil {
		t.Errorf("another project sees %v (%v)", got, err)
	}
}

// TestTheContentOfAChangeGoesWithItsSession, and not before.
func TestTheContentOfAChangeGoesWithItsSession(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	turn := say(t, s, home, "1", "", nil)
	content := []byte("what it held")
	must(t, s.AddFileChange(t.Context(), home, turn, FileChange{Path: "/a", Before: content, After: []byte("now")}))
	later := time.Now().Add(2 * keepUnused)
	collected := func() (n int) {
		for {
			more, err := s.collectMedia(t.Context(), later)
			must(t, err)
			if !more {
				return n
			}
			n++
		}
	}
	if n := collected(); n != 0 {
		t.Errorf("%d contents were collected", n)
	}
	must(t, s.DeleteSession(t.Context(), home))
	must(t, s.PurgeSession(t.Context(), home))
	collected()
	if _, err := s.Media(t.Context(), home.Project, agent.MediaOf(content).Handle); !errors.Is(err, ErrNotFound) {
		t.Errorf("after the purge: %v", err)
	}
}
