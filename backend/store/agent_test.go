package store

import (
	"errors"
	"reflect"
	"testing"

	"parley/backend/agent"
)

func TestAgentsAreKeptAndReplaced(t *testing.T) {
	s := fresh(t)
	first := agent.Spec{ID: "first", Harness: agent.KindNative, Provider: "openai", Model: "m", SystemPrompt: "p", Tools: []string{"read_file"}}
	second := agent.Spec{ID: "second", Harness: agent.KindPi, Options: map[string]string{"mode": "plan"}}
	must(t, s.PutAgent(t.Context(), first))
	must(t, s.PutAgent(t.Context(), second))
	first.Permissions = agent.Permissions{Mode: agent.ModePlan, Rules: agent.Rules{Default: agent.Deny, Rules: []agent.Rule{{Pattern: "read_file(a*)", Permission: agent.Allow}}}}
	must(t, s.PutAgent(t.Context(), first))
	if got, err := s.Agents(t.Context()); err != nil || !reflect.DeepEqual(got, []agent.Spec{first, second}) {
		t.Errorf("there are %+v (%v)", got, err)
	}
	must(t, s.DeleteAgent(t.Context(), "first"))
	if err := s.DeleteAgent(t.Context(), "first"); !errors.Is(err, ErrNotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if got, err := s.Agents(t.Context()); err != nil || !reflect.DeepEqual(got, []agent.Spec{second}) {
		t.Errorf("left are %+v (%v)", got, err)
	}
}

func TestTrustIsOfOneProject(t *testing.T) {
	s := fresh(t)
	for _, trusted := range []bool{false, true, true, false} {
		must(t, s.Trust(t.Context(), "here", trusted))
		here, err := s.Trusts(t.Context(), "here")
		must(t, err)
		there, err := s.Trusts(t.Context(), "there")
		must(t, err)
		if here != trusted || there {
			t.Errorf("with %v: %v here, %v elsewhere", trusted, here, there)
		}
	}
}
