//go:build linux

package process

import (
	"bufio"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func reap(t *testing.T, ledger string, want int) {
	t.Helper()
	if n, err := Reap(ledger, slog.New(slog.DiscardHandler)); n != want || err != nil {
		t.Errorf("reaped %d, %v", n, err)
	}
	if files, _ := os.ReadDir(ledger); len(files) != 0 {
		t.Errorf("the ledger still has %v", files)
	}
}

// TestReapingWhatAProgramLeftBehind: the program is gone, and what it started is still in its session.
func TestReapingWhatAProgramLeftBehind(t *testing.T) {
	ledger := t.TempDir()
	leader := exec.Command("/bin/sh", "-c", `sleep 600 >/dev/null 2>&1 & echo $!; read x`)
	leader.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := leader.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := leader.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := leader.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := remember(ledger, leader.Process.Pid); err != nil {
		t.Fatal(err)
	}
	stdin.Close()
	_ = leader.Wait()
	if s, ok := readStat(child); !ok || s.ended() {
		t.Fatal("the child is gone")
	}
	reap(t, ledger, 1)
	if s, ok := readStat(child); ok && !s.ended() {
		t.Error("the child is left")
		_ = syscall.Kill(child, syscall.SIGKILL)
	}
}

func TestReapingTouchesNoStranger(t *testing.T) {
	stranger, err := Start(Command{Path: "/bin/sleep", Args: []string{"600"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Kill()
	pid := stranger.PID()
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
		if s, ok := readStat(pid); !ok || s.ended() {
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
	if !ok || s != (stat{pid: 7, parent: 1, session: 3, state: 'S', start: "123", threads: 1}) {
		t.Errorf("%+v %v", s, ok)
	}
}
