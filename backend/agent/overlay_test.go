package agent

import (
	"fmt"
	"testing"
)

func TestAnOverlayOfAProgram(t *testing.T) {
	keyed := Spec{ID: "pi", Provider: "openai", Model: "gpt", Login: LoginKey, Options: map[string]string{"mode": "code", "effort": "high"}}
	own, opus := LoginOwn, "opus"
	if got := (Overlay{Login: &own}).Over(keyed); got.Login != own || got.Provider != "" || got.Model != "" {
		t.Errorf("with a login of its own it is %+v", got)
	}
	if got := (Overlay{Login: &own, Model: &opus}).Over(keyed); got.Model != opus || got.Provider != "" {
		t.Errorf("with a model of its own it is %+v", got)
	}
	openai := "openai"
	if got := (Overlay{Provider: &openai, Model: &opus}).Over(Spec{Login: LoginOwn}); got.Login != LoginKey || got.Provider != openai {
		t.Errorf("with a provider it is %+v", got)
	}
	got := Overlay{Options: map[string]string{"mode": "plan"}}.Over(keyed)
	if got.Options["mode"] != "plan" || got.Options["effort"] != "high" || got.Provider != "openai" {
		t.Errorf("with an option it is %+v", got)
	}
	if keyed.Options["mode"] != "code" {
		t.Error("the stored agent was written to")
	}
}

func TestAnOverlayOfTools(t *testing.T) {
	stored := Spec{Tools: []string{"read_file", "write_file"}, AuthorTools: []AuthorTool{{Name: "count"}, {Name: "send"}}}
	if got := (Overlay{}).Over(stored); len(got.Tools) != 2 || len(got.AuthorTools) != 2 {
		t.Errorf("without any: %+v", got)
	}
	got := Overlay{Tools: &[]string{"send", "read_file"}}.Over(stored)
	if len(got.Tools) != 1 || got.Tools[0] != "read_file" || len(got.AuthorTools) != 1 || got.AuthorTools[0].Name != "send" {
		t.Errorf("with two of them: %+v", got)
	}
}

func TestAnOverlayOfPermissions(t *testing.T) {
	never := Rules{Rules: []Rule{{"process", Deny}}}
	stored := Spec{Permissions: Permissions{ModeAsk, never}}
	if got := (Overlay{Permissions: &Permissions{Mode: ModeAuto}}).Over(stored).Permissions; got.Mode != ModeAuto || len(got.Rules.Rules) != 1 {
		t.Errorf("another mode takes the rules away: %+v", got)
	}
	if got := (Overlay{Permissions: &Permissions{Rules: Rules{Default: Allow}}}).Over(stored).Permissions; got.Mode != ModeAsk || got.Default != Allow || got.Rules.Rules != nil {
		t.Errorf("other rules give %+v", got)
	}
}

// TestWhichServersARequestNames: it may leave out some of the agent's own, and add others.
func TestWhichServersARequestNames(t *testing.T) {
	spec := Spec{MCPServers: []string{"notes"}, OwnServers: []MCPServer{{ID: "mine"}, {ID: "other"}}}
	for _, c := range []struct {
		asked     *[]string
		refs, own string
	}{
		{nil, "[notes]", "[mine other]"},
		{&[]string{}, "[]", "[]"},
		{&[]string{"mine", "tasks"}, "[tasks]", "[mine]"},
	} {
		got := Overlay{MCPServers: c.asked}.Over(spec)
		own := []string{}
		for _, s := range got.OwnServers {
			own = append(own, s.ID)
		}
		if fmt.Sprint(got.MCPServers) != c.refs || fmt.Sprint(own) != c.own {
			t.Errorf("%v: %v, %v", c.asked, got.MCPServers, own)
		}
	}
}
