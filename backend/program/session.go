package program

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

// how says how a program came to know what was said before.
type how string

// What a person reads of it, and what programs that read the stream may rely on.
const (
	fresh   how = "new"     // there is nothing to know
	warm    how = "warm"    // it was there
	resumed how = "resumed" // it was started anew and has found its own session
	retold  how = "retold"  // it was started anew and is told
)

// session is a program that runs.
type session struct {
	sandbox *sandbox
	process *process.Process
	line    *Line
	speaker Speaker
	tools   *ownTools // nil if there are none
	launch  agent.Launch
	key     string
	opened  Opened

	after   agent.TurnID  // that it took last; empty if nobody knows where it stands
	play    *play         // the turn that runs or waits; nil between turns
	settled chan struct{} // closed once it has nothing more to say of the turn before; then idle is set
	idle    func()        // ends the reading between turns
	over    sync.Once
}

// start starts a program and makes it ready. resume names the session of its own that it is to go on with.
func start(ctx context.Context, s *sandbox, launch agent.Launch, prompt agent.Prompt, resume string) (*session, error) {
	n := &session{sandbox: s, launch: launch, key: keyOf(launch, prompt), speaker: s.backend.speakers[launch.Program.Speech]()}
	o := Opening{Launch: launch, Policy: s.policy, Dir: s.policy.Dir(), Session: resume, Resume: resume != ""}
	if !o.Resume {
		o.Session = NewUUID()
	}
	var err error
	if len(launch.Tools)+len(launch.AuthorTools)+len(launch.ClientTools)+len(launch.Servers)+len(launch.Hosted) > 0 {
		if n.tools, err = s.backend.newOwnTools(s.policy, launch); err != nil {
			return nil, err
		}
		o.Tools = n.tools.address()
	}
	if n.process, err = n.launchProcess(o); err != nil {
		n.tools.close()
		return nil, err
	}
	n.line = NewLine(n.process.Stdout, n.process.Stdin, n.explain)
	if !s.hold(n) {
		n.end()
		return nil, agent.Errorf(agent.CodeSandbox, "The agent was shut down while it started.")
	}
	if err := n.open(ctx, o); err != nil {
		n.end()
		return nil, err
	}
	n.rest("")
	n.tools.await(ctx, s.backend.limits.list)
	n.await(ctx)
	if ctx.Err() != nil {
		n.end()
		return nil, stoppedEarly(ctx)
	}
	return n, nil
}

func stoppedEarly(ctx context.Context) *agent.Error {
	return agent.Wrap(agent.CodeCancelled, ctx.Err(), "Stopped while the agent was starting.")
}

// keyOf is the key of the provider that a launch needs, if it needs one.
func keyOf(launch agent.Launch, prompt agent.Prompt) string {
	if launch.Endpoint == nil {
		return ""
	}
	return prompt.Secrets[launch.Endpoint.Provider]
}

// open lets the speaker greet the program, for as long as a start may take.
func (n *session) open(ctx context.Context, o Opening) error {
	overdue := false
	opened := make(chan error, 1)
	go func() {
		defer func() {
			if r := recover(); r != nil {
				opened <- fmt.Errorf("panic: %v", r)
			}
		}()
		var err error
		n.opened, err = n.speaker.Open(n.line, o)
		opened <- err
	}()
	var err error
	select {
	case err = <-opened:
	case <-ctx.Done():
		n.process.Kill()
		<-opened
		return stoppedEarly(ctx)
	case <-time.After(n.sandbox.backend.limits.open):
		overdue = true
		n.process.Kill()
		err = <-opened
	}
	switch {
	case overdue:
		return agent.Wrap(agent.CodeRunTimeout, err, fmt.Sprintf("%s was started and did not answer within %v, so it was ended. Start it by hand to see what it waits for.", n.name(), n.sandbox.backend.limits.open))
	case err != nil:
		return n.failure(err)
	}
	return nil
}

func (n *session) name() string { return filepath.Base(n.launch.Program.Command) }

// launchProcess starts the program with what its Launch says, the marks in it filled in.
func (n *session) launchProcess(o Opening) (*process.Process, error) {
	p, private := n.launch.Program, n.sandbox.private
	marks := []string{agent.MarkPrivate, private, agent.MarkSession, o.Session}
	secrets := []string{agent.MarkKey, cmp.Or(n.key, "none")} // whose server needs no key sends one all the same
	if o.Tools != nil {
		secrets = append(secrets, agent.MarkToolsToken, o.Tools.Token)
		marks = append(marks, agent.MarkToolsURL, o.Tools.URL)
	}
	open, closed := strings.NewReplacer(marks...), strings.NewReplacer(append(marks, secrets...)...)
	args := slices.Clone(p.Args)
	if o.Resume {
		args = append(args, p.Resume...)
	} else {
		args = append(args, p.New...)
	}
	for i, arg := range args {
		args[i] = open.Replace(arg)
	}
	env, err := n.environment()
	if err != nil {
		return nil, agent.Wrap(agent.CodeSandbox, err, "The folders of the agent's program could not be made.")
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		env = append(env, name+"="+closed.Replace(p.Env[name]))
	}
	for path, content := range p.Files {
		if err := writePrivate(filepath.Join(private, filepath.FromSlash(path)), closed.Replace(content)); err != nil {
			return nil, agent.Wrap(agent.CodeSandbox, err, "The configuration of the agent's program could not be written.")
		}
	}
	started, err := process.Start(process.Command{Path: open.Replace(p.Command), Args: args, Dir: o.Dir, Env: env}, "")
	switch {
	case errors.Is(err, process.ErrNotFound):
		return nil, agent.Wrap(agent.CodeSandbox, err, fmt.Sprintf("%q was not found. Install it, or see to it that it is on PATH.", p.Command))
	case err != nil:
		return nil, agent.Wrap(agent.CodeSandbox, err, fmt.Sprintf("%q could not be started.", p.Command))
	}
	return started, nil
}

// environment is what every program gets: what a runner passes on, with a home of its own unless the person lends theirs.
func (n *session) environment() ([]string, error) {
	env := process.Inherited()
	if n.launch.Program.Login == agent.LoginOwn {
		return env, nil
	}
	for name, folder := range map[string]string{
		"HOME": "home", "TMPDIR": "tmp",
		"XDG_CONFIG_HOME": "home/.config", "XDG_DATA_HOME": "home/.local/share",
		"XDG_STATE_HOME": "home/.local/state", "XDG_CACHE_HOME": "home/.cache",
	} {
		path := filepath.Join(n.sandbox.private, filepath.FromSlash(folder))
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, err
		}
		env = append(env, name+"="+path) // the last one holds
	}
	return env, nil
}

func writePrivate(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(content), 0o600)
}

// fits reports whether the program may take the turn: it was started with the same configuration and key, and stands where the
// prompt's history ends.
func (n *session) fits(launch agent.Launch, prompt agent.Prompt) bool {
	return !n.gone() && n.after != "" && n.after == prompt.After && n.key == keyOf(launch, prompt) && reflect.DeepEqual(n.launch, launch)
}

// introduce says which program answers, and how it came to know what was said before.
func (n *session) introduce(h how) agent.Event {
	if o, ok := n.speaker.(Offerer); ok {
		n.opened.Options, n.opened.Commands = o.Offered()
	}
	b, _ := json.Marshal(struct { // strings: it cannot fail
		Harness  agent.Kind `json:"harness"`
		How      how        `json:"how"`
		Version  string     `json:"version,omitempty"`
		Steers   bool       `json:"steers,omitempty"`
		Options  []Option   `json:"options,omitempty"`
		Commands []Command  `json:"commands,omitempty"`
	}{n.launch.Harness, h, n.opened.Version, n.opened.Steers, n.opened.Options, n.opened.Commands})
	return agent.Data{Name: "harness", Data: b}
}

// begin lets the speaker take a turn. It gives the calls that the person allowed in a program that is gone: they were its own, and this
// one is told to make them anew.
func (n *session) begin(permits *agent.Permits, prompt agent.Prompt, h how) (lost []agent.ToolCall) {
	n.idle()
	if late := n.line.late.Swap(0); late > 0 {
		slog.Warn("program: it spoke between turns", "program", n.name(), "lines", late)
	}
	n.after = ""
	n.play = newPlay(n.launch.ClientTools, permits, prompt, n.hide)
	if h != warm {
		_, lost = prompt.Resumed()
	}
	for _, call := range lost {
		n.play.granted = append(n.play.granted, call)
		n.play.answered[call.ID] = true
	}
	n.tools.serve(n.play)
	turn := &Turn{Text: told(prompt, h), Images: pictures(prompt)}
	go n.play.take(n, turn)
	return lost
}

// rest is the time between turns, in which what the program says belongs to none. It is heard out, if its speaker can tell
// when it has done, and from then on dropped.
func (n *session) rest(after agent.TurnID) {
	if n.play != nil && n.play.owes() {
		after = "" // it keeps a call without a result, with which few models' servers let a history go on
	}
	n.after, n.play = after, nil
	n.tools.serve(nil)
	n.line.unstop()
	n.settled = make(chan struct{})
	go func() {
		defer close(n.settled)
		if err := n.settle(); err != nil && !n.gone() {
			slog.Warn("program: it did not come to the end of its turn", "program", n.name(), "error", n.failure(err))
			n.kill()
		}
		n.idle = n.line.drop()
	}()
}

// settle hears the program out, if that can be known.
func (n *session) settle() (err error) {
	s, ok := n.speaker.(Settler)
	if !ok {
		return nil
	}
	late := time.AfterFunc(n.sandbox.backend.limits.settle, n.kill)
	defer late.Stop()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return s.Settle(n.line)
}

// await waits until the program is heard out. Who does not wait for that ends it.
func (n *session) await(ctx context.Context) {
	select {
	case <-n.settled:
	case <-ctx.Done():
		n.kill()
		<-n.settled
	}
}

// cancelPaused ends a turn that waits for answers which will not come.
func (n *session) cancelPaused() {
	p := n.play
	if p == nil {
		return
	}
	p.stop()
	n.line.Stop()
	late := time.AfterFunc(n.sandbox.backend.limits.stop, n.kill)
	p.abandon()
	late.Stop()
	if p.err != nil {
		n.kill()
	}
	n.rest(p.prompt.Turn)
}

// gone reports whether the program has ended.
func (n *session) gone() bool { return n.process.Gone() }

// kill ends the program at once.
func (n *session) kill() { n.process.Kill() }

// end ends the program and what belongs to it, and gives where it stood.
func (n *session) end() standing {
	n.over.Do(func() {
		if n.play != nil {
			n.play.stop()
			n.kill()
			n.play.abandon()
		} else {
			n.process.Shutdown()
		}
		n.line.Close()
		n.process.Stdout.Close()
		n.tools.close()
	})
	if n.after == "" {
		return standing{}
	}
	return standing{n.launch.Harness, n.opened.Session, n.after}
}

// explain gives the reason why nothing more comes from the program. It is gone, or of no use.
func (n *session) explain(err error) *agent.Error {
	if errors.Is(err, process.ErrLongLine) {
		n.process.Kill()
		return agent.Wrap(agent.CodeSandbox, err, fmt.Sprintf("%s wrote more at once than can be read, so it was ended.", n.name()))
	}
	n.process.Shutdown()
	log := fmt.Errorf("%w; %s; stderr: %s", err, n.process.State(), n.process.Stderr())
	return agent.Wrap(agent.CodeSandbox, log, fmt.Sprintf("%s ended unexpectedly (%s).", n.name(), n.process.State()))
}

// failure is a speaker's error as a person may see it, and a log: programs quote what they were given.
func (n *session) failure(err error) *agent.Error {
	var e *agent.Error
	if !errors.As(err, &e) {
		e = agent.Wrap(agent.CodeSandbox, err, fmt.Sprintf("%s said something that Parley does not understand, so it was ended. It may be of another version; see the agents' page.", n.name()))
	}
	told := agent.Errorf(e.Code, "%s", n.hide(e.Message))
	if e.Err != nil {
		told.Err = errors.New(n.hide(e.Err.Error()))
	}
	return told
}

// hide takes the provider's key out of a text.
func (n *session) hide(text string) string {
	if n.key == "" {
		return text
	}
	return strings.ReplaceAll(text, n.key, "[key]")
}
