package session

import (
	"bytes"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
)

// TestAnAgentIsToldOfWhatItDoesNotSee: the text goes as it is, in this turn and in those that follow, and the log says
// what did not.
func TestAnAgentIsToldOfWhatItDoesNotSee(t *testing.T) {
	w := fresh(t)
	var log bytes.Buffer
	w.Log = slog.New(slog.NewTextHandler(&log, nil))
	milk, err := agent.NewMedia([]byte("milk"))
	if err != nil {
		t.Fatal(err)
	}
	r := says("[[say:hi]]")
	r.User.Parts = append(r.User.Parts, milk.Part("list.txt"))
	r.Media = []agent.Media{milk}
	turn := w.send(t, r)
	if got := spoken(all(t, turn)); got != "hi" {
		t.Errorf("the answer is %q", got)
	}
	if !strings.Contains(log.String(), "does not see them") || strings.Contains(log.String(), "list.txt") {
		t.Errorf("the log says %q", log.String())
	}
	stored, err := w.store.History(t.Context(), turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	told, media, err := w.told(t.Context(), turn, stored, agent.Launch{})
	if err != nil || len(media) > 0 {
		t.Fatal(media, err)
	}
	got := told[0].Parts
	want := `[attached: "list.txt", text/plain; its content is not shown to you]`
	if len(got) != 2 || got[0] != r.User.Parts[0] || got[1] != (agent.TextPart{Text: want}) {
		t.Errorf("the agent is told %q", got)
	}
}

func TestADraftMayBeAFile(t *testing.T) {
	w := fresh(t)
	milk, err := agent.NewMedia([]byte("milk"))
	if err != nil {
		t.Fatal(err)
	}
	change := store.Change{DraftFiles: []agent.Part{agent.MediaPart{Handle: milk.Handle, Name: "list.txt"}}}
	if _, err := w.Change(t.Context(), home, change); agent.AsError(err).Code != agent.CodeValidation {
		t.Errorf("one that nobody uploaded: %v", err)
	}
	if err := w.store.PutMedia(t.Context(), home.Project, milk); err != nil {
		t.Fatal(err)
	}
	s, err := w.Change(t.Context(), home, change)
	if want := []agent.Part{milk.Part("list.txt")}; err != nil || !reflect.DeepEqual(s.DraftFiles, want) || s.Status != store.Created {
		t.Fatalf("got %+v, %v", s, err)
	}
	draft := "and a text"
	if s, err = w.Change(t.Context(), home, store.Change{Draft: &draft}); err != nil || len(s.DraftFiles) != 1 {
		t.Fatalf("got %+v, %v", s, err)
	}
	all(t, w.send(t, says("[[say:x]]")))
	if s := w.status(t); len(s.DraftFiles) != 0 {
		t.Errorf("the files outlived their sending: %+v", s.DraftFiles)
	}
}
