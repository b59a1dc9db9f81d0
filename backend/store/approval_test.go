package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

// approvals lists what is allowed in a project as text.
func approvals(t *testing.T, s *Store, project agent.ProjectID) string {
	t.Helper()
	list, err := s.Approvals(t.Context(), project)
	must(t, err)
	var lines []string
	for _, a := range list {
		if a.At.IsZero() {
			t.Errorf("nobody knows since when %s is allowed", a.Pattern)
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", a.Scope, a.Pattern, a.Session)))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestAnAnswerMayAllowMoreThanOneCall(t *testing.T) {
	s := fresh(t)
	other := agent.SessionKey{Project: home.Project, Session: "other"}
	elsewhere := agent.SessionKey{Project: "elsewhere", Session: home.Session}
	for _, key := range []agent.SessionKey{home, other, elsewhere} {
		must(t, s.CreateSession(t.Context(), key, spec, ""))
	}
	turn := waiting(t, s, home, "1", "", "2", "3", "4", "5", "6")
	answer := func(name string, approved bool, scope agent.Scope, rule string) agent.InteractionResponse {
		r := approve(name)
		r.Approved, r.Scope, r.Rule = approved, scope, rule
		return r
	}
	for _, step := range []struct {
		answer                agent.InteractionResponse
		here, there, anywhere string // the patterns after it: in the session, in another of the project, in another project
	}{
		{answer("1", false, agent.ScopeAlways, "shell"), "", "", ""},
		{answer("2", true, agent.ScopeOnce, ""), "", "", ""},
		{answer("3", true, agent.ScopeSession, "shell(ls *)"), "shell(ls *)", "", ""},
		{answer("4", true, agent.ScopeThisProject, "shell(git *)"), "shell(git *) shell(ls *)", "shell(git *)", ""},
		{answer("5", true, agent.ScopeAlways, "list"), "list shell(git *) shell(ls *)", "list shell(git *)", "list"},
		{answer("6", true, agent.ScopeSession, "shell(ls *)"), "list shell(git *) shell(ls *)", "list shell(git *)", "list"},
	} {
		_, _, err := s.AnswerQuestion(t.Context(), home, turn, step.answer)
		must(t, err)
		for key, want := range map[agent.SessionKey]string{home: step.here, other: step.there, elsewhere: step.anywhere} {
			if got, err := s.Allowed(t.Context(), key); err != nil || strings.Join(got, " ") != want {
				t.Errorf("after %s in %v allowed are %v (%v)", step.answer.ID, key, got, err)
			}
		}
	}
	if got := approvals(t, s, home.Project); got != "always list\nproject shell(git *)\nsession shell(ls *) "+string(home.Session) {
		t.Errorf("listed are\n%s", got)
	}
	if got := approvals(t, s, "elsewhere"); got != "always list" {
		t.Errorf("in another project are listed\n%s", got)
	}

	list, err := s.Approvals(t.Context(), home.Project)
	must(t, err)
	for _, a := range list {
		if err := s.Revoke(t.Context(), "elsewhere", a.ID, false); !errors.Is(err, ErrNotFound) {
			t.Errorf("another project takes back %s %s: %v", a.Scope, a.Pattern, err)
		}
		if err := s.Revoke(t.Context(), home.Project, a.ID, false); (err == nil) != (a.Scope != agent.ScopeAlways) {
			t.Errorf("the project takes back %s %s: %v", a.Scope, a.Pattern, err)
		}
		if err := s.Revoke(t.Context(), home.Project, a.ID, true); (err == nil) != (a.Scope == agent.ScopeAlways) {
			t.Errorf("the owner takes back %s %s: %v", a.Scope, a.Pattern, err)
		}
	}
	if got, err := s.Allowed(t.Context(), home); err != nil || len(got) != 0 {
		t.Errorf("still allowed are %v (%v)", got, err)
	}
}

func TestWhatIsAllowedInADeletedSessionIsNotListed(t *testing.T) {
	s := fresh(t)
	grown(t, s)
	must(t, s.DeleteSession(t.Context(), home))
	if got := approvals(t, s, home.Project); got != "" {
		t.Errorf("listed are\n%s", got)
	}
	must(t, s.RestoreSession(t.Context(), home))
	if got := approvals(t, s, home.Project); got != "session shell "+string(home.Session) {
		t.Errorf("listed are\n%s", got)
	}
}
