package store

import (
	"errors"
	"strings"
	"testing"

	"parley/backend/agent"
)

// masking rewrites one word, wherever it is.
var masking = Rewriting{
	Text: mask,
	Parts: func(parts []agent.Part) []agent.Part {
		for i, p := range parts {
			if said, ok := p.(agent.TextPart); ok {
				parts[i] = agent.TextPart{Text: mask(said.Text)}
			}
		}
		return parts
	},
	Events: func(events []agent.Event) (masked []agent.Event) {
		for _, e := range events {
			switch said := e.(type) {
			case agent.MessageDelta:
				e = agent.MessageDelta{Text: mask(said.Text)}
			case agent.InteractionRequest:
				said.Payload = []byte(mask(string(said.Payload)))
				e = said
			case agent.InteractionResponse:
				said.Note = mask(said.Note)
				e = said
			}
			masked = append(masked, e)
		}
		return masked
	},
}

func mask(text string) string { return strings.ReplaceAll(text, "quinceword", "masked") }

// TestARewrittenSessionHoldsNothingOfWhatWasThere: no row, no hit, and no page, not even of what was there before.
func TestARewrittenSessionHoldsNothingOfWhatWasThere(t *testing.T) {
	s := fresh(t)
	s.stopCollect()
	s.collecting.Wait()
	tell(t, s, home, "the title of quinceword", "say quinceword, and pear", "quinceword it is", "and more", "nothing")
	turn := waiting(t, s, home, "10", "")
	_, err := s.AppendEvents(t.Context(), home, turn, []agent.Event{
		agent.MessageDelta{Text: "quinceword"}, agent.InteractionRequest{ID: "q11", Kind: agent.UserInput, Payload: []byte(`"for quinceword"`)},
	})
	must(t, err)
	_, _, err = s.AnswerQuestion(t.Context(), home, turn, agent.InteractionResponse{ID: "q10", Call: "c10", Note: "quinceword"})
	must(t, err)
	_, err = s.Enqueue(t.Context(), home, text("u12", agent.RoleUser, "later quinceword"), nil)
	must(t, err)
	draft := "draft of quinceword"
	must(t, s.ChangeSession(t.Context(), home, Change{Draft: &draft}))
	caughtUp(t, s)
	if got := search(t, s, Search{Text: "quinceword"}); got == "" || pagesWith(t, s, "quinceword") == 0 {
		t.Fatal("it was not there")
	}
	before, err := s.Log(t.Context(), home, 0, 100)
	must(t, err)
	if changed, err := s.Rewrite(t.Context(), home, masking); err != nil || changed != 7 { // two rows of the log, two messages, the queue, title and draft
		t.Errorf("changed %d, %v", changed, err)
	}
	caughtUp(t, s)
	forgotten(t, s)
	if n := pagesWith(t, s, "quince") + pagesWith(t, s, "uin"); n != 0 {
		t.Errorf("%d pages still hold it", n)
	}
	if got := search(t, s, Search{Text: "quinceword"}); got != "" {
		t.Errorf("found:\n%s", got)
	}
	if got := search(t, s, Search{Text: "masked pear"}) + search(t, s, Search{Text: "nothing"}); !strings.Contains(got, "[pear]") || !strings.Contains(got, "[nothing]") {
		t.Errorf("found:\n%s", got)
	}
	after, err := s.Log(t.Context(), home, 0, 100)
	if err != nil || len(after) != len(before) || after[len(after)-1].Seq != before[len(before)-1].Seq {
		t.Errorf("the log is %v, and was %v; %v", after, before, err)
	}
	if changed, err := s.Rewrite(t.Context(), home, masking); err != nil || changed != 0 {
		t.Errorf("the second time it changed %d, %v", changed, err)
	}
	if _, err := s.Rewrite(t.Context(), agent.SessionKey{Project: home.Project, Session: "none"}, masking); !errors.Is(err, ErrNotFound) {
		t.Errorf("of a session that is not there: %v", err)
	}
}

// TestARewritingThatFailsChangesNothing.
func TestARewritingThatFailsChangesNothing(t *testing.T) {
	s := fresh(t)
	tell(t, s, home, "", "say quinceword", "quinceword it is")
	broken := masking
	broken.Events = func([]agent.Event) []agent.Event { return nil }
	if _, err := s.Rewrite(t.Context(), home, broken); err == nil {
		t.Error("a log without its events was taken")
	}
	caughtUp(t, s)
	if got := search(t, s, Search{Text: "quinceword"}); strings.Count(got, "[quinceword]") != 2 {
		t.Errorf("found:\n%s", got)
	}
}

// TestTheIndexerDoesNotPutBackWhatWasRewritten: it may have read a message just before that.
func TestTheIndexerDoesNotPutBackWhatWasRewritten(t *testing.T) {
	s := fresh(t)
	s.stopIndex()
	s.indexing.Wait()
	tell(t, s, home, "", "say quinceword", "and more")
	if changed, err := s.Rewrite(t.Context(), home, masking); err != nil || changed != 1 || !s.forgotten.Load() {
		t.Errorf("changed %d, %v; the indexer does not know", changed, err)
	}
	caughtUp(t, s)
	if got := search(t, s, Search{Text: "quinceword"}) + search(t, s, Search{Text: "masked"}); strings.Count(got, "[masked]") != 1 {
		t.Errorf("found:\n%s", got)
	}
}
