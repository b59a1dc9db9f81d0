package process

import (
	"bytes"
	"errors"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Enter makes this process fit for a runner, then becomes it. It returns only if it failed. last is called before that, on the
// thread that becomes it.
//
// Descriptors of the app may be open here that its libraries did not mark: they are marked now, and gone after exec. As
// the reaper of its orphans a runner still finds the children of a tool whose parent died.
func Enter(args []string, last func() error) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	if err := last(); err != nil {
		return err
	}
	return syscall.Exec("/proc/self/exe", args, os.Environ()) // this very program, also if an update has replaced its file
}

// Conceal keeps what this process holds from those that it starts, and from every other process of the person: its memory and
// its environment are not read by way of /proc, and leave no core dump.
func Conceal() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// awaitExit waits until pid has ended and leaves it to be waited for, so that its number is not given to another yet.
func awaitExit(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

// killTree ends a leader and its kin. The leader is stopped first: then it starts nothing new, and remains the reaper by
// which the orphans among its kin are found. It goes last.
func killTree(leader int) {
	_ = unix.Kill(leader, unix.SIGSTOP)
	killKin(leader)
	_ = unix.Kill(-leader, unix.SIGKILL)
}

// EndKin is the last act of a runner: what it started must not outlive it.
func EndKin() { killKin(os.Getpid()) }

// killKin kills until none is left. What survives a second of it hangs in the kernel and dies when that lets go.
func killKin(leader int) {
	for range 500 {
		found := kin(leader)
		if len(found) == 0 {
			return
		}
		for _, p := range found {
			p.kill()
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func hasKin(leader int) bool { return len(kin(leader)) > 0 }

// kin gives the living processes that are in the leader's session or descend from the leader, itself excepted. Tools
// give their commands groups of their own, so a group is not enough; a session's number is not given to another while
// anybody is in it.
func kin(leader int) []stat {
	processes := map[int]stat{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if s, ok := readStat(pid); ok {
				processes[pid] = s
			}
		}
	}
	descends := func(s stat) bool {
		for range processes { // the snapshot is not of one instant: a loop in it must not be one here
			if s.parent == leader {
				return true
			}
			if s = processes[s.parent]; s.pid == 0 {
				return false
			}
		}
		return false
	}
	var found []stat
	for pid, s := range processes {
		if pid != leader && !s.ended() && (s.session == leader || descends(s)) {
			found = append(found, s)
		}
	}
	return found
}

// stat is what /proc says of a process.
type stat struct {
	pid, parent, session int
	state                byte
	start                string // in ticks since the machine booted
	threads              int
}

func (s stat) ended() bool { return s.state == 'Z' || s.state == 'X' }

func readStat(pid int) (stat, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, false
	}
	return parseStat(pid, b)
}

// parseStat reads "pid (name) state parent group session …"; a name may hold anything, brackets too.
func parseStat(pid int, b []byte) (stat, bool) {
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return stat{}, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	session, err2 := strconv.Atoi(fields[3])
	threads, err3 := strconv.Atoi(fields[17])
	return stat{pid, parent, session, fields[0][0], fields[19], threads}, err1 == nil && err2 == nil && err3 == nil
}

// kill kills the process that was seen. The handle is taken before the second look, so a number that was given to
// another in between is noticed.
func (s stat) kill() {
	p, err := os.FindProcess(s.pid)
	if err != nil {
		return
	}
	defer p.Release()
	if now, ok := readStat(s.pid); ok && now.start == s.start {
		_ = p.Kill()
	}
}

// birth tells a process from another that has its number later. start is empty if nobody has the number; one that has
// ended and was not waited for still has it.
func birth(pid int) (start string, alive bool) {
	s, ok := readStat(pid)
	return s.start, ok && !s.ended()
}

// bootID names this run of the machine.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b))
}
