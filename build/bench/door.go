package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// door is a Parley that serves.
type door struct {
	URL, Token string
	PID        int
	cmd        *exec.Cmd
}

// serve starts Parley over a data folder and gives the time until its door was ready.
func (b *bench) serve(home string, env ...string) (*door, time.Duration, error) {
	cmd := exec.Command(b.parley, "serve", "--json")
	cmd.Dir = b.dir // which is what sessions are about
	cmd.Env = append(append(os.Environ(), "PARLEY_HOME="+home), env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	d := &door{cmd: cmd}
	if err := json.NewDecoder(out).Decode(d); err != nil {
		return nil, 0, errors.Join(fmt.Errorf("parley serve: %w", err), cmd.Wait())
	}
	return d, time.Since(begun), nil
}

func (d *door) close() error {
	d.cmd.Process.Signal(os.Interrupt)
	return d.cmd.Wait()
}

func (d *door) request(method, path, body string, header map[string]string) (*http.Response, error) {
	req, err := http.NewRequest(method, d.URL+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+d.Token)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err == nil && res.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(res.Body)
		return nil, fmt.Errorf("%s %s: %s %s", method, path, res.Status, b)
	}
	return res, err
}

// say sends a message and reads the answer.
func (d *door) say(session, id, text string) (stream, error) {
	begun := time.Now()
	res, err := d.post(session, id, text)
	if err != nil {
		return stream{}, err
	}
	return read(res.Body, begun)
}

// stream is what came of an answer, and when.
type stream struct {
	begun        time.Time
	first, whole time.Duration // until the first delta, until the end
	frames       int
	text         []byte // as it is in JSON
	failure      string // the frame that says it
	done         bool
}

// read reads Server-Sent Events as a client must, at the least cost, so that what is measured is the server.
func read(body io.ReadCloser, begun time.Time) (stream, error) {
	defer body.Close()
	s := stream{begun: begun}
	lines := bufio.NewReaderSize(body, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // a merged frame may be long
			var more []byte
			line = append([]byte(nil), line...)
			more, err = lines.ReadSlice('\n')
			line = append(line, more...)
		}
		if err == io.EOF {
			s.whole = time.Since(begun)
			return s, nil
		}
		if err != nil {
			return s, err
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok {
			continue
		}
		s.frames++
		if _, rest, ok := bytes.Cut(data, []byte(`"delta":"`)); ok {
			if len(s.text) == 0 {
				s.first = time.Since(begun)
			}
			s.text = append(s.text, rest[:bytes.LastIndexByte(rest, '"')]...)
		}
		if bytes.HasPrefix(data, []byte(`{"type":"error"`)) {
			s.failure = string(data)
		}
		if string(data) == "[DONE]\n" {
			s.done = true
		}
	}
}

// memory is the resident set of a process and its descendants, by /proc.
func memory(pid int) (kilobytes int) { return resident(pid, "") }

// ownMemory is memory without that of other programs.
func ownMemory(pid int) (kilobytes int) {
	program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return resident(pid, program)
}

// resident counts the processes that run a program, or all.
func resident(pid int, program string) (kilobytes int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	if runs, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); program == "" || runs == program {
		for line := range strings.Lines(string(status)) {
			if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				fmt.Sscan(rest, &kilobytes)
			}
		}
	}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // a child is its thread's
	for _, task := range tasks {
		children, _ := os.ReadFile(task)
		for _, child := range strings.Fields(string(children)) {
			var id int
			fmt.Sscan(child, &id)
			kilobytes += resident(id, program)
		}
	}
	return kilobytes
}
