package runner

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/confine"
	"parley/backend/harness"
	"parley/backend/process"
)

// The flags of a runner's first stage.
const (
	enterFlag   = "--enter"
	confineFlag = "--confine"
)

// enter is the first stage: it shuts the process off from what it inherited, confines it, and becomes the second, which is this
// program with the same arguments but for the flags. It returns only if that failed.
func enter(confined bool) error {
	again := slices.DeleteFunc(slices.Clone(os.Args), func(arg string) bool { return arg == enterFlag || arg == confineFlag })
	return process.Enter(again, func() error {
		if !confined {
			return nil
		}
		return confine.Enter()
	})
}

// start starts a runner under policy, whose private folder is its own: within bounds if the policy has any, and the system
// can hold them.
func (l *Local) start(policy agent.Policy) (*process.Process, confine.Ways, error) {
	holds := policy.Scope != agent.FilesFull && l.Enforcement().Files.By != ""
	args := []string{"--root", policy.Scratch, "--private", policy.Private,
		"--scope", string(cmp.Or(policy.Scope, agent.FilesSandboxed)), "--folder", policy.Folder, "--data", policy.Data}
	if !holds {
		p, err := process.Start(l.command(policy.Scratch, args), l.options.Ledger)
		if err != nil {
			return nil, confine.Ways{}, agent.Wrap(agent.CodeSandbox, err, "The agent's process could not be started.")
		}
		return p, confine.Ways{}, nil
	}
	bounds, err := confine.For(policy, thisHost(policy))
	if err != nil {
		return nil, confine.Ways{}, err
	}
	bounds.Apart = l.Enforcement().Network.Lacks == ""
	p, ways, err := l.startConfined(bounds, l.command(policy.Scratch, append(args, confineFlag)))
	if err != nil {
		return nil, confine.Ways{}, agent.Wrap(agent.CodeSandbox, err, "The agent's process could not be confined to what it may touch, so it was not started. Run parley doctor to see why.")
	}
	return p, ways, nil
}

func (l *Local) command(dir string, args []string) process.Command {
	return process.Command{
		Path: l.options.Executable, Args: slices.Concat(l.options.Args, []string{"runner", enterFlag}, args), Dir: dir, Env: process.Inherited(),
	}
}

func (l *Local) startConfined(bounds confine.Bounds, command process.Command) (*process.Process, confine.Ways, error) {
	start, err := confine.Prepare(bounds)
	if err != nil {
		return nil, confine.Ways{}, err
	}
	command.Attr, command.Files, command.Bound = start.Attr, start.Files, l.bound
	p, err := process.Start(command, l.options.Ledger)
	if err != nil {
		start.Cancel()
		return nil, confine.Ways{}, err
	}
	ways, err := start.Finish(l.limits.hello)
	if err != nil {
		p.Kill()
		p.Stdout.Close()
		l.options.Log.Warn("runner: not confined", "error", err, "stderr", p.Stderr())
		return nil, confine.Ways{}, err
	}
	return p, ways, nil
}

// tryApart starts a process in a network of its own, which does nothing.
func (l *Local) tryApart() error {
	private, err := l.private()
	if err != nil {
		return err
	}
	defer os.RemoveAll(private)
	bounds := confine.Bounds{Write: []string{private}, Temp: private, Apart: true}
	p, ways, err := l.startConfined(bounds, l.command(private, []string{"--root", private, "--private", private, confineFlag}))
	if err != nil {
		return err
	}
	ways.Close()
	p.Kill()
	return p.Stdout.Close()
}

// thisHost is what agents' programs need of this machine.
func thisHost(policy agent.Policy) confine.Host {
	home, _ := os.UserHomeDir() // there is none to keep closed then
	known, _ := harness.Programs(os.Environ())
	commands := append(strings.FieldsFunc(policy.Commands, func(r rune) bool { return r == '\n' }), "node", "python3") // which scripts are written for, too
	keeps := map[agent.Kind][]string{}
	for _, k := range known {
		commands = append(commands, k.Command)
		keeps[k.Kind] = k.Keeps
	}
	return confine.Host{Home: home, Programs: confine.Installed(os.Getenv("PATH"), home, commands), Own: keeps}
}
