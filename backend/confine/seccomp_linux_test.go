package confine

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// TestTheFilter runs it on calls that a program may make, and on those by which it would get out. The machine that runs it
// here reads numbers the other way round than the kernel does.
func TestTheFilter(t *testing.T) {
	const architecture = unix.AUDIT_ARCH_X86_64
	vm, err := bpf.NewVM(filter(architecture))
	if err != nil {
		t.Fatal(err)
	}
	const allowed, killed = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_KILL_PROCESS
	refused, absent := unix.SECCOMP_RET_ERRNO|int(unix.EPERM), unix.SECCOMP_RET_ERRNO|int(unix.ENOSYS)
	for name, c := range map[string]struct {
		architecture, call uint32
		args               []uint32
		want               int
	}{
		"read":                          {architecture, unix.SYS_READ, nil, allowed},
		"execve":                        {architecture, unix.SYS_EXECVE, nil, allowed},
		"of 32 bits":                    {unix.AUDIT_ARCH_I386, unix.SYS_READ, nil, killed},
		"of arm":                        {unix.AUDIT_ARCH_AARCH64, unix.SYS_READ, nil, killed},
		"x32":                           {architecture, 0x40000000 | unix.SYS_READ, nil, killed},
		"no such call":                  {architecture, ^uint32(0), nil, killed},
		"TCP":                           {architecture, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_STREAM, 0}, allowed},
		"TCP by name, with flags":       {architecture, unix.SYS_SOCKET, []uint32{unix.AF_INET6, unix.SOCK_STREAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK, unix.IPPROTO_TCP}, allowed},
		"multipath TCP":                 {architecture, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}, refused},
		"UDP":                           {architecture, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_DGRAM, 0}, refused},
		"UDP of version 6":              {architecture, unix.SYS_SOCKET, []uint32{unix.AF_INET6, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC, 0}, refused},
		"raw":                           {architecture, unix.SYS_SOCKET, []uint32{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP}, refused},
		"packets":                       {architecture, unix.SYS_SOCKET, []uint32{unix.AF_PACKET, unix.SOCK_RAW, 0}, refused},
		"UNIX":                          {architecture, unix.SYS_SOCKET, []uint32{unix.AF_UNIX, unix.SOCK_STREAM, 0}, refused},
		"virtual machines'":             {architecture, unix.SYS_SOCKET, []uint32{unix.AF_VSOCK, unix.SOCK_STREAM, 0}, refused},
		"routes":                        {architecture, unix.SYS_SOCKET, []uint32{unix.AF_NETLINK, unix.SOCK_RAW | unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE}, allowed},
		"audit":                         {architecture, unix.SYS_SOCKET, []uint32{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, refused},
		"a pair":                        {architecture, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0}, allowed},
		"a pair of messages":            {architecture, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_SEQPACKET, 0}, allowed},
		"a pair that can be redirected": {architecture, unix.SYS_SOCKETPAIR, []uint32{unix.AF_UNIX, unix.SOCK_DGRAM, 0}, refused},
		"send":                          {architecture, unix.SYS_SENDTO, []uint32{3, 0, 0, unix.MSG_NOSIGNAL}, allowed},
		"connect by sending":            {architecture, unix.SYS_SENDTO, []uint32{3, 0, 0, unix.MSG_NOSIGNAL | unix.MSG_FASTOPEN}, refused},
		"connect by a message":          {architecture, unix.SYS_SENDMSG, []uint32{3, 0, unix.MSG_FASTOPEN}, refused},
		"connect by messages":           {architecture, unix.SYS_SENDMMSG, []uint32{3, 0, 1, unix.MSG_FASTOPEN}, refused},
		"fork":                          {architecture, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD)}, allowed},
		"thread":                        {architecture, unix.SYS_CLONE, []uint32{unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD}, allowed},
		"fork as another user":          {architecture, unix.SYS_CLONE, []uint32{uint32(unix.SIGCHLD) | unix.CLONE_NEWUSER}, refused},
		"fork that cannot be read":      {architecture, unix.SYS_CLONE3, nil, absent},
		"limits of its own":             {architecture, unix.SYS_PRLIMIT64, []uint32{0, unix.RLIMIT_NOFILE}, allowed},
		"limits of another":             {architecture, unix.SYS_PRLIMIT64, []uint32{7, unix.RLIMIT_NOFILE}, refused},
		"size of a terminal":            {architecture, unix.SYS_IOCTL, []uint32{0, unix.TIOCGWINSZ}, allowed},
		"type for the person":           {architecture, unix.SYS_IOCTL, []uint32{0, unix.TIOCSTI}, refused},
		"paste for the person":          {architecture, unix.SYS_IOCTL, []uint32{0, unix.TIOCLINUX}, refused},
		"unshare":                       {architecture, unix.SYS_UNSHARE, nil, refused},
		"setns":                         {architecture, unix.SYS_SETNS, nil, refused},
		"the last of the list":          {architecture, refusals[len(refusals)-1].call, nil, refused},
	} {
		data := make([]byte, 64)
		binary.BigEndian.PutUint32(data[offsetCall:], c.call)
		binary.BigEndian.PutUint32(data[offsetArchitecture:], c.architecture)
		for i, arg := range c.args {
			binary.BigEndian.PutUint32(data[offsetArgs+8*i:], arg)
		}
		if got, err := vm.Run(data); got != c.want || err != nil {
			t.Errorf("%s: %#x, %v", name, got, err)
		}
	}
}
