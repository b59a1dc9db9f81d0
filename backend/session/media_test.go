package session

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"parley/backend/agent"
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
