package program

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/backend/agent"
	"parley/backend/harness"
	"parley/backend/process"
)

// Readiness is what can be done with a program.
type Readiness string

// The states; the enum is closed.
const (
	Ready   Readiness = "ready"
	Missing Readiness = "missing" // it is not on PATH
	TooOld  Readiness = "too_old"
	Broken  Readiness = "broken" // it does not start
)

// Found is what there is of a known program.
type Found struct {
	harness.Known
	State   Readiness
	Path    string // empty if it is missing
	Version string // empty if it does not tell
	Problem string // what it said, if it is broken
}

// Finder knows which programs there are. It looks when it is asked first, and remembers what it saw. All methods may be
// called at once.
type Finder struct {
	programs []harness.Known
	patience time.Duration // with one that is asked for its version

	mu    sync.Mutex
	looks map[agent.Kind]func() Found
}

// NewFinder makes a finder of these programs.
func NewFinder(programs []harness.Known) *Finder {
	f := &Finder{programs: programs, patience: 30 * time.Second}
	f.Forget()
	return f
}

// Forget lets the finder look again.
func (f *Finder) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks = map[agent.Kind]func() Found{}
	for _, known := range f.programs {
		f.looks[known.Kind] = sync.OnceValue(func() Found { return f.look(known) })
	}
}

// All gives every program. It looks for all of them at once.
func (f *Finder) All() []Found {
	all := make([]Found, len(f.programs))
	var looking sync.WaitGroup
	for i, known := range f.programs {
		looking.Go(func() { all[i] = f.find(known.Kind)() })
	}
	looking.Wait()
	return all
}

// Check refuses a kind of harness whose program cannot be used, and says what to do. One that could not be used before is
// looked for again: a person may have done it. Kinds without a program pass.
func (f *Finder) Check(kind agent.Kind) error {
	find := f.find(kind)
	if find == nil {
		return nil
	}
	found := find()
	if found.State != Ready {
		found = f.look(found.Known)
	}
	switch found.State {
	case Missing:
		return agent.Errorf(agent.CodeValidation, "%s is not installed: there is no %s on the PATH. %s", found.Name, found.Command, found.Remedy())
	case TooOld:
		return agent.Errorf(agent.CodeValidation, "%s is version %s, and Parley needs %s or newer. %s", found.Name, found.Version, found.Oldest, found.Remedy())
	case Broken:
		return agent.Errorf(agent.CodeValidation, "%s does not start: %s Run %s --version in a terminal to see more.", found.Name, found.Problem, found.Command)
	default:
		return nil
	}
}

// OnPath reports whether a kind's program seems to be there. Nothing is started for it. Kinds without a program pass.
func (f *Finder) OnPath(kind agent.Kind) bool {
	for _, known := range f.programs {
		if known.Kind == kind {
			_, err := process.Find(known.Command)
			return err == nil
		}
	}
	return true
}

func (f *Finder) find(kind agent.Kind) func() Found {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.looks[kind]
}

// look finds one program, and asks for its version.
func (f *Finder) look(known harness.Known) Found {
	found := Found{Known: known, State: Missing}
	var err error
	if found.Path, err = process.Find(known.Command); err != nil {
		return found
	}
	if known.Configured {
		found.State = Ready
		return found
	}
	said, err := f.ask(found.Path)
	if err != nil {
		found.State, found.Problem = Broken, sentence(err.Error())
		return found
	}
	found.State, found.Version = Ready, versionIn(said)
	switch {
	case known.Oldest == "":
	case found.Version == "":
		found.State, found.Problem = Broken, "It does not tell its version."
	case olderThan(found.Version, known.Oldest):
		found.State = TooOld
	}
	return found
}

// ask starts a program to tell its version, in a folder of its own: some write into their home even for that.
func (f *Finder) ask(path string) (string, error) {
	private, err := os.MkdirTemp("", "parley-version-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(private)
	if path, err = filepath.Abs(path); err != nil {
		return "", err
	}
	p, err := process.Start(process.Command{Path: path, Args: []string{"--version"}, Dir: private, Env: append(process.Inherited(), "HOME="+private)}, "")
	if err != nil {
		return "", err
	}
	defer p.Stdout.Close()
	overdue := time.AfterFunc(f.patience, p.Kill)
	p.Stdin.Close()
	said, _ := io.ReadAll(io.LimitReader(p.Stdout, 64<<10))
	<-p.Exited
	if !overdue.Stop() {
		return "", fmt.Errorf("it did not tell its version within %s", f.patience)
	}
	if p.State() != "exit status 0" {
		lines := strings.Split(p.Stderr(), "\n")
		return "", fmt.Errorf("%s (%s)", strings.TrimSpace(lines[len(lines)-1]), p.State())
	}
	return string(said) + "\n" + p.Stderr(), nil // where old ones of Pi say it
}

// sentence makes one of what a program said, of bounded length.
func sentence(said string) string {
	if r := []rune(strings.TrimSpace(said)); len(r) > 300 {
		said = string(r[:300]) + "…"
	}
	return strings.TrimRight(strings.TrimSpace(said), ".") + "."
}

var version = regexp.MustCompile(`(?:^|[\sv])(\d{1,9}\.\d{1,9}\.\d{1,9})(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?(?:\s|$)`)

// versionIn gives the version in what a program says of itself; what stands around it differs.
func versionIn(said string) string {
	if m := version.FindStringSubmatch(said); m != nil {
		return m[1]
	}
	return ""
}

func olderThan(a, b string) bool { return slices.Compare(numbers(a), numbers(b)) < 0 }

func numbers(version string) (all []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part)
		all = append(all, n)
	}
	return all
}
