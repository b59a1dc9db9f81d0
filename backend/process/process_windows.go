package process

import (
	"os/exec"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// This file compiles and is vetted; it has not run on Windows yet.

// passed are the variables that a runner inherits.
var passed = []string{"PATH", "PATHEXT", "HOME", "USERPROFILE", "SYSTEMROOT", "COMSPEC", "TEMP", "TMP", "LANG", "TZ"}

// Enter only calls last: nothing but the handles that a child is given reaches it here.
func Enter(_ []string, last func() error) error { return last() }

// tree is a process and what it started, held together by a job that ends all of them when its handle is closed, by us
// or by our death.
type tree struct {
	mu  sync.Mutex
	job windows.Handle // 0 once all are gone
}

func (t *tree) start(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return err
	}
	cmd.SysProcAttr.CreationFlags = windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW
	if err := cmd.Start(); err != nil {
		_ = windows.CloseHandle(job)
		return err
	}
	if err := hold(job, cmd.Process.Pid); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = windows.CloseHandle(job)
		return err
	}
	t.job = job
	return nil
}

// hold puts a process into a job. A runner starts nothing before its first request, so nothing escapes.
func hold(job windows.Handle, pid int) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return err
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}

// terminate does nothing: Windows has no gentler way than closing stdin.
func (t *tree) terminate() {}

func (t *tree) kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
	}
}

func (t *tree) wait(cmd *exec.Cmd) {
	_ = cmd.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = windows.CloseHandle(t.job)
	t.job = 0
}

// MachineMemory is not known yet.
func MachineMemory() int64 { return 0 }

// Conceal does nothing: what another program of the person may read of this one is the system's to say.
func Conceal() error { return nil }

// watch does nothing yet.
func (*Process) watch(Bound) {}

// EndKin does nothing: the job ends what is left.
func EndKin() {}

// killLeftover does nothing: the job ended with the app that held it.
func killLeftover(entry) bool { return false }

func birth(int) (start string, alive bool) { return "", false }

func bootID() string { return "" }
