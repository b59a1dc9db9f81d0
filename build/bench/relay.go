package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"time"
)

// A relay stands on the PATH in a program's place, so that the program's own time is known without measuring in Parley:
// it passes on what is said, line by line, and notes when the line with the question went in and what came out.
// Its own time counts as Parley's.

// asks and tells are what those lines hold: every message here is directed, and the protocols have one word each for text.
var (
	asks  = []byte("[[deltas:")
	tells = [][]byte{[]byte(`"text_delta"`), []byte(`"agent_message_chunk"`)}
)

// notesFile is what a relay writes to, in the folder that its program works in: it may write nowhere else.
const notesFile = "relay.notes"

// place puts a relay for a program into a folder.
func place(folder, name, program string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' relay '%s' \"$@\"\n", self, program)
	return os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700)
}

// note is when a program was asked last, and when its first text since and its last line came.
type note struct{ asked, first, last time.Time }

const noteFormat = "%20d%20d%20d"

func (n note) String() string {
	return fmt.Sprintf(noteFormat, n.asked.UnixNano(), n.first.UnixNano(), n.last.UnixNano())
}

func readNote(path string) (note, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return note{}, err
	}
	var asked, first, last int64
	_, err = fmt.Sscanf(string(b), noteFormat, &asked, &first, &last)
	return note{time.Unix(0, asked), time.Unix(0, first), time.Unix(0, last)}, err
}

// relay runs a program and gives its exit code.
func relay(command []string) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	var asked atomic.Pointer[time.Time]
	go func() {
		defer in.Close()
		_ = pass(in, os.Stdin, func(line []byte) { // whoever listens may be gone
			if bytes.Contains(line, asks) {
				now := time.Now()
				asked.Store(&now)
			}
		})
	}()
	var n note
	var file *os.File // made with the first note: who asks a program for its version is in no folder of an agent's
	err = pass(os.Stdout, out, func(line []byte) {
		last, now := asked.Load(), time.Now()
		switch {
		case last == nil:
			return
		case n.asked == *last:
		case bytes.Contains(line, tells[0]) || bytes.Contains(line, tells[1]):
			n.asked, n.first = *last, now
		default:
			return
		}
		n.last = now
		if file == nil {
			file, _ = os.OpenFile(notesFile, os.O_WRONLY|os.O_CREATE, 0o600)
		}
		_, _ = file.WriteAt([]byte(n.String()), 0) // what is missing is found missing
	})
	var failed *exec.ExitError
	if ended := cmd.Wait(); ended != nil && !errors.As(ended, &failed) {
		err = errors.Join(err, ended)
	}
	return cmd.ProcessState.ExitCode(), err
}

// pass lets see look at each line and passes it on, at the latest when no more have come.
func pass(to io.Writer, from io.Reader, see func(line []byte)) error {
	in, out := bufio.NewReaderSize(from, 64<<10), bufio.NewWriterSize(to, 64<<10)
	for {
		line, err := in.ReadSlice('\n') // of a longer one the pieces
		see(line)
		out.Write(line) // an error stays, and Flush gives it
		if in.Buffered() == 0 {
			if failed := out.Flush(); failed != nil {
				return failed
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
