//go:build unix

package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/backend/agent"
)

// shell is what run_command is given to run a line.
func shell(line string) given { return given{"command": "sh", "args": []string{"-c", line}} }

func ran(t testing.TB, set *Set, arguments given) (d runCommandData, output string) {
	t.Helper()
	r := call(t, set, "run_command", arguments)
	if r.IsError {
		t.Fatalf("%v: %s", arguments, r.Output)
	}
	if err := json.Unmarshal(r.Data, &d); err != nil {
		t.Fatal(err)
	}
	return d, r.Output
}

func TestRunCommand(t *testing.T) {
	t.Setenv("PARLEY_TEST_KEY", "secret")
	set, root := open(t)
	put(t, filepath.Join(root, "sub/script"), "#!/bin/sh\necho \"$1\" in ${PWD##*/}\n")
	if err := os.Chmod(filepath.Join(root, "sub/script"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		arguments given
		output    string
	}{
		{shell("echo out; echo err >&2; exit 3"), "out\n[stderr]\nerr\n[Exit code 3.]"},
		{shell("true"), "[It wrote nothing. Exit code 0.]"},
		{shell("kill -9 $$"), "[It was ended: signal: killed.]"},
		{shell("printf 'caf\\351'; cat"), "caf\uFFFD\n[Exit code 0.]"},
		{given{"command": "echo", "args": []string{"$HOME", "*", "a b"}}, "$HOME * a b\n[Exit code 0.]"},
		{given{"command": "./script", "args": []string{"run"}, "cwd": "sub"}, "run in sub\n[Exit code 0.]"},
		{given{"command": "sub/script", "args": []string{"run"}}, "run in root\n[Exit code 0.]"},
	} {
		if _, output := ran(t, set, c.arguments); output != c.output {
			t.Errorf("%v: %q, not %q", c.arguments, output, c.output)
		}
	}
	if d, _ := ran(t, set, given{"command": "env"}); strings.Contains(d.Stdout, "secret") || !strings.Contains(d.Stdout, "PATH=") {
		t.Errorf("the environment is\n%s", d.Stdout)
	}
	refused(t, call(t, set, "run_command", given{"command": "echo hello"}), `no program "echo hello"`)
	refused(t, call(t, set, "run_command", given{"command": "sub/absent"}), `no program "sub/absent"`)
	refused(t, call(t, set, "run_command", given{"command": "true", "cwd": ".."}), "outside the folder")
	refused(t, call(t, set, "run_command", given{"command": "true", "cwd": "absent"}), "does not exist")
	refused(t, call(t, set, "run_command", given{"command": "true", "cwd": "sub/script"}), "not a directory")
}

func TestAProgramThatMayNotReadTheHomeFolderHasOneOfItsOwn(t *testing.T) {
	private := t.TempDir()
	for home, want := range map[string]string{"/absent": private + "/home", private: private} {
		t.Setenv("HOME", home)
		set, err := Open(agent.Policy{Scratch: t.TempDir(), Private: private}, agent.Launch{Tools: Names()})
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := ran(t, set, shell("cd && pwd")); d.Stdout != want+"\n" {
			t.Errorf("the home is %s", d.Stdout)
		}
		set.Close()
	}
}

func TestACommandThatTakesTooLongIsEndedWithItsChildren(t *testing.T) {
	set, _ := open(t)
	arguments := shell("sleep 1000 & echo $!; wait")
	arguments["timeout_ms"] = 300
	d, output := ran(t, set, arguments)
	if !d.TimedOut || !strings.HasSuffix(output, "[It took too long and was ended, with all that it started.]") {
		t.Errorf("%+v", d)
	}
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(d.Stdout) + "/stat")
	if err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("its child is still there: %s", stat)
	}
}

func TestAChildThatStaysIsNotWaitedFor(t *testing.T) {
	set, _ := open(t)
	if d, _ := ran(t, set, shell("sleep 1000 & echo started")); d.Stdout != "started\n" || d.TimedOut {
		t.Errorf("%+v", d)
	}
}

func TestOfMuchOutputBothEndsAreKept(t *testing.T) {
	set, _ := open(t)
	d, output := ran(t, set, shell("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last"))
	if n := len(d.Stdout); n < maxStream || n > maxStream+100 || !strings.HasPrefix(d.Stdout, "first\n") || !strings.HasSuffix(d.Stdout, "x\nlast\n") {
		t.Errorf("%d bytes: %.20q", n, d.Stdout)
	}
	if !strings.Contains(d.Stdout, "\n[… 1951436 bytes were not kept …]\n") {
		t.Error("it is not said how much is missing")
	}
	if len(output) > maxOutput || !strings.HasSuffix(output, "last\n[Exit code 0.]"+whole) {
		t.Errorf("the model is given %d bytes", len(output))
	}
}

// The command goes on only after its first line was shown, and ends only because it is stopped.
func TestACommandShowsWhatItWritesAndCanBeStopped(t *testing.T) {
	set, root := open(t)
	pipe := filepath.Join(root, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var shown []string
	input, _ := json.Marshal(shell("echo one; cat pipe; echo two >&2; sleep 1000"))
	r := set.Run(ctx, nil, agent.ToolCall{ID: "c", Name: "run_command", Input: input}, func(e agent.Event) {
		p := e.(agent.ToolProgress)
		switch shown = append(shown, p.Output); p.Output {
		case "one\n":
			if err := os.WriteFile(pipe, nil, 0); err != nil {
				t.Error(err)
			}
		case "one\ntwo\n":
			stop()
		}
	})
	if !r.IsError || r.Output != "sh was stopped." || len(shown) != 2 {
		t.Errorf("%+v after %q", r, shown)
	}
}
