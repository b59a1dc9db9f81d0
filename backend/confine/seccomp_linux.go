package confine

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refusal is a system call that is refused unless all tests of one of its cases hold.
type refusal struct {
	call   uint32
	unless [][]test
	errno  uint32 // EPERM if it is 0
}

// test looks at the lower half of an argument, where all that is looked at is.
type test struct {
	arg  uint32
	mask uint32
	cond bpf.JumpTest
	want uint32
}

func is(arg, want uint32) test   { return test{arg, ^uint32(0), bpf.JumpEqual, want} }
func isnt(arg, want uint32) test { return test{arg, ^uint32(0), bpf.JumpNotEqual, want} }
func kindIs(want uint32) test    { return test{1, 0xf, bpf.JumpEqual, want} } // of a socket, without its flags
func lacks(arg, bits uint32) test {
	return test{arg, bits, bpf.JumpEqual, 0}
}

const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// refusals close the ways that Landlock knows nothing of. Sockets are those of TCP, and of netlink the routes that say which
// addresses there are: a UNIX socket reaches the keychain, containers and the screen. Two that are a pair are no way out, as
// long as they cannot be pointed elsewhere.
var refusals = []refusal{
	{call: unix.SYS_SOCKET, unless: [][]test{
		{is(0, unix.AF_INET), kindIs(unix.SOCK_STREAM), is(2, 0)},
		{is(0, unix.AF_INET), kindIs(unix.SOCK_STREAM), is(2, unix.IPPROTO_TCP)},
		{is(0, unix.AF_INET6), kindIs(unix.SOCK_STREAM), is(2, 0)},
		{is(0, unix.AF_INET6), kindIs(unix.SOCK_STREAM), is(2, unix.IPPROTO_TCP)},
		{is(0, unix.AF_NETLINK), is(2, unix.NETLINK_ROUTE)},
	}},
	{call: unix.SYS_SOCKETPAIR, unless: [][]test{
		{is(0, unix.AF_UNIX), kindIs(unix.SOCK_STREAM)},
		{is(0, unix.AF_UNIX), kindIs(unix.SOCK_SEQPACKET)},
	}},
	// A connection that opens with its first data passes Landlock by.
	{call: unix.SYS_SENDTO, unless: [][]test{{lacks(3, unix.MSG_FASTOPEN)}}},
	{call: unix.SYS_SENDMSG, unless: [][]test{{lacks(2, unix.MSG_FASTOPEN)}}},
	{call: unix.SYS_SENDMMSG, unless: [][]test{{lacks(3, unix.MSG_FASTOPEN)}}},
	{call: unix.SYS_CLONE, unless: [][]test{{lacks(0, namespaces)}}},
	{call: unix.SYS_CLONE3, errno: uint32(unix.ENOSYS)}, // its flags cannot be looked at; without it clone is used
	{call: unix.SYS_PRLIMIT64, unless: [][]test{{is(0, 0)}}},
	{call: unix.SYS_IOCTL, unless: [][]test{{isnt(1, unix.TIOCSTI), isnt(1, unix.TIOCLINUX)}}}, // typing for the person

	// Namespaces and mounts.
	{call: unix.SYS_UNSHARE}, {call: unix.SYS_SETNS}, {call: unix.SYS_MOUNT}, {call: unix.SYS_UMOUNT2}, {call: unix.SYS_PIVOT_ROOT},
	{call: unix.SYS_CHROOT}, {call: unix.SYS_OPEN_TREE}, {call: unix.SYS_MOVE_MOUNT}, {call: unix.SYS_FSOPEN}, {call: unix.SYS_FSCONFIG},
	{call: unix.SYS_FSMOUNT}, {call: unix.SYS_FSPICK}, {call: unix.SYS_MOUNT_SETATTR}, {call: unix.SYS_OPEN_TREE_ATTR},
	{call: unix.SYS_NAME_TO_HANDLE_AT}, {call: unix.SYS_OPEN_BY_HANDLE_AT},
	// Other processes.
	{call: unix.SYS_PTRACE}, {call: unix.SYS_PROCESS_VM_READV}, {call: unix.SYS_PROCESS_VM_WRITEV}, {call: unix.SYS_PROCESS_MADVISE},
	{call: unix.SYS_PIDFD_GETFD}, {call: unix.SYS_KCMP}, {call: unix.SYS_MOVE_PAGES}, {call: unix.SYS_MIGRATE_PAGES},
	{call: unix.SYS_SHMGET}, {call: unix.SYS_SHMAT}, {call: unix.SYS_MSGGET}, {call: unix.SYS_SEMGET}, {call: unix.SYS_MQ_OPEN},
	// Keys, and what opens a wide surface of the kernel.
	{call: unix.SYS_KEYCTL}, {call: unix.SYS_ADD_KEY}, {call: unix.SYS_REQUEST_KEY}, {call: unix.SYS_IO_URING_SETUP},
	{call: unix.SYS_IO_URING_ENTER}, {call: unix.SYS_IO_URING_REGISTER}, {call: unix.SYS_BPF}, {call: unix.SYS_PERF_EVENT_OPEN},
	{call: unix.SYS_USERFAULTFD}, {call: unix.SYS_FANOTIFY_INIT}, {call: unix.SYS_LOOKUP_DCOOKIE},
	// The machine.
	{call: unix.SYS_KEXEC_LOAD}, {call: unix.SYS_KEXEC_FILE_LOAD}, {call: unix.SYS_INIT_MODULE}, {call: unix.SYS_FINIT_MODULE},
	{call: unix.SYS_DELETE_MODULE}, {call: unix.SYS_REBOOT}, {call: unix.SYS_SWAPON}, {call: unix.SYS_SWAPOFF}, {call: unix.SYS_ACCT},
	{call: unix.SYS_QUOTACTL}, {call: unix.SYS_QUOTACTL_FD}, {call: unix.SYS_SYSLOG}, {call: unix.SYS_SETTIMEOFDAY},
	{call: unix.SYS_CLOCK_SETTIME}, {call: unix.SYS_CLOCK_ADJTIME}, {call: unix.SYS_ADJTIMEX}, {call: unix.SYS_SETHOSTNAME},
	{call: unix.SYS_SETDOMAINNAME}, {call: unix.SYS_VHANGUP},
}

// architectures are those that the numbers above are of, as the kernel names them.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

var errArchitecture = errors.New("of this processor's system calls the numbers are not known: they are of amd64 and arm64")

// Where seccomp_data has what a filter looks at.
const (
	offsetCall         = 0
	offsetArchitecture = 4
	offsetArgs         = 16
)

// filter is the program that the kernel runs on each system call. Whoever calls as another architecture would, x32 too, has
// other numbers, and is killed.
func filter(architecture uint32) []bpf.Instruction {
	const x32 = 0x40000000
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArchitecture, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: architecture, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: offsetCall, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: x32, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
	}
	for _, r := range refusals {
		body := r.body()
		program = append(program, bpf.JumpIf{Cond: bpf.JumpEqual, Val: r.call, SkipFalse: uint8(len(body))})
		program = append(program, body...)
	}
	return append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
}

func (r refusal) body() (body []bpf.Instruction) {
	const each = 3 // instructions of a test
	for _, tests := range r.unless {
		for i, t := range tests {
			body = append(body,
				bpf.LoadAbsolute{Off: offsetArgs + 8*t.arg, Size: 4},
				bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: t.mask},
				bpf.JumpIf{Cond: t.cond, Val: t.want, SkipFalse: uint8((len(tests)-1-i)*each + 1)})
		}
		body = append(body, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
	}
	errno := r.errno
	if errno == 0 {
		errno = uint32(unix.EPERM)
	}
	return append(body, bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | errno})
}

// refuse puts the filter over this thread, for ever.
func refuse() error {
	architecture, known := architectures[runtime.GOARCH]
	if !known {
		return errArchitecture
	}
	assembled, err := bpf.Assemble(filter(architecture))
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(assembled))
	for i, in := range assembled {
		code[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}
