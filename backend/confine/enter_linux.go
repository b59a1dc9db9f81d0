package confine

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"parley/backend/agent"
)

// handover is the descriptor by which a process hears what its bounds are, and hands out its ways.
const handover = 3

// reply is what the process says there. Its listeners come with it, the proxy's first.
type reply struct {
	Error string `json:"error,omitempty"`
}

// maxMessage bounds what is said there in one go.
const maxMessage = 1 << 16

// Enter confines this thread to the bounds that come on descriptor 3, and all that it becomes by exec. It cannot be undone.
// The environment says then how the network is reached.
func Enter() error {
	var files []*os.File
	err := enter(&files)
	said := reply{}
	if err != nil {
		said.Error = err.Error()
	}
	message, _ := json.Marshal(said) // a string: it cannot fail
	var rights []int
	for _, f := range files {
		rights = append(rights, int(f.Fd()))
		defer f.Close()
	}
	if failure := unix.Sendmsg(handover, message, unix.UnixRights(rights...), nil, 0); err == nil && failure != nil {
		err = fmt.Errorf("hand out the network: %w", failure)
	}
	return err
}

func enter(files *[]*os.File) error {
	message := make([]byte, maxMessage)
	n, err := unix.Read(handover, message)
	if err != nil {
		return fmt.Errorf("hear the bounds: %w", err)
	}
	var b Bounds
	if err := json.Unmarshal(message[:n], &b); err != nil {
		return fmt.Errorf("hear the bounds: %w", err)
	}
	for variable, folder := range map[string]string{"TMPDIR": b.Temp, "HOME": b.Home} {
		if folder == "" {
			continue
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("make a folder of its own: %w", err)
		}
		os.Setenv(variable, folder)
	}
	ports, err := b.connect(files)
	if err != nil {
		return err
	}
	if b.Apart {
		if err := b.remount(); err != nil {
			return fmt.Errorf("let it write to its own folders only: %w", err)
		}
	}
	if err := dropPrivileges(); err != nil {
		return err
	}
	if err := b.landlock(ports); err != nil {
		return err
	}
	if err := refuse(); err != nil {
		return fmt.Errorf("filter system calls: %w", err)
	}
	return nil
}

// ports are those that can be used where the process has no network of its own.
type ports struct{ proxy, model, tools uint16 }

// connect makes the ways out, and lets the environment tell of them.
func (b Bounds) connect(files *[]*os.File) (p ports, err error) {
	if b.Apart {
		if err := raiseLoopback(); err != nil {
			return p, fmt.Errorf("raise a network of its own: %w", err)
		}
		// In a user namespace of its own it is counted apart from the person's other programs.
		if err := unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: MaxTasks, Max: MaxTasks}); err != nil {
			return p, fmt.Errorf("limit processes: %w", err)
		}
	}
	if p.proxy, err = listen("127.0.0.1:0", files); err != nil {
		return p, err
	}
	if b.Model != "" {
		_, port, _ := net.SplitHostPort(b.Model)
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return p, fmt.Errorf("reach the model server: %w", err)
		}
		p.model = uint16(n)
	}
	switch {
	case b.Apart && b.Model != "":
		if _, err = listen(b.Model, files); err != nil {
			return p, err
		}
	case !b.Apart:
		// The port is free now, and whoever takes it before the tools do keeps them from being served, no more.
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return p, err
		}
		p.tools = uint16(l.Addr().(*net.TCPAddr).Port)
		os.Setenv(EnvTools, l.Addr().String())
		l.Close()
	}
	proxy := fmt.Sprintf("http://127.0.0.1:%d", p.proxy)
	for name, value := range map[string]string{
		"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "ALL_PROXY": proxy, "NO_PROXY": "localhost,127.0.0.1,::1",
		"http_proxy": proxy, "https_proxy": proxy, "all_proxy": proxy, "no_proxy": "localhost,127.0.0.1,::1",
		"NODE_USE_ENV_PROXY": "1", agent.EnvExit: proxy,
	} {
		os.Setenv(name, value)
	}
	return p, nil
}

func listen(address string, files *[]*os.File) (port uint16, err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return 0, fmt.Errorf("listen for what goes out: %w", err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		return 0, err
	}
	*files = append(*files, f)
	return uint16(l.Addr().(*net.TCPAddr).Port), nil
}

// raiseLoopback makes a network that is new, and empty, usable for a process that talks to itself.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	loopback, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	loopback.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, loopback)
}

// remount makes everything but the folders that may be changed read-only for the process, in mounts of its own: Landlock does not
// look at who changes the permissions, times and other attributes of a file.
func (b Bounds) remount() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return err
	}
	for _, path := range b.Write {
		err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, "")
		if err == nil {
			err = unix.MountSetattr(unix.AT_FDCWD, path, unix.AT_RECURSIVE, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
		}
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := b.mask(); err != nil {
		return err
	}
	// The person's terminals are hidden behind such as are its own: many programs run commands in one.
	if err := unix.Mount("devpts", "/dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0600"); err != nil {
		return fmt.Errorf("make terminals: %w", err)
	}
	return os.Chdir(dir) // into the new mount
}

// dropPrivileges gives up every capability, and what could give one back.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	for c := 0; c <= unix.CAP_LAST_CAP; c++ {
		// Who has no privileges may not give one up, and one that this kernel does not know cannot be.
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && err != unix.EPERM && err != unix.EINVAL {
			return fmt.Errorf("give up privileges: %w", err)
		}
	}
	var none [2]unix.CapUserData
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	return nil
}

// devices are harmless, and no program is written to do without them.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

func (b Bounds) landlock(p ports) error {
	version := landlockVersion()
	if version == 0 {
		return unix.ENOSYS
	}
	rules, err := newRuleset(version, b.Apart)
	if err != nil {
		return err
	}
	var failed error
	allow := func(rights uint64, paths ...string) {
		for _, path := range paths {
			if err := rules.path(path, rights); err != nil && failed == nil {
				failed = err
			}
		}
	}
	allow(mayRead, "/proc/self/exe") // this program, wherever it is
	allow(mayRead, system...)
	allow(mayRead, b.Read...)
	allow(mayWrite, b.Write...)
	allow(mayUseDevice, devices...)
	if b.Apart {
		allow(mayUseDevice|unix.LANDLOCK_ACCESS_FS_READ_DIR, "/dev/ptmx", "/dev/pts")
	}
	for port, rights := range map[uint16]uint64{
		p.proxy: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, p.model: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP,
		p.tools: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP | unix.LANDLOCK_ACCESS_NET_BIND_TCP,
	} {
		if err := rules.port(port, rights); port != 0 && err != nil && failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return failed
	}
	return rules.enforce()
}

// system is what programs are made of, and the settings that they all look at. Of /proc, other processes' own are closed by
// Landlock.
var system = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/snap",
	"/proc", "/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage",
	"/etc/alternatives", "/etc/bash.bashrc", "/etc/ca-certificates", "/etc/ca-certificates.conf", "/etc/crypto-policies", "/etc/debian_version",
	"/etc/fonts", "/etc/gai.conf", "/etc/gitconfig", "/etc/group", "/etc/host.conf", "/etc/hostname", "/etc/hosts", "/etc/inputrc",
	"/etc/java", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/locale.alias", "/etc/localtime", "/etc/lsb-release",
	"/etc/machine-id", "/etc/magic", "/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/pki", "/etc/profile",
	"/etc/profile.d", "/etc/protocols", "/etc/python3", "/etc/resolv.conf", "/etc/services", "/etc/shells", "/etc/ssl", "/etc/static",
	"/etc/terminfo", "/etc/timezone", "/etc/vimrc", "/etc/xdg",
}
