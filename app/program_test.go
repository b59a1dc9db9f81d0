package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/backend/session"
	"parley/backend/vault"
)

// binary gives the real program, built once for the tests that ask. The window is tested from the outside, in
// frontend/e2e.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scrap, "parley")
	build := exec.Command("go", "build", "-o", path, "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build parley: %w\n%s", err, out)
	}
	return path, nil
})

var update = flag.Bool("update", false, "write golden files anew, and into the table what the programs of others can do")

// scrap is a folder that goes when the tests end.
var scrap string

func TestMain(m *testing.M) {
	if os.Getenv(envNotes) != "" {
		playNotes()
		return
	}
	var err error
	if scrap, err = os.MkdirTemp("", "parley-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scrap)
	os.Exit(code)
}

// place is a data folder of its own, and a way to run the program over it.
type place struct {
	t      *testing.T
	binary string
	home   string
	user   string // the person's home
	env    []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	home, user := t.TempDir(), t.TempDir()
	passphrase := filepath.Join(user, "passphrase")
	if err := os.WriteFile(passphrase, []byte("for tests\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &place{t, path, home, user, []string{"PARLEY_HOME=" + home, "HOME=" + user, "PATH=" + os.Getenv("PATH"), vault.EnvPassphraseFile + "=" + passphrase}}
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), p.binary, args...)
	cmd.Env = p.env
	cmd.Dir = p.home
	return cmd
}

// run runs the program to its end.
func (p *place) run(args ...string) (stdout, stderr string, code int) {
	p.t.Helper()
	cmd := p.command(args...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	var failed *exec.ExitError
	if e := cmd.Run(); e != nil && !errors.As(e, &failed) {
		p.t.Fatal(e)
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// server is a `parley serve` that runs.
type server struct {
	*place
	Connection
	cmd *exec.Cmd
	log *bytes.Buffer // what it has written to stderr; read it once it is killed
}

func (p *place) serve(args ...string) *server {
	p.t.Helper()
	s := &server{place: p, cmd: p.command(append([]string{"serve", "--json"}, args...)...), log: &bytes.Buffer{}}
	s.cmd.Stderr = s.log
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	if err := json.NewDecoder(out).Decode(&s.Connection); err != nil {
		s.cmd.Wait()
		p.t.Fatalf("serve: %v\n%s", err, s.log)
	}
	return s
}

// say sends a message and gives the stream of its answer.
func (s *server) say(id, text string) io.Reader {
	s.t.Helper()
	body := json.RawMessage(fmt.Sprintf(`{"id":"s","messages":[{"id":%q,"role":"user","parts":[{"type":"text","text":%q}]}]}`, id, text))
	res, err := s.do(s.t.Context(), http.MethodPost, "/messages", body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { res.Body.Close() })
	return res.Body
}

func (s *server) load() string {
	s.t.Helper()
	messages, err := ask[json.RawMessage](s.t.Context(), s.Connection, http.MethodPost, "/load-session", map[string]string{"session_id": "s"})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(messages)
}

// kill ends the server as a crash would.
func (s *server) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// runners gives the processes that work in this place's scratch folders.
func (p *place) runners() []int {
	p.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		p.t.Fatal(err)
	}
	var pids []int
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(b, []byte(p.home)) || !bytes.Contains(b, []byte("\x00runner\x00")) {
			continue
		}
		var pid int
		fmt.Sscanf(file, "/proc/%d/", &pid)
		pids = append(pids, pid)
	}
	return pids
}

// readUntil reads a stream until it holds want.
func readUntil(t *testing.T, stream io.Reader, want string) {
	t.Helper()
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("waiting for %q: %v", want, err)
		}
		if strings.Contains(line, want) {
			return
		}
	}
}

// gone waits until a condition that ends by itself holds.
func gone(t *testing.T, what string, left func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for left() {
		select {
		case <-deadline:
			t.Fatalf("%s still there", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func events(t *testing.T, out string) []session.Event {
	t.Helper()
	var list []session.Event
	for line := range strings.Lines(out) {
		var e session.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, e)
	}
	return list
}

func TestChatPrintsEvents(t *testing.T) {
	p := newPlace(t)
	out, notes, code := p.run("chat", "-m", "hi", "--json", "--session", "s")
	if code != exitDone || notes != "" {
		t.Fatalf("exit %d: %s", code, notes)
	}
	list := events(t, out)
	for i, e := range list {
		if e.SequenceNumber != int64(i) || e.SessionID != "s" {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	if list[0].Type != "session:started" || list[len(list)-1].Type != "session:turn_completed" || list[len(list)-1].StopReason != "stop" {
		t.Errorf("from %+v to %+v", list[0], list[len(list)-1])
	}
	more, _, _ := p.run("chat", "-m", "again", "--json", "--session", "s")
	if next := events(t, more)[0]; next.SequenceNumber != int64(len(list)) || next.Type != "session:turn_started" {
		t.Errorf("after a restart: %+v", next)
	}
	if files, err := os.ReadDir(filepath.Join(p.home, "runners")); err != nil || len(files) != 0 || len(p.runners()) != 0 {
		t.Errorf("left behind: %v %v (%v)", files, p.runners(), err)
	}
}

func TestChatForPeople(t *testing.T) {
	p := newPlace(t)
	cmd := p.command("chat", "--session", "s")
	cmd.Stdin = strings.NewReader(`[[tool:write_file {"path":"a.txt","content":"x"}]] [[say:written]]`)
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != "written" {
		t.Errorf("got %q (%v)", out, err)
	}
	if list, _, code := p.run("sessions"); code != 0 || !strings.HasPrefix(list, "s  ") {
		t.Errorf("sessions: %d %q", code, list)
	}
	if hits, _, code := p.run("sessions", "--search", "ritten"); code != 0 || !strings.Contains(hits, "assistant: written\n") {
		t.Errorf("sessions --search: %d %q", code, hits)
	}
	if hits, _, code := p.run("sessions", "--search", "written -say", "--json"); code != 0 || !strings.Contains(hits, `"excerpt":[{"text":"written","hit":true}]`) {
		t.Errorf("sessions --search --json: %d %q", code, hits)
	}
	shown, _, code := p.run("show", "s")
	if code != 0 || !strings.Contains(shown, "· write_file") || !strings.Contains(shown, "written") {
		t.Errorf("show: %d %s", code, shown)
	}
	if file, err := os.ReadFile(filepath.Join(p.home, "scratch", "default", "s", "a.txt")); err != nil || string(file) != "x" {
		t.Errorf("the tool wrote %q (%v)", file, err)
	}
}

func TestExitCodes(t *testing.T) {
	p := newPlace(t)
	for name, c := range map[string]struct {
		args  []string
		code  int
		notes string
	}{
		"a failed turn":      {[]string{"chat", "-m", "[[error:401]]"}, exitFailed, "API key"},
		"an unknown session": {[]string{"show", "nothing"}, exitFailed, "no such session"},
		"an unknown agent":   {[]string{"chat", "-m", "x", "--agent", "nobody"}, exitFailed, `There is no agent "nobody"`},
		"an unknown flag":    {[]string{"chat", "--nothing"}, exitUsage, "--nothing"},
		"a bad id":           {[]string{"chat", "-m", "x", "--session", "../x"}, exitUsage, "session_id must match"},
		"no message":         {[]string{"chat", "-m", " "}, exitUsage, "-m needs a message"},
		"it has to ask":      {[]string{"chat", "-m", addsLine, "--agent", "demo-careful"}, exitWaits, ""},
		"nobody is asked":    {[]string{"chat", "-m", addsLine, "--agent", "demo-careful", "--mode", "deny"}, exitDone, ""},
		"an unknown scope":   {[]string{"chat", "-m", "x", "--scope", "all"}, exitUsage, "sandboxed, project or full"},
		"an unknown mode":    {[]string{"chat", "-m", "x", "--mode", "yolo"}, exitUsage, "accept_edits"},
		"a scope of nothing": {[]string{"chat", "-m", "x", "--scope", "project"}, exitFailed, "Choose a folder first"},
		"an unknown command": {[]string{"fly"}, exitUsage, "fly"},
		"too many arguments": {[]string{"show", "a", "b"}, exitUsage, "accepts 1 arg"},
		"another machine":    {[]string{"serve", "--addr", "0.0.0.0:0"}, exitUsage, "127.0.0.1 only"},
		"no address":         {[]string{"serve", "--addr", "nothing"}, exitUsage, "not an address"},
		"the version":        {[]string{"version"}, exitDone, ""},
		"help":               {[]string{"chat", "--help"}, exitDone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, notes, code := p.run(c.args...)
			if code != c.code || !strings.Contains(notes, c.notes) {
				t.Errorf("exit %d: %s", code, notes)
			}
		})
	}
}

func TestOneOwnerManyClients(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	info, err := os.Stat(filepath.Join(p.home, "door.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the door's file: %v, %v", info.Mode(), err)
	}
	out, notes, code := p.run("serve", "--json")
	if code != 0 || !strings.Contains(out, s.URL) || !strings.Contains(notes, "runs already") {
		t.Errorf("a second serve: %d %s %s", code, out, notes)
	}
	if _, notes, code := p.run("chat", "-m", "hi", "--session", "s"); code != 0 {
		t.Errorf("chat beside it: %d %s", code, notes)
	}
	if !strings.Contains(s.load(), `"role":"assistant"`) {
		t.Error("the owner does not know what its client did")
	}
	s.cmd.Process.Signal(syscall.SIGINT)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	if _, err := os.Stat(filepath.Join(p.home, "door.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the door's file is still there (%v)", err)
	}
	if left := p.runners(); len(left) != 0 {
		t.Errorf("runners left: %v", left)
	}
}

func TestARunnerThatDiesEndsItsTurnAndNothingElse(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	stream := s.say("u1", "[[say:half of it]] [[hang]]")
	readUntil(t, stream, "half")
	for _, pid := range p.runners() {
		if process, err := os.FindProcess(pid); err != nil || process.Kill() != nil {
			t.Fatalf("runner %d could not be killed", pid)
		}
	}
	rest, err := io.ReadAll(stream)
	if err != nil || !strings.Contains(string(rest), `"code":"sandbox_error"`) || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("the turn ended with %s (%v)", rest, err)
	}
	next, err := io.ReadAll(s.say("u2", "[[say:all is well]]"))
	if err != nil || !strings.Contains(string(next), `"finishReason":"stop"`) {
		t.Errorf("the next turn: %s (%v)", next, err)
	}
	if loaded := s.load(); !strings.Contains(loaded, "half") {
		t.Errorf("what was said is lost: %s", loaded)
	}
}

func TestAnAppThatDiesLosesNothingAndLeavesNothing(t *testing.T) {
	p := newPlace(t)
	s := p.serve()
	readUntil(t, s.say("u1", "[[say:half of it]] [[hang]]"), "half")
	s.kill()
	gone(t, "the runner of a dead app", func() bool { return len(p.runners()) > 0 })

	s = p.serve()
	if loaded := s.load(); !strings.Contains(loaded, `"text":"half of it"`) || !strings.Contains(loaded, "data-agent-error") {
		t.Errorf("after the restart: %s", loaded)
	}
	next, err := io.ReadAll(s.say("u2", "[[say:on we go]]"))
	if err != nil || !strings.Contains(string(next), `"finishReason":"stop"`) {
		t.Errorf("the next turn: %s (%v)", next, err)
	}
}

func TestDoctor(t *testing.T) {
	p := newPlace(t)
	out, notes, code := p.run("doctor", "--json")
	if code != 0 {
		t.Errorf("exit %d: %s %s", code, out, notes)
	}
	for _, want := range []string{`"check":"history","status":"ok"`, `"check":"runner","status":"ok"`, `"check":"window","status":"note"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	p.env = append(p.env, "PARLEY_OPENAI_BASE_URL=nonsense")
	if out, _, code := p.run("doctor"); code != exitFailed || !strings.Contains(out, "PARLEY_OPENAI_BASE_URL") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestWithoutADisplayTheWindowBecomesAServer(t *testing.T) {
	p := newPlace(t)
	cmd := p.command()
	var notes bytes.Buffer
	cmd.Stderr = &notes
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	link, err := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Signal(os.Interrupt)
	if waitErr := cmd.Wait(); err != nil || waitErr != nil {
		t.Fatalf("%v, %v: %s", err, waitErr, notes.String())
	}
	if !strings.HasPrefix(link, "http://127.0.0.1:") || !strings.Contains(link, "/#token=") || !strings.Contains(notes.String(), "opens in a browser, because") {
		t.Errorf("link %q, notes %q", link, notes.String())
	}
}
