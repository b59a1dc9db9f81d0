package store

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
)

var (
	shed  = SecretID{Project: "elsewhere", Slug: "shed-key"}
	keyed = SecretID{Provider: "openai", Slug: "own"}
)

// holdsTheShedKey wants what the dumps tell of secrets.
func holdsTheShedKey(t *testing.T, s *Store) {
	t.Helper()
	found, err := s.Secrets(t.Context())
	want := []Secret{
		{SecretID: shed, Name: "Shed key", Description: "for the shed", Tags: []string{"garden"}, Format: "json", Shown: []string{"user"},
			Keeping: Kept, Created: instant(3000), Expires: instant(9000), Used: instant(3800)},
		{SecretID: keyed, Name: "own", Tags: []string{}, Format: "text", Shown: []string{"abcd"}, Keeping: Kept, Created: instant(3001)},
	}
	if err != nil || !reflect.DeepEqual(found, want) {
		t.Errorf("the secrets are %+v (%v)", found, err)
	}
	uses, err := s.SecretUses(t.Context(), shed, 9)
	if err != nil || !reflect.DeepEqual(uses, []SecretUse{{"s", "Shopping", "mcp_shed_open", instant(3800)}}) {
		t.Errorf("it was used by %+v (%v)", uses, err)
	}
	if chosen, err := s.ChosenKeys(t.Context(), "elsewhere"); err != nil || chosen["openai"] != "own" {
		t.Errorf("chosen are %v (%v)", chosen, err)
	}
}

func TestASecretIsWhatWasPutLast(t *testing.T) {
	s := fresh(t)
	one := Secret{SecretID: shed, Name: "Shed", Tags: []string{}, Format: "text", Shown: []string{}, Keeping: Going, Created: instant(1)}
	must(t, s.PutSecret(t.Context(), one))
	unsettled, err := s.UnsettledSecrets(t.Context())
	if err != nil || len(unsettled) != 1 || unsettled[0].SecretID != shed {
		t.Errorf("unsettled are %+v (%v)", unsettled, err)
	}
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	must(t, s.UseSecret(t.Context(), shed, home, "run_command"))
	one.Name, one.Keeping, one.Expires, one.Tags = "Barn", Kept, instant(9), []string{"a", "b"}
	must(t, s.PutSecret(t.Context(), one))
	found, err := s.Secrets(t.Context())
	must(t, err)
	if len(found) != 1 || found[0].Used.IsZero() {
		t.Fatalf("the secrets are %+v", found)
	}
	one.Used = found[0].Used
	if !reflect.DeepEqual(found[0], one) {
		t.Errorf("it is %+v, not %+v", found[0], one)
	}
	if unsettled, err := s.UnsettledSecrets(t.Context()); err != nil || len(unsettled) != 0 {
		t.Errorf("unsettled are %+v (%v)", unsettled, err)
	}
}

func TestTheUsesOfASecretGoWithItOrWithTheSession(t *testing.T) {
	s := fresh(t)
	other := agent.SessionKey{Project: home.Project, Session: "other"}
	for _, key := range []agent.SessionKey{home, other} {
		must(t, s.CreateSession(t.Context(), key, spec, ""))
	}
	must(t, s.PutSecret(t.Context(), Secret{SecretID: shed, Keeping: Kept}))
	for i, key := range []agent.SessionKey{home, other, home} {
		must(t, s.UseSecret(t.Context(), shed, key, fmt.Sprint("tool-", i)))
	}
	uses := func(most int) string {
		found, err := s.SecretUses(t.Context(), shed, most)
		must(t, err)
		var b strings.Builder
		for _, u := range found {
			fmt.Fprintf(&b, "%s %s, ", u.Session, u.Tool)
		}
		return b.String()
	}
	if got := uses(2); got != "s tool-2, other tool-1, " {
		t.Errorf("used by %s", got)
	}
	for what, err := range map[string]error{
		"no such secret":      s.UseSecret(t.Context(), SecretID{Slug: "shed-key"}, home, "x"),
		"no such session":     s.UseSecret(t.Context(), shed, agent.SessionKey{Project: "elsewhere", Session: "s"}, "x"),
		"forgets no secret":   s.ForgetSecret(t.Context(), keyed),
		"chooses no key":      s.ChooseKey(t.Context(), "", "openai", "own"),
		"chooses another's":   s.ChooseKey(t.Context(), "", "openai", "shed-key"),
		"chooses a named one": s.ChooseKey(t.Context(), "", "", "shed-key"),
	} {
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, errors.Join(s.DeleteSession(t.Context(), home), s.PurgeSession(t.Context(), home)))
	if got := uses(9); got != "other tool-1, " {
		t.Errorf("used by %s", got)
	}
	must(t, s.ForgetSecret(t.Context(), shed))
	must(t, s.PutSecret(t.Context(), Secret{SecretID: shed, Keeping: Kept}))
	if got := uses(9); got != "" {
		t.Errorf("a new one of the name was used by %s", got)
	}
}

func TestAProjectMayChooseItsKey(t *testing.T) {
	s := fresh(t)
	for _, name := range []string{"own", "work"} {
		must(t, s.PutSecret(t.Context(), Secret{SecretID: SecretID{Provider: "openai", Slug: name}, Keeping: Kept}))
	}
	for _, step := range []struct {
		project         agent.ProjectID
		name            string
		here, elsewhere string
	}{
		{"", "own", "own", "own"},
		{"here", "work", "work", "own"},
		{"", "work", "work", "work"},
		{"here", "own", "own", "work"},
		{"here", "", "work", "work"},
		{"", "", "", ""},
	} {
		must(t, s.ChooseKey(t.Context(), step.project, "openai", step.name))
		for project, want := range map[agent.ProjectID]string{"here": step.here, "elsewhere": step.elsewhere} {
			if chosen, err := s.ChosenKeys(t.Context(), project); err != nil || chosen["openai"] != want {
				t.Errorf("after %+v in %s is chosen %v (%v)", step, project, chosen, err)
			}
		}
	}
	must(t, s.ChooseKey(t.Context(), "here", "openai", "own"))
	must(t, s.ForgetSecret(t.Context(), SecretID{Provider: "openai", Slug: "own"}))
	if chosen, err := s.ChosenKeys(t.Context(), "here"); err != nil || len(chosen) != 0 {
		t.Errorf("a key that is gone is chosen: %v (%v)", chosen, err)
	}
}
