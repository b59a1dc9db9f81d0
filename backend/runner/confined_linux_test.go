package runner

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"parley/backend/agent"
	"parley/backend/process"
)

// secret is what attacks are after.
const secret = "SECRET-5d1f8c3a"

// victim is another program of the same person, as the app is one. It says where its secret is in memory, and on which
// descriptor it has it open; its environment has it, too.
func victim() int {
	signal.Ignore(syscall.SIGUSR1)
	// Memory of its own, and a mark beside it by which nobody else finds it.
	held := []byte(strings.Clone(secret))
	f, err := os.CreateTemp("", "")
	if err != nil {
		panic(err)
	}
	_ = os.Remove(f.Name())
	_, _ = f.Write(held)
	fmt.Println(uintptr(unsafe.Pointer(&held[0])), f.Fd())
	_, _ = io.Copy(io.Discard, os.Stdin)
	fmt.Println(len(held), f.Fd()) // they live until here
	return 0
}

// world is what lies around a sandbox, for attacks to get at.
type world struct {
	outside        string // a folder
	file           string // in it
	folder         string // the working folder, with a file of the same name
	pid, at, fd    string // of the victim
	tcp, udp       string // addresses of listeners
	unix, abstract string
	datagram       string
	terminal       string // of the person
	bus            string // empty if there is no keychain here
}

func newWorld(t *testing.T) *world {
	w := &world{outside: t.TempDir(), folder: t.TempDir()}
	w.file = filepath.Join(w.outside, "file")
	for _, folder := range []string{w.outside, w.folder} {
		if err := os.WriteFile(filepath.Join(folder, "file"), []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{".ssh", ".git"} {
		if err := os.Mkdir(filepath.Join(w.folder, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	v := exec.Command(executable(), "as=victim")
	v.Env = append(os.Environ(), "KEY="+secret)
	said := started(t, v)
	w.pid = fmt.Sprint(v.Process.Pid)
	if _, err := fmt.Sscan(said, &w.at, &w.fd); err != nil {
		t.Fatal(err)
	}
	w.tcp = listens(t, "tcp", "127.0.0.1:0")
	w.unix = listens(t, "unix", filepath.Join(w.outside, "docker.sock"))
	w.abstract = filepath.Join(w.outside, "X0") // a name that only looks like a path
	listens(t, "unix", "@"+w.abstract)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.datagram = filepath.Join(w.outside, "datagrams")
	datagrams, err := net.ListenPacket("unixgram", w.datagram)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close(); datagrams.Close() })
	w.udp = udp.LocalAddr().String()
	w.terminal = terminal(t)
	w.bus = keychain(t)
	return w
}

// terminal opens one, and gives its path.
func terminal(t *testing.T) string {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	number, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint("/dev/pts/", number)
}

// started starts a program that ends with its input, and gives the first line that it says.
func started(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = c.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// listens tells the secret to whoever connects.
func listens(t *testing.T, network, address string) string {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(c, secret)
			c.Close()
		}
	}()
	return l.Addr().String()
}

// keychain starts a session bus with a keychain on it, if they are installed.
func keychain(t *testing.T) (bus string) {
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			return ""
		}
	}
	home := t.TempDir()
	c := exec.Command("dbus-run-session", "--", "/bin/sh", "-c",
		`printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null; echo "$DBUS_SESSION_BUS_ADDRESS"; cat`)
	c.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "DISPLAY=", "WAYLAND_DISPLAY=")
	return started(t, c)
}

// plan is one attack. Its folder is the one that the attacker works in.
type plan struct {
	name    string
	attack  []string
	asRoot  bool // an ordinary user cannot do it anywhere
	missing bool // there is nothing to attack here

	byMounts bool // it is held by those of its own, where there are any
}

// plans are all attacks. What an attack spoils is there again for the next.
func (w *world) plans() []plan {
	proc := "/proc/" + w.pid + "/"
	return []plan{
		{name: "read outside", attack: []string{"read", w.file}},
		{name: "read by way of ..", attack: []string{"read", "../../../../../../../.." + w.file}},
		{name: "list outside", attack: []string{"list", w.outside}},
		{name: "write outside", attack: []string{"write", w.file}},
		{name: "make outside", attack: []string{"write", filepath.Join(w.outside, "new")}},
		{name: "empty outside", attack: []string{"empty", filepath.Join(w.outside, "spare")}},
		{name: "permissions outside", attack: []string{"permit", w.file}, byMounts: true},
		{name: "times outside", attack: []string{"date", w.file}, byMounts: true},
		{name: "attributes outside", attack: []string{"label", w.file}, byMounts: true},
		{name: "a protected file in the folder", attack: []string{"read", filepath.Join(w.folder, ".env")}, byMounts: true},
		{name: "a file in a protected folder", attack: []string{"read", filepath.Join(w.folder, ".ssh/id")}, byMounts: true},
		{name: "remove a protected file", attack: []string{"remove", filepath.Join(w.folder, ".env")}},
		{name: "a start-up file in the folder", attack: []string{"write", filepath.Join(w.folder, ".bashrc")}},
		{name: "what git is configured to run", attack: []string{"write", filepath.Join(w.folder, ".git/config")}},
		{name: "a hook of git's", attack: []string{"write", filepath.Join(w.folder, ".git/hooks/post-commit")}},
		{name: "another repository in its place", attack: []string{"set aside", filepath.Join(w.folder, ".git")}},
		{name: "remove outside", attack: []string{"remove", filepath.Join(w.outside, "spare")}},
		{name: "symlink", attack: []string{"symlink", w.file}},
		{name: "symlink swapped in a race", attack: []string{"swap", w.file}},
		{name: "hard link", attack: []string{"hard link", w.file}},
		{name: "rename into the sandbox", attack: []string{"rename", filepath.Join(w.outside, "spare")}},
		{name: "open by handle", attack: []string{"handle", w.file}, asRoot: true},
		{name: "bind mount", attack: []string{"bind", w.file}},
		{name: "namespaces", attack: []string{"namespace"}},
		{name: "memory by proc", attack: []string{"memory", w.pid, w.at}},
		{name: "environment by proc", attack: []string{"read", proc + "environ"}},
		{name: "descriptor by proc", attack: []string{"read", proc + "fd/" + w.fd}},
		{name: "memory of the runner", attack: []string{"runner", "mem"}},
		{name: "environment of the runner", attack: []string{"runner", "environ"}},
		{name: "descriptors of the runner", attack: []string{"runner", "fd/0"}},
		{name: "root by proc", attack: []string{"read", proc + "root" + w.file}},
		{name: "folder by proc", attack: []string{"list", proc + "cwd/"}},
		{name: "process_vm_readv", attack: []string{"readv", w.pid, w.at}},
		{name: "process_vm_writev", attack: []string{"writev", w.pid, w.at}},
		{name: "ptrace", attack: []string{"ptrace", w.pid}},
		{name: "pidfd_getfd", attack: []string{"descriptor", w.pid, w.fd}},
		{name: "signal", attack: []string{"kill", w.pid}},
		{name: "signal by pidfd", attack: []string{"kill by descriptor", w.pid}},
		{name: "limits of another", attack: []string{"limit", w.pid}},
		{name: "the keychain's bus", attack: []string{"bus", w.bus}, missing: w.bus == ""},
		{name: "docker's socket", attack: []string{"unix socket", w.unix}},
		{name: "a socket inside the sandbox", attack: []string{"unix socket", "door.sock"}},
		{name: "the person's terminal", attack: []string{"write", w.terminal}, asRoot: true},
		{name: "X11's abstract socket", attack: []string{"abstract socket", w.abstract}},
		{name: "a socket of a pair, pointed elsewhere", attack: []string{"pair", w.datagram}},
		{name: "TCP to another port", attack: []string{"tcp", w.tcp}},
		{name: "UDP", attack: []string{"udp", w.udp}},
		{name: "raw socket", attack: []string{"raw socket"}, asRoot: true},
		{name: "packet socket", attack: []string{"packet socket"}, asRoot: true},
		{name: "device events", attack: []string{"device events"}},
		{name: "io_uring", attack: []string{"io_uring"}},
		{name: "kernel keyring", attack: []string{"key"}},
		{name: "shared memory", attack: []string{"shared memory"}},
		{name: "new privileges", attack: []string{"privileges"}},
	}
}

// prepare puts there what attacks spoil.
func (w *world) prepare(t *testing.T, dir string) {
	t.Helper()
	for _, spoilt := range []string{filepath.Join(w.outside, "new"), filepath.Join(dir, "renamed")} {
		_ = os.Remove(spoilt)
	}
	_ = os.Rename(filepath.Join(w.folder, ".git-aside"), filepath.Join(w.folder, ".git"))
	_ = os.Mkdir(filepath.Join(w.folder, ".git/hooks"), 0o700)
	for _, path := range []string{filepath.Join(w.outside, "spare"), filepath.Join(w.folder, ".env"), filepath.Join(w.folder, ".ssh/id"), filepath.Join(w.folder, ".git/config"), filepath.Join(w.folder, ".bashrc")} {
		if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// runAttack attacks from a process of its own, outside of any sandbox.
func runAttack(t *testing.T, dir string, attack []string) string {
	c := exec.Command(executable(), append([]string{"as=attack"}, attack...)...)
	c.Dir = dir
	said, _ := c.CombinedOutput()
	return strings.TrimSpace(string(said))
}

// TestAttacks: what an agent's process, a child of its runner as all its tools are, tries to get at is refused in both
// scopes that confine, and is not refused where there is no sandbox.
func TestAttacks(t *testing.T) {
	w := newWorld(t)
	if os.Getuid() == 0 {
		t.Run("as an ordinary user", attackAsNobody)
	}
	t.Run("outside", func(t *testing.T) {
		dir := t.TempDir()
		listens(t, "unix", filepath.Join(dir, "door.sock"))
		for _, p := range w.plans() {
			if p.missing || p.asRoot && os.Getuid() != 0 {
				continue
			}
			w.prepare(t, dir)
			if said := runAttack(t, dir, p.attack); said != "done" {
				t.Errorf("%s cannot fail: %s", p.name, said)
			}
		}
	})
	for _, scope := range []agent.FileScope{agent.FilesSandboxed, agent.FilesProject} {
		t.Run(string(scope), func(t *testing.T) {
			l, policy := newLocal(t, "engine")
			if e := l.Enforcement(); e.Network.Lacks != "" {
				t.Fatalf("no network of its own: %s", e.Network.Lacks)
			}
			policy.Scope, policy.Folder = scope, w.folder
			w.attackFrom(t, l, policy)
			w.attackFromPositions(t, scope)
		})
	}
	t.Run("sandboxed, without a network of its own", func(t *testing.T) {
		l, policy := newLocal(t, "engine")
		e := l.Enforcement()
		e.Network, e.Files.Lacks = agent.Held{By: "Landlock, by port", Lacks: "it is to be so"}, "it is to be so"
		l.enforce = func() agent.Enforcement { return e }
		policy.Folder = w.folder
		w.attackFrom(t, l, policy)
	})
}

// attackFrom attacks from a sandbox.
func (w *world) attackFrom(t *testing.T, l *Local, policy agent.Policy) {
	listens(t, "unix", filepath.Join(policy.Scratch, "door.sock"))
	w.prepare(t, policy.Scratch) // what is protected is, as it is when a runner starts
	conn := newConn(t, newSandbox(t, l, policy))
	attack := func(t *testing.T, attack ...string) string {
		t.Helper()
		w.prepare(t, policy.Scratch)
		said := listen(t.Context(), conn, say("attack "+strings.Join(attack, "\t")), nil)
		if said.err != nil {
			t.Fatal(said.err)
		}
		return strings.TrimSpace(said.events[0].(agent.MessageWhole).Text)
	}
	for _, p := range w.plans() {
		t.Run(p.name, func(t *testing.T) {
			said := attack(t, p.attack...)
			if held := !p.byMounts || l.Enforcement().Files.Lacks == ""; strings.HasPrefix(said, "refused: ") != held {
				t.Errorf("said to be held %v: %s", held, said)
			}
		})
	}
	t.Run("another address on an allowed port", func(t *testing.T) {
		_, port, _ := strings.Cut(attack(t, "proxy"), "127.0.0.1")
		said := attack(t, "tcp", listens(t, "tcp", "127.0.0.2"+port))
		if held := l.Enforcement().Network.Lacks == ""; strings.HasPrefix(said, "refused: ") != held {
			t.Errorf("said to be held %v: %s", held, said)
		}
	})
	t.Run("what it may", func(t *testing.T) {
		write := "refused: "
		if policy.Scope == agent.FilesProject {
			write = "done"
		}
		file := filepath.Join(w.folder, "file")
		for _, c := range [][]string{{"done", "read", file}, {write, "write", file}, {write, "write", filepath.Join(w.folder, ".git/index")}, {"done", "write", filepath.Join(policy.Scratch, "mine")}, {"done", "write", "mine"}} {
			if said := attack(t, c[1:]...); !strings.HasPrefix(said, c[0]) {
				t.Errorf("%v: %s", c[1:], said)
			}
		}
	})
}

// TestTooMuch: a sandbox that takes more than it may is ended, whole. One that may is not, and leaves nothing either.
func TestTooMuch(t *testing.T) {
	for name, c := range map[string]struct {
		attack, excess string
		bound          process.Bound
	}{
		"fork bomb":          {"fork bomb\t%s", "processes and threads", process.Bound{Tasks: 80}},
		"memory":             {"much memory\t%s", "MB of memory", process.Bound{Memory: 250 << 20}},
		"a crowd that may":   {"fork bomb\t%s", "", process.Bound{Tasks: 4000}},
		"a load that is not": {"much memory", "", process.Bound{Memory: 1 << 40}},
	} {
		t.Run(name, func(t *testing.T) {
			l, policy := newLocal(t, "engine")
			l.bound = c.bound
			attack := strings.ReplaceAll(c.attack, "%s", policy.Scratch)
			said := listen(t.Context(), newConn(t, newSandbox(t, l, policy)), say("attack "+attack, "wait 300ms"), nil)
			switch {
			case c.excess == "" && (said.err != nil || said.events[0] != agent.MessageWhole{Text: "done\n"}):
				t.Errorf("it was ended: %+v, %v", said.events, said.err)
			case c.excess != "" && (said.err == nil || !strings.Contains(said.err.Message, c.excess)):
				t.Errorf("it was not ended: %+v, %v", said.events, said.err)
			}
		})
	}
}

// TestWhereNothingIsHeld: only what is Parley's own keeps to a scratch folder there.
func TestWhereNothingIsHeld(t *testing.T) {
	for scope, runs := range map[agent.FileScope]bool{"": false, agent.FilesSandboxed: false, agent.FilesProject: true, agent.FilesFull: true} {
		l, policy := newLocal(t, "engine")
		l.enforce = func() agent.Enforcement { return agent.Unenforced("the kernel is another") }
		policy.Scope = scope
		s := newSandbox(t, l, policy)
		if said := listen(t.Context(), newConn(t, s), say("deltas 1 1"), nil); said.err != nil {
			t.Errorf("%q: Parley's own: %v", scope, said.err)
		}
		launch := agent.Launch{Backend: agent.BackendLocal, Harness: agent.KindPi, Program: &agent.Program{Command: "pi"}}
		if _, err := s.Open(t.Context(), launch); (err == nil) != runs || err != nil && !strings.Contains(agent.AsError(err).Message, "the kernel is another") {
			t.Errorf("%q: a program: %v", scope, err)
		}
	}
}

// attackAsNobody runs all of it again as a user who is not root.
func attackAsNobody(t *testing.T) {
	const nobody = 65534
	dir, err := os.MkdirTemp("", "parley-attacks-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	binary, err := os.ReadFile(executable())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "attacks")
	if err := os.WriteFile(program, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.run=^(TestAttacks|TestTooMuch)$", "-test.v")
	c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	for _, passed := range []string{"ptrace", "a_harness", "a_script_of_an_author", "a_child_of_an_MCP_server"} {
		if err != nil || !bytes.Contains(out, []byte("--- PASS: TestAttacks/project/"+passed+" ")) {
			t.Fatalf("%s: %v\n%s", passed, err, out)
		}
	}
}
