package api

import (
	"reflect"
	"strings"
	"testing"
)

func TestWhatLooksLikeACredential(t *testing.T) {
	w := open(t)
	token := "ghp_" + strings.Repeat("a1B2", 9)
	var got CredentialsFound
	w.decode(w.request("POST", "/find-credentials", `{"text":"übe mit `+token+`, ja"}`, nil), &got)
	if want := (CredentialsFound{[]Credential{{"a GitHub token", token}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("found %v, wanted %v", got, want)
	}
	got = CredentialsFound{}
	w.decode(w.request("POST", "/find-credentials", `{"text":"nothing"}`, nil), &got)
	if got.Found == nil || len(got.Found) != 0 {
		t.Errorf("in a text without any: %#v", got)
	}
}
