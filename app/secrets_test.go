package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
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
