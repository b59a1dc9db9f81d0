package process

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// To look at every process of the machine takes milliseconds, to look at the machine microseconds. So it is the machine that is
// looked at often, and the processes when there are suddenly more of them, or much less memory; and once in a while.
const (
	watchEvery = 250 * time.Millisecond
	watchAll   = 40 // looks at the machine for one at the processes
	moreTasks  = 64
	lessMemory = 128 << 20
)

// watch ends the program when it goes beyond a bound.
func (p *Process) watch(b Bound) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var tasks, memory int64 // of the machine, when the processes were looked at last
	for i := 0; ; i++ {
		select {
		case <-p.Exited:
			return
		case <-tick.C:
		}
		tasksNow, memoryNow := machine()
		if i%watchAll != 0 && tasksNow < tasks+moreTasks && memoryNow > memory-lessMemory {
			continue
		}
		tasks, memory = tasksNow, memoryNow
		if excess := b.excess(p.load()); excess != "" {
			p.excess.Store(&excess)
			p.Kill()
			return
		}
	}
}

// load is how many tasks the program and its kin have, and how much memory.
func (p *Process) load() (tasks int, memory int64) {
	leader, _ := readStat(p.PID())
	for _, s := range append(kin(p.PID()), leader) {
		tasks += s.threads
		memory += s.memory()
	}
	return tasks, memory
}

// memory is what a process has resident that is no file's.
func (s stat) memory() int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.pid)) // empty once it has ended
	var size, resident, shared int64
	_, _ = fmt.Sscan(string(b), &size, &resident, &shared)
	return (resident - shared) * int64(os.Getpagesize())
}

// MachineMemory is how much memory the machine has; 0 if it is not known.
func MachineMemory() int64 {
	var info unix.Sysinfo_t
	_ = unix.Sysinfo(&info)
	return int64(info.Totalram) * int64(info.Unit)
}

// machine is how many tasks there are, and how much memory could still be had.
func machine() (tasks, memory int64) {
	var info unix.Sysinfo_t
	_ = unix.Sysinfo(&info)
	b, _ := os.ReadFile("/proc/meminfo")
	_, rest, _ := bytes.Cut(b, []byte("MemAvailable:"))
	_, _ = fmt.Sscan(string(rest), &memory)
	return int64(info.Procs), memory << 10
}
