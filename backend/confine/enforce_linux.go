package confine

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"parley/backend/agent"
)

// Enforce tells what this system holds. apart tries to start a process in a network of its own, and says why it cannot be.
func Enforce(apart func() error) agent.Enforcement {
	version := landlockVersion()
	if version < holdsFiles {
		return agent.Unenforced("the kernel has no Landlock, or one that is too old: Linux 6.2 or newer holds files")
	}
	if architectures[runtime.GOARCH] == 0 {
		return agent.Unenforced(errArchitecture.Error())
	}
	kill := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&kill))); errno != 0 {
		return agent.Unenforced("the kernel filters no system calls (seccomp)")
	}
	e := agent.Enforcement{
		Files:    agent.Held{By: "the kernel (Landlock, and mounts over what is protected in the working folder)"},
		Network:  agent.Held{By: "a network of its own, with Parley's proxy as the way out"},
		Programs: agent.Held{By: "the kernel (Landlock and seccomp)"},
		Load:     agent.Held{By: fmt.Sprintf("Parley, which looks four times a second: %d processes and threads, and half of the memory", MaxTasks)},
	}
	if version < holdsSignals {
		e.Programs.Lacks = "signals to other programs of yours: Linux 6.12 or newer holds them"
	}
	if err := apart(); err != nil {
		e.Files.Lacks = "permissions, times and other attributes of your other files can be changed, and programs read and write protected names in the working folder: this system gives them no mounts of their own"
		e.Network.Remedy = "Let programs make user namespaces; on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0."
		if version >= holdsPorts {
			e.Network.By = "the kernel (Landlock), by port"
			e.Network.Lacks = "a server elsewhere that listens on the port of Parley's proxy is reached past it: this system gives programs no network of their own (" + err.Error() + ")"
		} else {
			e.Network.By = ""
			e.Network.Lacks = "this system gives programs no network of their own (" + err.Error() + "), and Linux 6.7 or newer holds ports"
		}
	}
	return e
}
