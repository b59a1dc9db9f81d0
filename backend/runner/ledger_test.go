//go:build linux

package runner

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// processesAt gives the living processes that name root in their command line.
func processesAt(root string) (found []stat) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		s, exists := readStat(pid)
		line, _ := os.ReadFile(f)
		if exists && !s.ended() && pid != os.Getpid() && bytes.Contains(line, []byte(root)) {
			found = append(found, s)
		}
	}
	return found
}

// nothingLeft fails the test if a process is left at root, and ends it then.
func nothingLeft(t testing.TB, root string) {
	t.Helper()
	if left := processesAt(root); len(left) > 0 {
		t.Errorf("processes are left: %+v", left)
		for _, s := range left {
			s.kill()
		}
	}
}

// startApp starts an app in a process of its own, and returns once a runner of it is in the middle of a turn.
func startApp(t *testing.T) (app *exec.Cmd, ledger, root string) {
	ledger, root = t.TempDir(), t.TempDir()
	app = exec.Command(executable(), "as=app", ledger, root)
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nothingLeft(t, root) })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "busy\n" {
		t.Fatalf("the app said %q, %v", line, err)
	}
	return app, ledger, root
}

func killApp(t *testing.T, app *exec.Cmd) {
	t.Helper()
	if err := app.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = app.Wait()
}

// within waits until ok, looking again and again.
func within(t *testing.T, limit time.Duration, ok func() bool) {
	t.Helper()
	deadline := time.After(limit)
	for !ok() {
		select {
		case <-deadline:
			t.Fatal("it did not come true in time")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func onlyEntry(t *testing.T, ledger string) entry {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(ledger, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var e entry
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return e
}

func reap(t *testing.T, ledger string, want int) {
	t.Helper()
	if n, err := Reap(ledger, slog.New(slog.DiscardHandler)); n != want || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
	if files, _ := os.ReadDir(ledger); len(files) != 0 {
		t.Errorf("the ledger still has %v", files)
	}
}

// TestWhenTheAppDies its runners end themselves, and take along all that they started.
func TestWhenTheAppDies(t *testing.T) {
	app, ledger, root := startApp(t)
	if n := len(processesAt(root)); n != 4 { // app, runner, and two children
		t.Errorf("%d processes", n)
	}
	killApp(t, app)
	within(t, 5*time.Second, func() bool { return len(processesAt(root)) == 0 })
	reap(t, ledger, 0)
}

// TestARunnerThatIsAskedToEnd by somebody else does so in the same way.
func TestARunnerThatIsAskedToEnd(t *testing.T) {
	app, ledger, root := startApp(t)
	if err := syscall.Kill(onlyEntry(t, ledger).PID, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = app.Wait()
	within(t, 5*time.Second, func() bool { return len(processesAt(root)) == 0 })
}

func TestReapingARunnerThatCouldNotNotice(t *testing.T) {
	app, ledger, root := startApp(t)
	if err := syscall.Kill(onlyEntry(t, ledger).PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	killApp(t, app)
	reap(t, ledger, 1)
	within(t, 5*time.Second, func() bool { return len(processesAt(root)) == 0 })
}

// TestReapingWhatARunnerLeftBehind: the runner is gone too, and what it started is still in its session.
func TestReapingWhatARunnerLeftBehind(t *testing.T) {
	ledger, root := t.TempDir(), t.TempDir()
	leader := exec.Command("/bin/sh", "-c", `"$0" as=child "$1" & read x`, executable(), root)
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := leader.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	startAndWait(leader)
	if _, err := remember(ledger, leader.Process.Pid); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	_ = leader.Wait()
	if n := len(processesAt(root)); n != 1 {
		t.Fatalf("%d processes", n)
	}
	reap(t, ledger, 1)
	nothingLeft(t, root)
}

func TestReapingTouchesNoStranger(t *testing.T) {
	root := t.TempDir()
	stranger := exec.Command(executable(), "as=child", root)
	stranger.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	startAndWait(stranger)
	defer func() { stranger.Process.Kill(); stranger.Wait() }()
	pid := stranger.Process.Pid
	start, _ := birth(pid)
	for name, e := range map[string]entry{
		"with our number":                {pid, "1", bootID()},
		"after a restart of the machine": {pid, start, "another"},
		"who is nobody any more":         {1 << 22, start, bootID()},
		"under another number":           {os.Getpid(), start, bootID()},
	} {
		ledger := t.TempDir()
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(ledger, strconv.Itoa(e.PID)+".json"), b, 0o600); err != nil {
			t.Fatal(err)
		}
		reap(t, ledger, 0)
		if s, ok := readStat(pid); !ok || s.state == 'Z' {
			t.Fatalf("%s: it was killed", name)
		}
	}
}

func TestReapingAFolderThatHoldsAnything(t *testing.T) {
	ledger := t.TempDir()
	for name, body := range map[string]string{
		"7.json": "", "8.json": `{"pid":8,`, "9.json": `{"pid":1,"start":"1"}`, "10.json": `[]`,
		"notes.json": "mine", "README": "mine", "11.json.new": "{",
	} {
		if err := os.WriteFile(filepath.Join(ledger, name), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(ledger, "12.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if n, err := Reap(ledger, slog.New(slog.DiscardHandler)); n != 0 || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
	var left []string
	files, _ := os.ReadDir(ledger)
	for _, f := range files {
		left = append(left, f.Name())
	}
	if got := strings.Join(left, " "); got != "11.json.new 12.json README notes.json" {
		t.Errorf("left are %s", got)
	}
	reap(t, filepath.Join(ledger, "missing"), 0)
}

// FuzzEntry never calls what would kill: an entry that is believed by mistake must not cost more than a failed test.
func FuzzEntry(f *testing.F) {
	for pid, b := range map[int]string{7: `{"pid":7,"start":"1","boot":"x"}`, 8: `{"pid":7}`, 1: `{"pid":1}`, 0: `{}`, -1: `{"pid":-1}`, 9: `{"pid":`} {
		f.Add(pid, []byte(b))
	}
	f.Fuzz(func(t *testing.T, pid int, b []byte) {
		if e, ok := parseEntry(pid, b); ok && (e.PID != pid || e.PID <= 1) {
			t.Errorf("%d: %s gave %+v", pid, b, e)
		}
	})
}

func FuzzStat(f *testing.F) {
	f.Add([]byte("7 (a) b) ) S 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 123 0 0"))
	f.Add([]byte("7 (sh"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, ok := parseStat(7, b); ok && (s.pid != 7 || s.start == "") {
			t.Errorf("%q gave %+v", b, s)
		}
	})
}

func TestStat(t *testing.T) {
	s, ok := parseStat(7, []byte("7 (a) R 9 (b)) S 1 2 3 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 123 0 0\n"))
	if !ok || s != (stat{pid: 7, parent: 1, session: 3, state: 'S', start: "123"}) {
		t.Errorf("%+v %v", s, ok)
	}
}
