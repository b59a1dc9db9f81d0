package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley/backend/api"
	"parley/backend/modelserver"
)

// TestSecretsAndKeysOnTheCommandLine plays the commands in testdata/secrets.txt beside a Parley that runs: "$ args < input" and below
// it what is printed, lines of stderr after "! ".
func TestSecretsAndKeysOnTheCommandLine(t *testing.T) {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk-work-0123456789-good" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprint(w, `{"data":[]}`)
	}))
	t.Cleanup(provider.Close)
	p := newPlace(t)
	if err := os.Mkdir(filepath.Join(p.home, "garden"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.env = append(p.env, "PARLEY_OPENAI_BASE_URL="+provider.URL, "ANTHROPIC_API_KEY=sk-of-the-environment", "TZ=UTC")
	s := p.serve()
	server := json.RawMessage(`{"id":"notes","transport":"stdio","command":"notes","env":{"TOKEN":"{{secret:github-token}}"}}`)
	res, err := s.do(t.Context(), http.MethodPut, "/mcp/servers/notes", server)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	const fixture = "testdata/secrets.txt"
	text, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	var played strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || line == "\n" {
			played.WriteString(line)
		}
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			played.WriteString(line + p.play(strings.TrimSuffix(command, "\n"), provider.URL))
		}
	}
	if *update {
		if err := os.WriteFile(fixture, []byte(played.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if played.String() != string(text) {
		t.Errorf("it went\n%s", played.String())
	}
}

// TestARunUsesTheKeyOfItsProject, as it is then: the environment's, one in the keyring, the one that was chosen, and its next value.
func TestARunUsesTheKeyOfItsProject(t *testing.T) {
	model := modelserver.New(modelserver.Options{})
	given := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given <- r.Header.Get("Authorization")
		model.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p := newPlace(t)
	p.env = append(p.env, "PARLEY_MODEL=scripted-1", "PARLEY_OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_API_KEY=sk-of-the-environment")
	s := p.serve()
	store := func(name, value string) {
		s.change(http.MethodPost, "/keys", api.NewKey{Provider: "openai", Name: name, Value: value})
	}
	for i, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, "sk-of-the-environment"},
		{func() { store("own", "sk-own") }, "sk-own"},
		{func() { store("work", "sk-work") }, "sk-own"},
		{func() { s.change(http.MethodPut, "/chosen-keys/openai", api.KeyChoice{Name: "work"}) }, "sk-work"},
		{func() { store("work", "sk-work-renewed") }, "sk-work-renewed"},
	} {
		step.change()
		said, err := io.ReadAll(s.say(fmt.Sprint("u", i), "[[say:here is "+step.want+"]]"))
		if got := <-given; got != "Bearer "+step.want {
			t.Errorf("step %d: the model was asked with %s", i, got)
		}
		if err != nil || !bytes.Contains(said, []byte("[secret:openai]")) || bytes.Contains(said, []byte(step.want)) {
			t.Errorf("step %d: the page was told %s (%v)", i, said, err)
		}
	}
}

func (s *server) change(method, path string, body any) {
	s.t.Helper()
	if _, err := ask[api.KeyList](s.t.Context(), s.Connection, method, path, body); err != nil {
		s.t.Fatal(err)
	}
}

func TestARunWithoutAKeySaysWhereToPutOne(t *testing.T) {
	p := newPlace(t)
	p.env = append(p.env, "PARLEY_MODEL=anthropic/m")
	_, notes, code := p.run("chat", "-m", "hi")
	if code != exitFailed || !strings.Contains(notes, "There is no API key for anthropic. Add one under Secrets and keys or with parley keys set anthropic, or set PARLEY_ANTHROPIC_API_KEY.") {
		t.Errorf("exit %d: %s", code, notes)
	}
	if out, _, code := p.run("doctor"); code != exitDone || !strings.Contains(out, "parley keys list says whether the keychain has one") {
		t.Errorf("doctor: exit %d: %s", code, out)
	}
}

var moment = regexp.MustCompile(`"created":\d+`)

// play runs one command and gives what it printed.
func (p *place) play(line, provider string) string {
	p.t.Helper()
	args, quoted, _ := strings.Cut(line, " < ")
	input := ""
	if quoted != "" {
		var err error
		if input, err = strconv.Unquote(quoted); err != nil {
			p.t.Fatalf("%s: %v", line, err)
		}
	}
	cmd := p.command(strings.Fields(args)...)
	var out, notes bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &notes
	err := cmd.Run()
	if cmd.ProcessState == nil {
		p.t.Fatal(err)
	}
	for note := range strings.Lines(notes.String()) {
		out.WriteString("! " + note)
	}
	if code := cmd.ProcessState.ExitCode(); code != exitDone {
		fmt.Fprintf(&out, "exit %d\n", code)
	}
	said := strings.ReplaceAll(out.String(), strings.TrimPrefix(provider, "http://"), "PROVIDER")
	return moment.ReplaceAllString(said, `"created":0`)
}
