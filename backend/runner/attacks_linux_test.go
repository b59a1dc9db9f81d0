package runner

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/godbus/dbus/v5"
	"golang.org/x/sys/unix"
)

// attack is what the test binary does as "as=attack NAME TARGET…": it tries to get at something, and says whether it did.
func attack(name string, target []string) int {
	try, known := attacks[name]
	if !known {
		panic("no such attack: " + name)
	}
	if err := try(target); err != nil {
		fmt.Println("refused:", err)
		return 1
	}
	fmt.Println("done")
	return 0
}

var errNothing = errors.New("nothing came of it")

var attacks = map[string]func(target []string) error{
	"read": func(t []string) error { return mustRead(t[0]) },
	"list": func(t []string) error { _, err := os.ReadDir(t[0]); return err },
	"write": func(t []string) error {
		f, err := os.OpenFile(t[0], os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err == nil {
			_, err = f.WriteString("x")
		}
		return err
	},
	"empty":  func(t []string) error { return os.Truncate(t[0], 1) },
	"permit": func(t []string) error { return os.Chmod(t[0], 0o644) },
	"date":   func(t []string) error { return os.Chtimes(t[0], time.Now(), time.Unix(1, 0)) },
	"label":  func(t []string) error { return unix.Setxattr(t[0], "user.attack", []byte("x"), 0) },
	"remove": func(t []string) error { return os.Remove(t[0]) },
	"symlink": func(t []string) error {
		_ = os.Remove("link")
		return errors.Join(os.Symlink(t[0], "link"), mustRead("link"))
	},
	"swap": func(t []string) error { return swap(t[0]) },
	"hard link": func(t []string) error {
		_ = os.Remove("linked")
		if err := os.Link(t[0], "linked"); err != nil {
			return err
		}
		return mustRead("linked")
	},
	"set aside": func(t []string) error { return os.Rename(t[0], t[0]+"-aside") },
	"rename":    func(t []string) error { return os.Rename(t[0], "renamed") },
	"handle":    func(t []string) error { return byHandle(t[0]) },
	"bind":      func(t []string) error { return bind(t[0]) },
	"namespace": func([]string) error { return apart(exec.Command("/bin/true"), unix.CLONE_NEWUSER|unix.CLONE_NEWPID) },
	"memory":    func(t []string) error { return mustReadAt("/proc/"+t[0]+"/mem", t[1]) },
	"runner": func(t []string) error {
		f, err := os.Open(fmt.Sprintf("/proc/%d/%s", ownRunner(), t[0]))
		if err == nil {
			f.Close()
		}
		return err
	},
	"readv":  func(t []string) error { return across(unix.ProcessVMReadv, t) },
	"writev": func(t []string) error { return across(unix.ProcessVMWritev, t) },
	"ptrace": func(t []string) error {
		if err := syscall.PtraceAttach(number(t[0])); err != nil {
			return err
		}
		var status syscall.WaitStatus
		_, _ = syscall.Wait4(number(t[0]), &status, 0, nil)
		return syscall.PtraceDetach(number(t[0]))
	},
	"descriptor": func(t []string) error {
		pidfd, err := unix.PidfdOpen(number(t[0]), 0)
		if err != nil {
			return err
		}
		fd, err := unix.PidfdGetfd(pidfd, number(t[1]), 0)
		if err == nil {
			err = mustReadFrom(os.NewFile(uintptr(fd), "theirs"))
		}
		return err
	},
	"kill": func(t []string) error { return syscall.Kill(number(t[0]), syscall.SIGUSR1) },
	"kill by descriptor": func(t []string) error {
		pidfd, err := unix.PidfdOpen(number(t[0]), 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(pidfd, unix.SIGUSR1, nil, 0)
	},
	"limit": func(t []string) error {
		return unix.Prlimit(number(t[0]), unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	},
	"unix socket":     func(t []string) error { return talk("unix", t[0]) },
	"abstract socket": func(t []string) error { return talk("unix", "@"+t[0]) },
	"pair": func(t []string) error { // a socket that comes as one of a pair, and is pointed elsewhere
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: t[0]})
	},
	"bus": func(t []string) error { return askKeychain(t[0]) },
	"tcp": func(t []string) error { return talk("tcp", t[0]) },
	"udp": func(t []string) error {
		c, err := net.Dial("udp", t[0])
		if err == nil {
			_, err = c.Write([]byte("x"))
		}
		return err
	},
	"raw socket":    func([]string) error { return open(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) },
	"packet socket": func([]string) error { return open(unix.AF_PACKET, unix.SOCK_RAW, 0) },
	"device events": func([]string) error { return open(unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_KOBJECT_UEVENT) },
	"io_uring": func([]string) error {
		var parameters [120]byte
		if _, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&parameters)), 0); errno != 0 {
			return errno
		}
		return nil
	},
	"key": func([]string) error {
		_, err := unix.AddKey("user", "parley-attack", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return err
	},
	"shared memory": func([]string) error {
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
		if err == nil {
			_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		}
		return err
	},
	"fork bomb": func(t []string) error { // of a hundred, that leave their session and their parent
		for range 100 {
			if err := exec.Command("/bin/sh", "-c", `setsid /bin/sh -c "while :; do sleep 60; done" "$0" >/dev/null 2>&1 &`, t[0]).Run(); err != nil {
				return err
			}
		}
		return nil
	},
	"much memory": func(t []string) error {
		var all [][]byte
		for range 300 {
			b := make([]byte, 1<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			all = append(all, b)
		}
		if len(t) > 0 {
			<-time.After(10 * time.Second)
		}
		runtime.KeepAlive(all)
		return nil
	},
	"proxy": func([]string) error { return errors.New(os.Getenv("HTTPS_PROXY")) },
	"web": func(t []string) error { // by the one way out
		proxy, err := url.Parse(os.Getenv("HTTPS_PROXY"))
		if err != nil {
			return err
		}
		transport := &http.Transport{Proxy: http.ProxyURL(proxy), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		r, err := (&http.Client{Transport: transport}).Get(t[0])
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if said, err := io.ReadAll(r.Body); string(said) != secret {
			return errors.Join(errNothing, err)
		}
		return nil
	},
	"privileges": func([]string) error { // what a program that root owns could give
		status, err := os.ReadFile("/proc/self/status")
		for _, given := range []string{"NoNewPrivs:\t1", "CapPrm:\t0000000000000000", "CapInh:\t0000000000000000", "CapAmb:\t0000000000000000"} {
			if !strings.Contains(string(status), given) {
				return nil
			}
		}
		return errors.Join(errNothing, err)
	},
}

// ownRunner is the nearest ancestor that is a runner, or the parent where there is none.
func ownRunner() int {
	for pid := os.Getppid(); pid > 1; {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if strings.Contains(string(line), "\x00runner\x00") {
			return pid
		}
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, after, _ := strings.Cut(string(stat), ") ")
		pid = 0
		_, _ = fmt.Sscanf(after, "%1s %d", new(string), &pid)
	}
	return os.Getppid()
}

func mustRead(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return mustReadFrom(f)
}

func mustReadFrom(f *os.File) error {
	defer f.Close()
	b := make([]byte, 64<<10)
	n, err := f.ReadAt(b, 0)
	if !strings.Contains(string(b[:n]), secret) {
		return errors.Join(errNothing, err)
	}
	return nil
}

func mustReadAt(path, address string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, len(secret))
	if _, err := f.ReadAt(b, int64(number(address))); err != nil || string(b) != secret {
		return errors.Join(errNothing, err)
	}
	return nil
}

// swap lets one name be now a file of ours, now a link to one outside, and reads it all the while.
func swap(outside string) error {
	if err := errors.Join(os.WriteFile("mine", []byte("mine"), 0o600), os.RemoveAll("theirs"), os.Symlink(outside, "theirs")); err != nil {
		return err
	}
	stop := time.After(200 * time.Millisecond)
	for i := 0; ; i++ {
		_ = os.Remove("name")
		_ = os.Symlink([]string{"mine", "theirs"}[i%2], "new")
		go func() { _ = os.Rename("new", "name") }()
		if b, err := os.ReadFile("name"); err == nil && strings.Contains(string(b), secret) {
			return nil
		}
		select {
		case <-stop:
			return errNothing
		default:
		}
	}
}

func byHandle(path string) error {
	handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, path, 0)
	if err != nil {
		return err
	}
	mount, err := unix.Open(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	fd, err := unix.OpenByHandleAt(mount, handle, unix.O_RDONLY)
	if err != nil {
		return err
	}
	return mustReadFrom(os.NewFile(uintptr(fd), path))
}

// apart runs a command in namespaces of its own.
func apart(command *exec.Cmd, flags uintptr) error {
	id := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	group := []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags, UidMappings: id, GidMappings: group}
	return command.Run()
}

// bind mounts the folder of a file over one of ours.
func bind(file string) error {
	_ = os.Mkdir("mount", 0o700)
	const script = `mount --bind "$0" mount && grep -q "$1" "mount/$2"`
	return apart(exec.Command("/bin/sh", "-c", script, filepath.Dir(file), secret, filepath.Base(file)), unix.CLONE_NEWUSER|unix.CLONE_NEWNS)
}

// across reads or writes the memory of another.
func across(move func(pid int, local []unix.Iovec, remote []unix.RemoteIovec, flags uint) (int, error), target []string) error {
	b := []byte(secret)
	local := unix.Iovec{Base: &b[0], Len: uint64(len(b))}
	_, err := move(number(target[0]), []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(number(target[1])), Len: len(b)}}, 0)
	return err
}

func open(family, kind, protocol int) error {
	_, err := unix.Socket(family, kind, protocol)
	return err
}

// talk connects, and hears the secret that the listener says.
func talk(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	b := make([]byte, len(secret))
	_ = c.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := c.Read(b); err != nil || string(b) != secret {
		return errors.Join(errNothing, err)
	}
	return nil
}

// askKeychain asks the keychain on a session bus what it holds.
func askKeychain(bus string) error {
	c, err := dbus.Connect(bus)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Object("org.freedesktop.secrets", "/org/freedesktop/secrets").GetProperty("org.freedesktop.Secret.Service.Collections")
	return err
}
