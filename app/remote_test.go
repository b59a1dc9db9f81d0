//go:build linux

package app

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/modelserver"
	"parley/backend/runner"
)

// far is a `parley runner --listen` that runs.
type far struct {
	url, root, token string
	cmd              *exec.Cmd
}

func (p *place) listens() *far {
	p.t.Helper()
	f := &far{root: filepath.Join(p.home, "far"), token: filepath.Join(p.t.TempDir(), "token")}
	if err := os.WriteFile(f.token, []byte("a token for tests\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	f.cmd = p.command("runner", "--listen", "127.0.0.1:0", "--root", f.root)
	f.cmd.Env = append(f.cmd.Env, runner.EnvToken+"="+f.token)
	out, err := f.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := f.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(f.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	f.url = strings.TrimSpace(line)
	return f
}

func (f *far) kill() {
	f.cmd.Process.Kill()
	f.cmd.Wait()
}

// use has the place's program run its agents there.
func (p *place) use(f *far) {
	p.env = append(p.env, envRunner+"="+f.url, runner.EnvToken+"="+f.token)
}

func TestARunnerThatListensPassesTheSuite(t *testing.T) {
	model := httptest.NewServer(modelserver.New(modelserver.Options{}))
	defer model.Close()
	p := newPlace(t)
	f := p.listens()
	agenttest.Run(t, agenttest.Suite{
		Launch: agent.Launch{
			Backend: agent.BackendInprocess, Harness: agent.KindNative, Model: "fake-1", Endpoint: &agent.Endpoint{Provider: "openai", BaseURL: model.URL + "/v1"},
			Tools: []string{"list_directory", "read_file", "write_file"}, PermissionPolicy: agent.PermissionAuto,
		},
		Secrets: map[string]string{"openai": "key"},
		Policy: func(t *testing.T) agent.Policy {
			folder := filepath.Join(f.root, "default", "sess_conformance")
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
			return agent.Policy{Scratch: folder}
		},
		New: func(t *testing.T) agent.Backend {
			r, err := runner.NewRemote(runner.RemoteOptions{URL: f.url, Token: "a token for tests", Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			return r
		},
	})
	f.cmd.Process.Signal(os.Interrupt)
	if err := f.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if left := p.runners(); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

func TestAgentsRunElsewhere(t *testing.T) {
	p := newPlace(t)
	f := p.listens()
	p.use(f)
	if out, _, code := p.run("doctor"); !strings.Contains(out, "answers at "+f.url) || !strings.Contains(out, "run at "+f.url) || strings.Contains(out, "is not installed") {
		t.Errorf("doctor: exit %d: %s", code, out)
	}
	s := p.serve()
	if said, err := io.ReadAll(s.say("u1", `[[tool:write_file {"path":"a.txt","content":"x"}]] [[say:written]]`)); err != nil || !bytes.Contains(said, []byte(`"finishReason":"stop"`)) {
		t.Errorf("it said %s (%v)", said, err)
	}
	if file, err := os.ReadFile(filepath.Join(f.root, "default", "s", "a.txt")); err != nil || string(file) != "x" {
		t.Errorf("the tool wrote %q (%v)", file, err)
	}
	if children := p.runners(); len(children) != 2 { // the one that listens, and the session's
		t.Errorf("%v run", children)
	}

	stream := s.say("u2", "[[deltas:2]] [[hang]]")
	readUntil(t, stream, "00001 ")
	f.kill()
	rest, err := io.ReadAll(stream)
	if err != nil || !bytes.Contains(rest, []byte(`The connection to the runner at `)) {
		t.Errorf("the turn ended with %s (%v)", rest, err)
	}
	gone(t, "what the runner started is", func() bool { return len(p.runners()) > 0 })
	if rest, err := io.ReadAll(s.say("u3", "[[say:never]]")); err != nil || !bytes.Contains(rest, []byte(`cannot be reached`)) {
		t.Errorf("the next turn ended with %s (%v)", rest, err)
	}
}

func TestARunnerNeedsItsToken(t *testing.T) {
	p := newPlace(t)
	if _, notes, code := p.run("runner", "--listen", "127.0.0.1:0"); code != exitFailed || !strings.Contains(notes, runner.EnvToken) {
		t.Errorf("without one: exit %d: %s", code, notes)
	}
	f := p.listens()
	p.use(f)
	if err := os.WriteFile(f.token, []byte("of another runner\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, code := p.run("doctor"); code != exitFailed || !strings.Contains(out, "does not accept the token") {
		t.Errorf("with another: exit %d: %s", code, out)
	}
	if err := os.WriteFile(f.token, []byte("short\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, notes, code := p.run("serve"); code != exitFailed || !strings.Contains(notes, "16 characters") || strings.Contains(notes, "short") {
		t.Errorf("with a short one: exit %d: %s", code, notes)
	}
}
