package runner

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// process is a runner that was started, and everything that it started in turn.
type process struct {
	cmd    *exec.Cmd
	tree   tree
	stdin  io.WriteCloser
	stdout *os.File
	stderr tail
	exited chan struct{} // closed once the process, all that it started, and its ledger entry are gone
}

// start starts a runner that works in root. The caller reads stdout to its end.
func start(o LocalOptions, root string) (*process, error) {
	args := slices.Concat(o.Args, []string{"runner", enterFlag, "--root", root})
	p := &process{cmd: exec.Command(o.Executable, args...), exited: make(chan struct{})}
	p.cmd.Dir = root
	p.cmd.Env = allowed(os.Environ())
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // for a stderr that something else still holds open
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, w, err := os.Pipe() // not StdoutPipe, which Wait would close with records still in it
	if err != nil {
		return nil, err
	}
	defer w.Close()
	p.stdin, p.stdout, p.cmd.Stdout = stdin, stdout, w
	if err := p.tree.start(p.cmd); err != nil {
		stdin.Close()
		stdout.Close()
		return nil, err
	}
	forget, err := remember(o.Ledger, p.cmd.Process.Pid)
	go func() {
		p.tree.wait(p.cmd)
		forget()
		close(p.exited)
	}()
	if err != nil {
		p.kill()
		stdout.Close()
		return nil, fmt.Errorf("write the ledger: %w", err)
	}
	return p, nil
}

// patience is how long each step of an orderly shutdown may take.
const patience = 500 * time.Millisecond

// shutdown ends the process, the gentle way first, and returns when it is gone.
func (p *process) shutdown() {
	p.stdin.Close()
	if p.exitsWithin(patience) {
		return
	}
	p.tree.terminate()
	if p.exitsWithin(patience) {
		return
	}
	p.kill()
}

// kill ends the process and all that it started, and returns when they are gone.
func (p *process) kill() {
	p.tree.kill()
	<-p.exited
}

func (p *process) gone() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

func (p *process) exitsWithin(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// allowed is the environment of a runner, out of ours. It is a list of what may pass, because what holds a key has any
// name.
func allowed(environ []string) []string {
	return slices.DeleteFunc(environ, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return !slices.Contains(passed, name) && !strings.HasPrefix(name, "LC_")
	})
}

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[max(0, len(b)-tailSize):]...)
	t.kept = slices.Delete(t.kept, 0, max(0, len(t.kept)-tailSize))
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}
