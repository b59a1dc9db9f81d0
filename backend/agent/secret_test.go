package agent

import (
	"errors"
	"fmt"
	"testing"
)

func TestSecretRefsAreFoundAndFilled(t *testing.T) {
	value := func(r SecretRef) (string, error) {
		if r.Slug == "gone" {
			return "", errors.New("no such secret")
		}
		return "<" + r.Slug + "|" + r.Field + ">", nil
	}
	for text, want := range map[string]struct {
		refs   string // "" with no refs is an error
		filled string
	}{
		"":                                    {"[]", ""},
		"no {{inputs.secret}} {{x}} secret:a": {"[]", "no {{inputs.secret}} {{x}} secret:a"},
		"Bearer {{secret:api-key}}":           {"[api-key]", "Bearer <api-key|>"},
		"{{ secret:a.user }}:{{secret:a.b}}":  {"[a.user a.b]", "<a|user>:<a|b>"},
		"{{secret:a}}{{secret:a}}":            {"[a]", "<a|><a|>"},
		"{{secret:gone}}":                     {"[gone]", ""},
		"{{secret:A}}":                        {},
		"{{secret:a--b}}":                     {},
		"{{secret:-a}}":                       {},
		"{{secret:}}":                         {},
		"{{secret:a.}}":                       {},
		"{{secret:a.b.c}}":                    {},
		"{{secret:a":                          {},
		"{{secret:a} }":                       {},
		"{{secret:a}} and {{ secret : a b}}":  {},
	} {
		refs, err := SecretRefs(text)
		if (err != nil) != (want.refs == "") || err == nil && fmt.Sprint(refs) != want.refs {
			t.Errorf("%q refers to %v, %v; want %s", text, refs, err, want.refs)
		}
		filled, err := FillSecrets(text, value)
		if filled != want.filled || (err != nil) != (want.refs == "" || want.refs == "[gone]") {
			t.Errorf("%q filled is %q, %v; want %q", text, filled, err, want.filled)
		}
	}
}

// TestValuesAreNotFilledAgain holds that a value which looks like a reference is a value.
func TestValuesAreNotFilledAgain(t *testing.T) {
	filled, err := FillSecrets("{{secret:a}}", func(SecretRef) (string, error) { return "{{secret:b}}$1", nil })
	if err != nil || filled != "{{secret:b}}$1" {
		t.Error(filled, err)
	}
}

func TestLaunchIsFilled(t *testing.T) {
	l := Launch{
		CommandEnv:  map[string]string{"TOKEN": "{{secret:a}}", "LEVEL": "debug"},
		Hosted:      []HostedTool{{Name: "there"}},
		AuthorTools: []AuthorTool{{Name: "here", Secrets: map[string]string{"K": "{{secret:a}}"}}, {Name: "there", Secrets: map[string]string{"K": "{{secret:c}}"}}},
		Servers:     []MCPServer{{ID: "s", Env: map[string]string{"K": "{{secret:b.c}}"}}, {ID: "h", Headers: map[string]string{"Authorization": "Bearer {{secret:a}}"}}},
	}
	filled, err := l.Filled(map[string]string{"secret:a": "{{secret:b.c}}", "secret:b.c": "two"})
	if err != nil || fmt.Sprint(filled.CommandEnv, filled.Servers[0].Env, filled.Servers[1].Headers, filled.AuthorTools[0].Secrets, filled.AuthorTools[1].Secrets) !=
		"map[LEVEL:debug TOKEN:{{secret:b.c}}] map[K:two] map[Authorization:Bearer {{secret:b.c}}] map[K:{{secret:b.c}}] map[K:{{secret:c}}]" {
		t.Error(filled, err)
	}
	if got := fmt.Sprint(l.Servers[0].Env, l.Servers[0].SecretRefs(), l.Servers[1].SecretRefs()); got != "map[K:{{secret:b.c}}] [b.c] [a]" {
		t.Errorf("what was filled is no copy: %s", got)
	}
	if _, err := l.Filled(map[string]string{"secret:a": "x"}); err == nil {
		t.Error("a reference without a value was filled")
	}
}
