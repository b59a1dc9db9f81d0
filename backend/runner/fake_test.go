//go:build linux

package runner

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/agent"
)

// The test binary is every process that these tests need. Its first argument says which:
//
//	as=runner     the real runner, with the real engines
//	as=engine     the same, with the engine below
//	as=SCRIPT     a runner that plays a script, one action on each line
//	as=child      a process that ignores SIGTERM
//	as=app        an app with one runner, for tests that kill the app
//	as=attack     a process that tries to get at something
//	as=attacks    one that tries everything, as a tool does
//	as=server     an MCP server with a tool that does so
//	as=agent      an agent that does so, by the Agent Client Protocol
//	as=victim     a process that has something to be got at
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if role, ok := strings.CutPrefix(os.Args[1], "as="); ok {
			syscall.Exit(act(role, os.Args[2:])) // not os.Exit, which sleeps for a second under the race detector
		}
	}
	os.Exit(m.Run())
}

func act(role string, args []string) int {
	time.AfterFunc(2*time.Minute, func() { os.Exit(99) }) // whatever a test forgets
	switch role {
	case "runner":
		return Main(context.Background(), args[1:], os.Stdin, os.Stdout, os.Stderr, "test")
	case "engine":
		engine := engine{}
		return host(context.Background(), args[1:], os.Stdin, os.Stdout, os.Stderr,
			Options{Version: "test", Engines: Engines{agent.BackendScripted: engine}})
	case "child":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	case "app":
		return actAsApp(args[0], args[1])
	case "attack":
		return attack(args[0], args[1:])
	case "attacks":
		return attackAll()
	case "server":
		return attackAsServer()
	case "agent":
		return attackAsAgent()
	case "victim":
		return victim()
	}
	if slices.Contains(args, enterFlag) {
		panic(enter(slices.Contains(args, confineFlag)))
	}
	playScript(role, args[len(args)-1])
	return 0
}

const goodHello = `{"kind":"hello","protocol":"1.7","version":"fake","novelty":true}`

// playScript plays a runner that is defective in some way.
func playScript(script, root string) {
	in := bufio.NewReader(os.Stdin)
	for line := range strings.Lines(script) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch verb {
		case "hello":
			fmt.Println(goodHello)
		case "read": // a line of the app
			if _, err := in.ReadString('\n'); err != nil {
				return
			}
		case "say": // a line
			fmt.Println(rest)
		case "delta": // of this many bytes
			fmt.Println(string(eventHead) + `{"type":"message_delta","text":"` + strings.Repeat("x", number(rest)) + `"}}`)
		case "flood": // stderr with this many megabytes
			for range number(rest) {
				os.Stderr.Write(bytes.Repeat([]byte("noise\n"), 1<<20/6))
			}
			fmt.Fprintln(os.Stderr, "last words")
		case "spawn":
			spawn(root, nil)
		case "escape":
			spawn(root, &syscall.SysProcAttr{Setsid: true})
		case "orphan": // the child of a child that is gone
			orphan := exec.Command("/bin/sh", "-c", `"$0" as=child "$1" & read`, executable(), root)
			orphan.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			startAndWait(orphan)
		case "deaf": // to everything, for ever
			signal.Ignore(syscall.SIGTERM)
			select {}
		case "breed": // children that leave the session, as fast as it can
			go func() {
				for {
					child := exec.Command("/bin/sh", "-c", "while :; do sleep 60; done", root)
					child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
					_ = child.Start()
				}
			}()
		case "close":
			os.Stdout.Close()
		case "term": // wait for SIGTERM
			asked := make(chan os.Signal, 1)
			signal.Notify(asked, syscall.SIGTERM)
			<-asked
		case "exit":
			os.Exit(number(rest))
		case "kill":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		default:
			panic("no such action: " + verb)
		}
	}
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func executable() string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return self
}

// spawn starts a child and returns once it ignores SIGTERM.
func spawn(root string, attr *syscall.SysProcAttr) {
	child := exec.Command(executable(), "as=child", root)
	child.SysProcAttr = attr
	startAndWait(child)
}

func startAndWait(child *exec.Cmd) {
	out, err := child.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := child.Start(); err != nil {
		panic(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		panic(err)
	}
}

// actAsApp has one runner busy until it is killed. It says when the runner is.
func actAsApp(ledger, root string) int {
	local, err := NewLocal(LocalOptions{Executable: executable(), Args: []string{"as=engine"}, Ledger: ledger, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	sandbox, err := local.NewSandbox(context.Background(), agent.Policy{Scratch: root})
	if err != nil {
		panic(err)
	}
	conn, err := sandbox.Open(context.Background(), scriptedLaunch)
	if err != nil {
		panic(err)
	}
	for e, err := range conn.Prompt(context.Background(), say("spawn", "deltas 1 1", "chatter")) {
		if e == (agent.MessageDelta{Text: "x"}) {
			fmt.Println("busy")
		}
		if err != nil {
			panic(err)
		}
	}
	return 0
}

var scriptedLaunch = agent.Launch{Backend: agent.BackendScripted, Harness: agent.KindScripted, PermissionPolicy: agent.PermissionAsk}

// say is a prompt for the engine below, one action on each line.
func say(actions ...string) agent.Prompt {
	return agent.Prompt{
		Key:      agent.SessionKey{Project: agent.DefaultProject, Session: "s1"},
		Turn:     "t1",
		Messages: []agent.Message{{ID: "m1", Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: strings.Join(actions, "\n")}}}},
	}
}

// engine is a backend inside a runner. It plays the script in the newest message.
type engine struct {
	release chan struct{} // frees what is deaf
}

func (e engine) Supports(name agent.BackendName, kind agent.Kind) bool { return supports(name, kind) }

func (e engine) NewSandbox(_ context.Context, p agent.Policy) (agent.Sandbox, error) {
	return engineSandbox{e, p.Scratch, make(chan struct{})}, nil
}

type engineSandbox struct {
	engine
	root string
	done chan struct{}
}

func (s engineSandbox) Done() <-chan struct{} { return s.done }
func (s engineSandbox) Close() error          { return nil }

func (s engineSandbox) Open(context.Context, agent.Launch) (agent.Conn, error) {
	return engineConn{s}, nil
}

type engineConn struct{ engineSandbox }

func (c engineConn) Close() error { return nil }

func (c engineConn) Prompt(ctx context.Context, prompt agent.Prompt) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		script := prompt.Messages[len(prompt.Messages)-1].Parts[0].(agent.TextPart).Text
		finish := agent.Finish{StopReason: agent.StopEndTurn, Usage: agent.Usage{Input: 1, Output: 2, Total: 3}, Model: "test-model"}
		for line := range strings.Lines(script) {
			verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch verb {
			case "deltas": // this many, of this many bytes
				n, size, _ := strings.Cut(rest, " ")
				e := agent.MessageDelta{Text: strings.Repeat("x", number(size))}
				for range number(n) {
					if !yield(e, nil) {
						return
					}
				}
			case "count": // this many deltas that are all different
				for i := range number(rest) {
					if !yield(agent.MessageDelta{Text: fmt.Sprintf("<%d>", i)}, nil) {
						return
					}
				}
			case "chatter": // until stopped
				for ctx.Err() == nil && yield(agent.ThoughtDelta{Text: "and "}, nil) {
				}
				finish.StopReason = agent.StopCancelled
			case "hang": // until stopped
				<-ctx.Done()
				finish.StopReason = agent.StopCancelled
			case "wait":
				d, _ := time.ParseDuration(rest)
				<-time.After(d)
			case "deaf": // to a stop
				<-c.release
			case "whole":
				yield(agent.MessageWhole{Text: rest}, nil)
			case "print": // by mistake
				fmt.Println(rest)
			case "call":
				yield(agent.ToolCall{ID: "c1", Name: rest, Input: []byte(`{}`)}, nil)
			case "rogue":
				yield(agent.SessionStarted{Agent: "evil"}, nil)
			case "spawn":
				spawn(c.root, &syscall.SysProcAttr{Setpgid: true})
				spawn(c.root, &syscall.SysProcAttr{Setsid: true})
			case "environ":
				yield(agent.MessageWhole{Text: environ()}, nil)
			case "attack": // by a child, as tools and programs are; its arguments are apart by tabs
				said, _ := exec.Command(executable(), append([]string{"as=attack"}, strings.Split(rest, "\t")...)...).CombinedOutput()
				yield(agent.MessageWhole{Text: string(said)}, nil)
			case "panic":
				panic("the engine is broken")
			case "error":
				yield(nil, agent.Wrap(agent.Code(rest), io.ErrClosedPipe, "It did not work."))
				return
			case "stranger":
				yield(nil, fmt.Errorf("dial: key=hunter2"))
				return
			case "endless":
				return
			default:
				panic("no such action: " + verb)
			}
		}
		yield(finish, nil)
	}
}

// environ tells what the runner inherited.
func environ() string {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		panic(err)
	}
	var open []string
	for _, fd := range fds {
		target, _ := os.Readlink("/proc/self/fd/" + fd.Name())
		open = append(open, fd.Name()+"="+target)
	}
	return strings.Join(os.Environ(), "\n") + "\n\n" + strings.Join(open, "\n")
}
