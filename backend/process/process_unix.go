//go:build linux || darwin

package process

import (
	"os/exec"
	"sync"
	"syscall"
)

// passed are the variables that a runner inherits; LC_* too. Where a proxy is needed, nothing works without it.
var passed = []string{
	"PATH", "HOME", "LANG", "TMPDIR", "TZ",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "NODE_USE_ENV_PROXY",
}

// tree is a process that leads a session of its own, and what it started: its session, and on Linux whatever descends
// from it. Leading a session it is out of reach of a terminal's Ctrl-C.
type tree struct {
	mu     sync.Mutex
	leader int
	reaped bool // then the number may be anybody's, and no signal is sent any more
}

func (t *tree) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr.Setsid = true
	err := cmd.Start()
	if err == nil {
		t.leader = cmd.Process.Pid
	}
	return err
}

// terminate asks the group of the leader to end.
func (t *tree) terminate() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reaped {
		_ = syscall.Kill(-t.leader, syscall.SIGTERM)
	}
}

// kill ends the leader and all of its kin. It does not wait for the leader.
func (t *tree) kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reaped {
		killTree(t.leader)
	}
}

// wait waits for the end of the leader, by itself or by kill, and ends what it left behind.
func (t *tree) wait(cmd *exec.Cmd) {
	awaitExit(t.leader)
	t.mu.Lock()
	defer t.mu.Unlock()
	killTree(t.leader)
	_ = cmd.Wait() // the exit status is in cmd.ProcessState
	t.reaped = true
}

// killLeftover ends what is left of a runner from an earlier run of the app, and reports whether there was anything. It
// touches nothing if the number belongs to a stranger by now.
func killLeftover(e entry) bool {
	if e.Boot != bootID() {
		return false
	}
	start, alive := birth(e.PID)
	if start != "" && start != e.Start || !alive && !hasKin(e.PID) {
		return false
	}
	killTree(e.PID)
	return true
}
