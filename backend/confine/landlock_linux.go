package confine

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is spoken to directly: the library for it applies its rules to every thread, by way of a wrapper around all thread
// creation of the program, window and all. Here the one thread that becomes another program is enough.

const (
	mayRead  = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	mayWrite = mayRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK
	mayUseDevice = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	ofFiles      = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// landlockVersion is what of Landlock the kernel has; 0 is none of it.
func landlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// The versions of Landlock from which on it holds something.
const (
	holdsFiles   = 3 // all of it: before that a file outside could be emptied
	holdsPorts   = 4
	holdsSignals = 6
)

// handled is what a version of Landlock refuses unless a rule allows it.
func handled(version int) (all unix.LandlockRulesetAttr) {
	for from, rights := range map[int]uint64{
		1: unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1, 2: unix.LANDLOCK_ACCESS_FS_REFER, 3: unix.LANDLOCK_ACCESS_FS_TRUNCATE,
		5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, 9: unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX,
	} {
		if version >= from {
			all.Handled_access_fs |= rights
		}
	}
	if version >= holdsPorts {
		all.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= holdsSignals {
		all.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return all
}

// ruleset is a list of what is allowed, until it is put over a thread.
type ruleset struct {
	fd  int
	all unix.LandlockRulesetAttr
}

// newRuleset allows nothing; with a network of its own a process may do there what it likes.
func newRuleset(version int, apart bool) (ruleset, error) {
	all := handled(version)
	if apart {
		all.Handled_access_net = 0
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&all)), landlockSize(version), 0)
	if errno != 0 {
		return ruleset{}, fmt.Errorf("begin the rules: %w", errno)
	}
	return ruleset{int(fd), all}, nil
}

// landlockSize is how much of the attributes a version knows.
func landlockSize(version int) uintptr {
	all := unix.LandlockRulesetAttr{}
	switch {
	case version >= holdsSignals:
		return unsafe.Offsetof(all.Quiet_access_fs)
	case version >= holdsPorts:
		return unsafe.Offsetof(all.Scoped)
	default:
		return unsafe.Offsetof(all.Handled_access_net)
	}
}

// path allows rights at a path and below. What is not there needs no rule.
func (r ruleset) path(path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("allow %s: %w", path, err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("allow %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights & r.all.Handled_access_fs, Parent_fd: int32(fd)}
	return r.add(unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&rule))
}

// port allows rights at a port of any address: Landlock looks at no more.
func (r ruleset) port(port uint16, rights uint64) error {
	const byPort = 2 // LANDLOCK_RULE_NET_PORT
	rule := struct{ allowed, port uint64 }{rights & r.all.Handled_access_net, uint64(port)}
	if rule.allowed == 0 {
		return nil
	}
	return r.add(byPort, unsafe.Pointer(&rule))
}

func (r ruleset) add(kind uintptr, rule unsafe.Pointer) error {
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), kind, uintptr(rule), 0, 0, 0); errno != 0 {
		return fmt.Errorf("add a rule: %w", errno)
	}
	return nil
}

// enforce puts the rules over this thread, for ever.
func (r ruleset) enforce() error {
	defer unix.Close(r.fd)
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); errno != 0 {
		return fmt.Errorf("enforce the rules: %w", errno)
	}
	return nil
}
