package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Command says what is started.
type Command struct {
	Path string
	Args []string // without the name
	Dir  string
	Env  []string // all of it

	Joined bool      // what it writes to stderr comes on Stdout, too
	Stderr io.Writer // takes what it writes there, until Exited; nil: its end is kept for Process.Stderr

	Files []*os.File           // its descriptors from 3 on
	Attr  *syscall.SysProcAttr // how the system starts it; nil is as ever
	Bound Bound
}

// Bound is how much a program and all that it started may take at once. It is looked at from time to time, on Linux only, and
// who is found beyond it is ended with all the others. 0 is no bound.
type Bound struct {
	Tasks  int   // processes, and threads of them
	Memory int64 // bytes that they do not share with files
}

// excess says what of a bound is exceeded, for a person to read; it is empty if nothing is.
func (b Bound) excess(tasks int, memory int64) string {
	switch {
	case b.Tasks > 0 && tasks > b.Tasks:
		return fmt.Sprintf("%d processes and threads at once, and %d are allowed", tasks, b.Tasks)
	case b.Memory > 0 && memory > b.Memory:
		return fmt.Sprintf("%d MB of memory, and %d MB are allowed", memory>>20, b.Memory>>20)
	}
	return ""
}

// Process is a program that was started, and everything that it started in turn. Whoever starts it reads Stdout to its
// end, then closes it.
type Process struct {
	Stdin  io.WriteCloser
	Stdout *os.File
	Exited chan struct{} // closed once the program, all that it started, and the ledger's entry are gone

	cmd    *exec.Cmd
	tree   tree
	stderr tail
	excess atomic.Pointer[string]
}

// ErrNotFound is what Start gives for a program that is not there.
var ErrNotFound = errors.New("there is no such program")

// Start starts a program. What it starts itself is ended with it, however it ends. ledger, if it is not empty, is a folder
// that remembers it for Reap.
func Start(c Command, ledger string) (*Process, error) {
	p := &Process{cmd: exec.Command(c.Path, c.Args...), Exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.ExtraFiles = c.Dir, c.Env, c.Files
	if p.cmd.SysProcAttr = c.Attr; c.Attr == nil {
		p.cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // for a stderr that something else still holds open
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, w, err := os.Pipe() // not StdoutPipe, which Wait would close with lines still in it
	if err != nil {
		return nil, err
	}
	defer w.Close()
	p.Stdin, p.Stdout, p.cmd.Stdout = stdin, stdout, w
	if c.Joined {
		p.cmd.Stderr = w
	} else if c.Stderr != nil {
		p.cmd.Stderr = c.Stderr
	}
	if err := p.tree.start(p.cmd); err != nil {
		stdin.Close()
		stdout.Close()
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w: %w", ErrNotFound, err)
		}
		return nil, err
	}
	forget := func() {}
	if ledger != "" {
		forget, err = remember(ledger, p.PID())
	}
	go func() {
		p.tree.wait(p.cmd)
		forget()
		close(p.Exited)
	}()
	if c.Bound != (Bound{}) {
		go p.watch(c.Bound)
	}
	if err != nil {
		p.Kill()
		stdout.Close()
		return nil, fmt.Errorf("write the ledger: %w", err)
	}
	return p, nil
}

// Find gives where the program of a command is: on PATH, unless the command is a path. Nothing is started.
func Find(command string) (path string, err error) { return exec.LookPath(command) }

// PID is the program's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// State says how the program ended. It is gone.
func (p *Process) State() string { return p.cmd.ProcessState.String() }

// Outcome is the exit code of the program or, if it did not end by itself, what ended it. It is gone.
func (p *Process) Outcome() (code int, signal string) {
	code = p.cmd.ProcessState.ExitCode()
	if code < 0 {
		signal = p.State()
	}
	return code, signal
}

// Excess says what of its bound it went beyond, if it was ended for that. It is gone.
func (p *Process) Excess() string {
	if said := p.excess.Load(); said != nil {
		return *said
	}
	return ""
}

// Stderr is the end of what the program wrote there. It may hold anything, so it is for logs only.
func (p *Process) Stderr() string { return p.stderr.String() }

// patience is how long each step of an orderly shutdown may take.
const patience = 500 * time.Millisecond

// Shutdown ends the program, the gentle way first, and returns when it is gone.
func (p *Process) Shutdown() {
	p.Stdin.Close()
	if p.exitsWithin(patience) {
		return
	}
	p.tree.terminate()
	if p.exitsWithin(patience) {
		return
	}
	p.Kill()
}

// Kill ends the program and all that it started, and returns when they are gone.
func (p *Process) Kill() {
	p.tree.kill()
	<-p.Exited
}

// Gone reports whether Exited is closed.
func (p *Process) Gone() bool {
	select {
	case <-p.Exited:
		return true
	default:
		return false
	}
}

func (p *Process) exitsWithin(d time.Duration) bool {
	select {
	case <-p.Exited:
		return true
	case <-time.After(d):
		return false
	}
}

// Inherited is the environment of a program, out of ours. It is a list of what may pass, because what holds a key has any
// name.
func Inherited() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
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
