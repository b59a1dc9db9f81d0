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
	"syscall"
	"testing"
	"time"

	"parley/backend/process"
)

// processesAt gives the living processes that name root in their command line.
func processesAt(root string) (found []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		line, _ := os.ReadFile(f) // empty once it has ended
		if pid != os.Getpid() && bytes.Contains(line, []byte(root)) {
			found = append(found, pid)
		}
	}
	return found
}

// nothingLeft fails the test if a process is left at root, and ends it then.
func nothingLeft(t testing.TB, root string) {
	t.Helper()
	if left := processesAt(root); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL)
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

func onlyEntry(t *testing.T, ledger string) (e struct{ PID int }) {
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
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return e
}

func reap(t *testing.T, ledger string, want int) {
	t.Helper()
	if n, err := process.Reap(ledger, slog.New(slog.DiscardHandler)); n != want || err != nil {
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
