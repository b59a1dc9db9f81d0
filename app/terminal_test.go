package app

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// TestTheTerminalAsksForThePassphrase: where there is no keychain, who sits at a terminal chooses a passphrase once and
// is asked for it from then on. What is typed is never shown.
func TestTheTerminalAsksForThePassphrase(t *testing.T) {
	if _, err := exec.LookPath("script"); err != nil {
		t.Skip("script is missing; install the package util-linux to run this")
	}
	p := nobodySits(t)
	p.converse(exitDone, []string{"chat", "-m", "[[say:hello]]", "--session", "s"},
		"New passphrase: ", "correct horse", "again: ", "another one", "two passphrases",
		"", "New passphrase: ", "correct horse", "again: ", "correct horse", "hello")
	p.converse(exitDone, []string{"show", "s"},
		"Passphrase of the history: ", "wrong", "not the passphrase", "", "Passphrase of the history: ", "correct horse", "hello")
	p.converse(exitFailed, []string{"sessions"}, "Passphrase of the history: ", "\x03", "No passphrase")
	if _, notes, code := p.run("sessions"); code != exitFailed || !strings.Contains(notes, "parley serve") {
		t.Errorf("without a terminal: exit %d: %s", code, notes)
	}
}

// converse runs the program on a terminal. The words of the talk are what it shows and what is typed, in turns; an empty
// word types nothing.
func (p *place) converse(want int, args []string, talk ...string) {
	p.t.Helper()
	var line strings.Builder
	for _, word := range append([]string{p.binary}, args...) {
		line.WriteString("'" + word + "' ")
	}
	cmd := exec.CommandContext(p.t.Context(), "script", "-qec", line.String(), "/dev/null")
	cmd.Env, cmd.Dir = append(p.env, "SHELL=/bin/sh"), p.home
	keys, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	screen := bufio.NewReader(out)
	var shown strings.Builder
	for i, word := range talk {
		if i%2 == 1 {
			if word != "" {
				io.WriteString(keys, word+"\r")
			}
			continue
		}
		for seen := shown.Len(); !strings.Contains(shown.String()[seen:], word); {
			b, err := screen.ReadByte()
			if err != nil {
				p.t.Fatalf("%v does not say %q: %q (%v)", args, word, shown.String(), err)
			}
			shown.WriteByte(b)
		}
	}
	rest, _ := io.ReadAll(screen)
	shown.Write(rest)
	keys.Close()
	var failed *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &failed) {
		p.t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != want {
		p.t.Errorf("%v: exit %d: %q", args, code, shown.String())
	}
	for i, word := range talk {
		if i%2 == 1 && len(word) > 1 && strings.Contains(shown.String(), word) {
			p.t.Errorf("%v shows %q", args, word)
		}
	}
}
