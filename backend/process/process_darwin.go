package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Enter becomes the runner; it returns only if it failed. Go marks every descriptor that it opens, and macOS has no call
// that marks the others. last is called before.
func Enter(args []string, last func() error) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if err := last(); err != nil {
		return err
	}
	return syscall.Exec(self, args, os.Environ())
}

// awaitExit waits until pid has ended and leaves it to be waited for, so that its number is not given to another yet.
func awaitExit(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		panic(err) // out of descriptors: nothing can be started or ended properly any more
	}
	defer unix.Close(queue)
	exit := []unix.Kevent_t{{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD, Fflags: unix.NOTE_EXIT}}
	for {
		if _, err := unix.Kevent(queue, exit, make([]unix.Kevent_t, 1), nil); !errors.Is(err, unix.EINTR) {
			return // it ended now, or had ended before
		}
	}
}

// Conceal does nothing: what another program of the person may read of this one is the system's to say.
func Conceal() error { return nil }

// killTree ends the leader's group, which is all that can be found here.
func killTree(leader int) { _ = unix.Kill(-leader, unix.SIGKILL) }

// EndKin is the last act of a runner: what it started must not outlive it.
func EndKin() {
	for _, pid := range group(os.Getpid()) {
		if pid != os.Getpid() {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// MachineMemory is not known yet.
func MachineMemory() int64 { return 0 }

// watch does nothing yet.
func (*Process) watch(Bound) {}

func hasKin(leader int) bool { return len(group(leader)) > 0 }

func group(leader int) []int {
	var found []int
	processes, _ := unix.SysctlKinfoProcSlice("kern.proc.pgrp", leader)
	for _, p := range processes {
		found = append(found, int(p.Proc.P_pid))
	}
	return found
}

// birth tells a process from another that has its number later. start is empty if nobody has the number; one that has
// ended and was not waited for still has it.
func birth(pid int) (start string, alive bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", false
	}
	return fmt.Sprintf("%d.%06d", p.Proc.P_starttime.Sec, p.Proc.P_starttime.Usec), p.Proc.P_stat != zombie
}

const zombie = 5 // SZOMB of sys/proc.h

// bootID names this run of the machine.
func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid")
	return id
}
