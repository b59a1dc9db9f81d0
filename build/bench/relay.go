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
// it passes on what is said, line by line, and notes how long the program took from the line with the question until the
// first one with text. Its own time counts as Parley's.

// asks and tells are what those lines hold: every message here is directed, and the protocols have one word each for text.
var (
	asks  = []byte("[[deltas:")
	tells = [][]byte{[]byte(`"text_delta"`), []byte(`"agent_message_chunk"`)}
)

// place puts a relay for a program into a folder, and gives the file that it writes to.
func place(folder, name, program string) (notes string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	notes = filepath.Join(folder, name+".notes")
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' relay '%s' '%s' \"$@\"\n", self, notes, program)
	return notes, os.WriteFile(filepath.Join(folder, name), []byte(script), 0o700)
}

// note is when a program was asked, and when it told.
type note struct{ asked, told time.Time }

func readNote(path string) (note, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return note{}, err
	}
	var asked, told int64
	_, err = fmt.Sscan(string(b), &asked, &told)
	return note{time.Unix(0, asked), time.Unix(0, told)}, err
}

// relay runs a program and gives its exit code.
func relay(notes string, command []string) (int, error) {
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
	var asked atomic.Int64
	go func() {
		defer in.Close()
		_ = pass(in, os.Stdin, func(line []byte) func() {
			if bytes.Contains(line, asks) {
				asked.Store(time.Now().UnixNano())
			}
			return nil
		})
	}()
	err = pass(os.Stdout, out, func(line []byte) func() {
		if asked.Load() == 0 || !bytes.Contains(line, tells[0]) && !bytes.Contains(line, tells[1]) {
			return nil
		}
		told := time.Now().UnixNano()
		return func() { _ = os.WriteFile(notes, fmt.Append(nil, asked.Swap(0), told), 0o600) }
	})
	var failed *exec.ExitError
	if ended := cmd.Wait(); ended != nil && !errors.As(ended, &failed) {
		err = errors.Join(err, ended)
	}
	return cmd.ProcessState.ExitCode(), err
}

// pass passes lines on, as soon as no more have come. see looks at each, and may give what is to be done once it is passed on,
// before the next one.
func pass(to io.Writer, from io.Reader, see func(line []byte) (then func())) error {
	in, out := bufio.NewReaderSize(from, 64<<10), bufio.NewWriterSize(to, 64<<10)
	for {
		line, err := in.ReadSlice('\n') // of a longer one the pieces
		then := see(line)
		if _, failed := out.Write(line); failed != nil {
			return failed
		}
		if in.Buffered() == 0 || then != nil {
			if failed := out.Flush(); failed != nil {
				return failed
			}
		}
		if then != nil {
			then()
		}
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
