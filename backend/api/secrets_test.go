package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/vault"
)

// with makes a request as the owner who looks at a project.
func (w *world) with(project, method, path, body string, into any) {
	w.t.Helper()
	w.decode(w.request(method, path, body, header(ProjectHeader, project)), into)
}

func (w *world) secrets(project string) string {
	w.t.Helper()
	var list SecretList
	w.with(project, "GET", "/secrets", "", &list)
	var b strings.Builder
	for _, s := range list.Secrets {
		fmt.Fprintf(&b, "%s %q %s %s %v", s.Slug, s.Name, s.Project, s.State, s.References)
		if s.Hides {
			b.WriteString(" hides")
		}
		b.WriteString("\n")
	}
	return b.String() + list.Problem
}

const shed = `{"name":"Shed key","format":"json","value":"{\"user\":\"ada\",\"password\":\"open-the-shed\"}","tags":["garden"],"description":"d"}`

func TestASecretFromItsMakingToItsEnd(t *testing.T) {
	w := open(t)
	var made, changed Secret
	w.with("garden", "POST", "/secrets", shed, &made)
	if made.Slug != "shed-key" || made.Project != "garden" || strings.Join(made.Fields, " ") != "user password" || made.Tags[0] != "garden" || made.Created == 0 {
		t.Errorf("made is %+v", made)
	}
	var value SecretValue
	w.with("garden", "POST", "/secrets/shed-key/reveal", "", &value)
	if value.Value != `{"user":"ada","password":"open-the-shed"}` {
		t.Errorf("revealed is %q", value.Value)
	}
	gardener := agent.Spec{ID: "gardener", Harness: agent.KindScripted, CommandEnv: map[string]string{"SHED": "{{secret:shed-key}}"}}
	if err := w.door.rooms.Store.PutAgent(t.Context(), gardener); err != nil {
		t.Fatal(err)
	}
	engine := `{"url":"https://example.org","api":"brave","headers":{"X-Subscription-Token":"{{secret:shed-key.password}}"}}`
	if err := os.WriteFile(filepath.Join(w.scratch, "search.json"), []byte(engine), 0o600); err != nil {
		t.Fatal(err)
	}
	var server Server
	w.decode(w.request("PUT", "/mcp/servers/shed", `{"id":"shed","transport":"stdio","command":"shed","env":{"USER":"{{secret:shed-key.user}}","PASSWORD":"{{secret:shed-key.password}}"}}`, nil), &server)
	if got := w.secrets("garden"); got != "shed-key \"Shed key\" garden ok [{mcp shed env.PASSWORD} {mcp shed env.USER} {tool web_search headers.X-Subscription-Token} {agent gardener command_env.SHED}]\n" {
		t.Errorf("there are\n%s", got)
	}
	w.with("garden", "PATCH", "/secrets/shed-key", `{"name":"Barn","value":"{\"user\":\"eve\"}","expires":4102444800000}`, &changed)
	if changed.Slug != "shed-key" || changed.Name != "Barn" || changed.Expires != 4102444800000 || len(changed.References) != 4 {
		t.Errorf("changed it is %+v", changed)
	}
	key := agent.SessionKey{Project: "garden", Session: "s"}
	for _, err := range []error{
		w.door.rooms.Store.CreateSession(t.Context(), key, agent.Spec{ID: "demo", Harness: agent.KindScripted}, ""),
		w.door.rooms.Secrets.Used(t.Context(), key, "shed-key", "mcp_shed_open"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var uses SecretUses
	w.with("garden", "GET", "/secrets/shed-key/uses", "", &uses)
	if len(uses.Uses) != 1 || uses.Uses[0].Session != "s" || uses.Uses[0].Tool != "mcp_shed_open" || uses.Uses[0].At == 0 {
		t.Errorf("the uses are %+v", uses)
	}
	var removed SecretRemoved
	w.with("garden", "DELETE", "/secrets/shed-key", "", &removed)
	if len(removed.References) != 4 || w.secrets("garden") != "" {
		t.Errorf("removed it leaves %+v and\n%s", removed, w.secrets("garden"))
	}
}

// Of another project's secrets one hears what one hears of none; one for every project is seen from each, and may be hidden.
func TestSecretsAreTheirProjects(t *testing.T) {
	w := open(t)
	var made Secret
	w.with("garden", "POST", "/secrets", shed, &made)
	for _, route := range []string{"PATCH /secrets/ID", "DELETE /secrets/ID", "POST /secrets/ID/reveal", "GET /secrets/ID/uses"} {
		method, path, _ := strings.Cut(route, " ")
		ask := func(slug string) string {
			f := failure(t, w.request(method, strings.Replace(path, "ID", slug, 1), "{}", header(ProjectHeader, "kitchen")))
			return strings.ReplaceAll(fmt.Sprint(f), slug, "ID")
		}
		if theirs, nobodys := ask("shed-key"), ask("no-key"); theirs != nobodys || !strings.Contains(theirs, "There is no secret") {
			t.Errorf("%s: %s, and of nobody's: %s", route, theirs, nobodys)
		}
	}
	w.with("kitchen", "POST", "/secrets", `{"name":"All","slug":"shed-key","global":true,"format":"text","value":"for-all"}`, &made)
	if got, want := w.secrets("garden"), "shed-key \"All\"  ok []\nshed-key \"Shed key\" garden ok [] hides\n"; got != want {
		t.Errorf("in the garden are\n%s", got)
	}
	var value SecretValue
	for path, want := range map[string]string{"/secrets/shed-key/reveal": "open-the-shed", "/secrets/shed-key/reveal?global=1": "for-all"} {
		if w.with("garden", "POST", path, "", &value); !strings.Contains(value.Value, want) {
			t.Errorf("%s gives %q", path, value.Value)
		}
	}
	var removed SecretRemoved
	w.with("garden", "DELETE", "/secrets/shed-key?global=1", "", &removed)
	if got := w.secrets("kitchen") + w.secrets("garden"); got != "shed-key \"Shed key\" garden ok []\n" {
		t.Errorf("left are\n%s", got)
	}
}

func TestSecretsAreImported(t *testing.T) {
	w := open(t)
	var out SecretsImported
	w.with("garden", "POST", "/import-secrets", `{"text":"A=one\nB\nC='two'\n","global":true}`, &out)
	if len(out.Made) != 2 || out.Made[1].Slug != "c" || out.Made[0].Project != "" || len(out.Refused) != 1 || out.Refused[0].Line != 2 || out.Refused[0].Why == "" {
		t.Errorf("imported are %+v", out)
	}
}

func TestSecretsWithoutAKeyring(t *testing.T) {
	w := open(t)
	var made Secret
	w.with("garden", "POST", "/secrets", shed, &made)
	closed, err := vault.OpenSealedFile(t.Context(), filepath.Join(t.TempDir(), "keys.sealed"), []byte("for tests"), vault.Cost{})
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	w.door.rooms.Secrets.Ring = closed
	if got := w.secrets("garden"); got != "shed-key \"Shed key\" garden ok []\nThe sealed key file is locked. Type its passphrase, then retry." {
		t.Errorf("there are\n%s", got)
	}
	for route, body := range map[string]string{"POST /secrets": shed, "PATCH /secrets/shed-key": `{"value":"{}"}`, "DELETE /secrets/shed-key": "", "POST /secrets/shed-key/reveal": "", "POST /keys": `{"provider":"openai","name":"a","value":"b"}`} {
		method, path, _ := strings.Cut(route, " ")
		if f := failure(t, w.request(method, path, body, header(ProjectHeader, "garden"))); !strings.Contains(f.Message, "The sealed key file is locked. Type its passphrase, then retry.") {
			t.Errorf("%s: %+v", route, f)
		}
	}
}

func TestDeletingEverythingTakesSecretsAndKeys(t *testing.T) {
	w := open(t)
	var made Secret
	var list KeyList
	w.with("garden", "POST", "/secrets", shed, &made)
	w.with("garden", "POST", "/keys", `{"provider":"openai","name":"own","value":"sk-own"}`, &list)
	w.decode(w.request("POST", "/vault/delete-everything", `{"confirm":"DELETE EVERYTHING"}`, nil), new(Vault))
	for _, account := range []string{"secret:garden/shed-key", "provider:openai:own"} {
		if _, err := ring.Get(t.Context(), account); !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("%s is still there (%v)", account, err)
		}
	}
	if got := w.secrets("garden") + w.keyring("garden"); got != "" {
		t.Errorf("there are\n%s", got)
	}
}

func (w *world) keyring(project string) string {
	w.t.Helper()
	var list KeyList
	w.with(project, "GET", "/keys", "", &list)
	var b strings.Builder
	for _, k := range list.Keys {
		fmt.Fprintf(&b, "%s %s …%s %s %s %v\n", k.Provider, k.Name, k.Last4, k.Source, k.Variable, k.Chosen)
	}
	return b.String()
}

func TestKeysAreKeptChosenAndChecked(t *testing.T) {
	w := open(t)
	w.keys = map[string]string{"openai": "sk-of-the-environment-1234"}
	asked := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization")
		if r.Header.Get("Authorization") != "Bearer sk-own-0000000000000000aaaa" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
	}))
	t.Cleanup(server.Close)
	w.door.Agents.Known.Endpoints["openai"] = agent.Endpoint{Provider: "openai", BaseURL: server.URL}

	var list KeyList
	w.with("garden", "POST", "/keys", `{"provider":"openai","name":"own","value":"sk-own-0000000000000000aaaa"}`, &list)
	w.with("garden", "POST", "/keys", `{"provider":"openai","name":"work","value":"sk-work-000000000000000bbbb"}`, &list)
	w.with("garden", "PUT", "/chosen-keys/openai", `{"name":"work"}`, &list)
	environment := "openai environment …1234 environment KEY_OF_openai false\n"
	for project, want := range map[string]string{
		"garden":  "openai own …aaaa keychain  false\nopenai work …bbbb keychain  true\n" + environment,
		"kitchen": "openai own …aaaa keychain  true\nopenai work …bbbb keychain  false\n" + environment,
	} {
		if got := w.keyring(project); got != want {
			t.Errorf("in the %s are\n%s", project, got)
		}
	}
	for name, want := range map[string]KeyChecked{
		"own":         {true, "openai takes this key."},
		"work":        {false, "openai at " + strings.TrimPrefix(server.URL, "http://") + " did not accept the API key (status 401)"},
		"environment": {false, "openai at " + strings.TrimPrefix(server.URL, "http://") + " did not accept the API key (status 401)"},
	} {
		var got KeyChecked
		w.with("garden", "POST", "/keys/openai/"+name+"/check", "", &got)
		if request := <-asked; got != want || !strings.HasPrefix(request, "GET /models Bearer sk-") {
			t.Errorf("%s by %s: %+v", name, request, got)
		}
	}
	w.with("garden", "DELETE", "/keys/openai/work", "", &list)
	if got := w.keyring("garden"); got != "openai own …aaaa keychain  true\n"+environment {
		t.Errorf("left are\n%s", got)
	}
	if f := failure(t, w.request("DELETE", "/keys/openai/work", "", nil)); !strings.Contains(f.Message, `There is no key "work" of openai`) {
		t.Errorf("again: %+v", f)
	}
}

// TestASecretIsSweptFromWhatWasSaid before it was one: in the sessions of its own project.
func TestASecretIsSweptFromWhatWasSaid(t *testing.T) {
	w := open(t)
	io.Copy(io.Discard, w.say("s", "u", "it is open-the-shed [[say:so it is open-the-shed]]").Body)
	w.with("default", "POST", "/secrets", shed, &Secret{})
	var swept SecretSwept
	w.with("garden", "POST", "/secrets", strings.Replace(shed, "Shed key", "other", 1), &Secret{})
	w.with("garden", "POST", "/sweep-secret", `{"slug":"other"}`, &swept)
	if swept != (SecretSwept{}) {
		t.Errorf("of another project's sessions it masked %+v", swept)
	}
	w.with("default", "POST", "/sweep-secret", `{"slug":"shed-key"}`, &swept)
	said, _ := w.load("s", "")
	if text := strings.Join(said, "\n"); swept.Masked == 0 || strings.Contains(text, "open-the-shed") || strings.Count(text, "[secret:shed-key]") < 2 {
		t.Errorf("masked %+v; said is\n%s", swept, text)
	}
}
