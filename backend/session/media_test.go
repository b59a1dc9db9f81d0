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

// TestWhoIsShownPictures: a loop sees those of the whole session, as far as there is room, the newest first; a program those of
// the newest message.
func TestWhoIsShownPictures(t *testing.T) {
	w := fresh(t)
	shown := func(content string, size int64) agent.Message {
		m := agent.Media{MimeType: "image/png", Handle: agent.MediaHandle("media://sha256-" + strings.Repeat(content, 64)), Content: []byte(content)}
		if err := w.store.PutMedia(t.Context(), home.Project, m); err != nil {
			t.Fatal(err)
		}
		part := m.Part(content)
		part.ByteLength = size
		return agent.Message{Role: agent.RoleUser, Parts: []agent.Part{part}}
	}
	for name, c := range map[string]struct {
		launch agent.Launch
		want   string
	}{
		"loop":        {agent.Launch{Endpoint: &agent.Endpoint{}}, "a c"},
		"program":     {agent.Launch{Program: &agent.Program{}, Endpoint: &agent.Endpoint{}}, "c"},
		"neither one": {agent.Launch{}, ""},
	} {
		said := []agent.Message{shown("a", 1), shown("b", seen), shown("c", 1)}
		said, media, err := w.told(t.Context(), &Turn{Key: home}, said, c.launch)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range said {
			if p, ok := m.Parts[0].(agent.MediaPart); ok {
				got = append(got, string(media[p.Handle]))
			}
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: sees %q", name, got)
		}
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
