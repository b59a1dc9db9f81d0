// Package confine lets the system hold what a process, and all that it starts, may touch. On Linux that is Landlock for files,
// a filter of system calls for what Landlock knows nothing of, and a network of its own; elsewhere it is nothing, and says so.
package confine

import (
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"parley/backend/agent"
)

// Bounds is what a confined process may touch.
type Bounds struct {
	Read  []string `json:"read"`            // to read and to run, with all that is below; what is not there is passed over
	Write []string `json:"write"`           // to change, too
	Temp  string   `json:"temp"`            // its folder for temporary files, below one of Write; it is made
	Home  string   `json:"home,omitempty"`  // its home folder, likewise; empty leaves it the person's, of which it has what is said here
	Model string   `json:"model,omitempty"` // host:port of a model server on this machine that it may reach
	Apart bool     `json:"apart,omitempty"` // in a network of its own

	Folder string `json:"folder,omitempty"` // one of Read or Write, in which some names are protected; only held with Apart
}

// Host is what of this machine the bounds of every process depend on.
type Host struct {
	Home     string                  // the person's
	Programs []string                // folders to run programs from, as Installed gives them
	Own      map[agent.Kind][]string // what a harness keeps in the person's home folder, for its own login
}

// For gives the bounds of a process under a policy that is not FilesFull. It refuses a working folder that holds more than work.
func For(p agent.Policy, h Host) (Bounds, error) {
	b := Bounds{
		Read:  h.Programs,
		Write: []string{p.Scratch, p.Private},
		Temp:  filepath.Join(p.Private, "tmp"),
		Model: onThisMachine(p.Model),
	}
	if p.Own == "" {
		b.Home = filepath.Join(p.Private, "home")
	}
	for _, path := range h.Own[p.Own] {
		b.Write = append(b.Write, filepath.Join(h.Home, path))
	}
	if p.Folder == "" {
		return b, nil
	}
	for what, path := range map[string]string{"your home folder": h.Home, "Parley's own data": p.Data} {
		if path != "" && (agent.Within(path, p.Folder) || what == "Parley's own data" && agent.Within(p.Folder, path)) {
			return Bounds{}, agent.Errorf(agent.CodeSandbox, "The agent was not started, because its working folder %s reaches %s, which no confined agent does. Choose a folder inside of it, or let the agent reach all files.", p.Folder, what)
		}
	}
	if !p.Exempt {
		b.Folder = p.Folder
	}
	if p.Scope == agent.FilesProject {
		b.Write = append(b.Write, p.Folder)
	} else {
		b.Read = append(append([]string{}, b.Read...), p.Folder)
	}
	return b, nil
}

// onThisMachine gives the host and port of a URL if they are this machine's.
func onThisMachine(base string) string {
	u, err := url.Parse(base)
	if err != nil || base == "" {
		return ""
	}
	if u.Hostname() == "localhost" {
		_, port, _ := net.SplitHostPort(agent.HostPort(u))
		return net.JoinHostPort("127.0.0.1", port)
	}
	if a, err := netip.ParseAddr(u.Hostname()); err != nil || !a.IsLoopback() {
		return ""
	}
	return agent.HostPort(u)
}

// Installed gives the folders that programs are run from: those on a PATH, and those that commands are installed in, found
// there or by their whole path. A folder that is the home folder, or holds it, is left out.
func Installed(path, home string, commands []string) (folders []string) {
	add := func(folder string) {
		if filepath.IsAbs(folder) && !agent.Within(home, folder) {
			folders = append(folders, folder)
		}
	}
	addProgram := func(path string) {
		if program, err := filepath.EvalSymlinks(path); err == nil {
			add(installation(program))
		}
	}
	for _, command := range commands {
		if filepath.IsAbs(command) {
			addProgram(command)
		}
	}
	for _, dir := range filepath.SplitList(path) {
		add(dir)
		for _, command := range commands {
			addProgram(filepath.Join(dir, command))
		}
	}
	return folders
}

// installation is the folder that a program's file is installed in: what npm installs needs what lies beside it.
func installation(program string) string {
	const modules = string(filepath.Separator) + "node_modules"
	if before, _, found := strings.Cut(program, modules+string(filepath.Separator)); found {
		return before + modules
	}
	return filepath.Dir(program)
}

// Start is how a process is started that calls Enter. Exactly one of Finish and Cancel follows.
type Start struct {
	Attr  *syscall.SysProcAttr
	Files []*os.File // its descriptors from 3 on
	conn  *net.UnixConn
}

// Ways are the ways out of a confined process's network, which end at whoever started it.
type Ways struct {
	Proxy net.Listener
	Model net.Listener // for connections to Bounds.Model; nil if it needs none to get there
}

// Close ends both.
func (w Ways) Close() {
	for _, l := range []net.Listener{w.Proxy, w.Model} {
		if l != nil {
			l.Close()
		}
	}
}

// MaxTasks is how many processes and threads a confined process and all that it starts may be at once. Where the system gives
// it a count of its own, and it is not root, the kernel holds that.
const MaxTasks = 4096

// EnvTools is the variable that names the address to serve tools at, where a process has no network of its own.
const EnvTools = "PARLEY_TOOLS_LISTEN"
