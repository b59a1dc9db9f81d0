// Package app puts Parley together: it is the only package that may import every room.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/config"
	"parley/backend/harness"
	"parley/backend/history"
	"parley/backend/mcp"
	"parley/backend/process"
	"parley/backend/program"
	"parley/backend/provider"
	"parley/backend/redact"
	"parley/backend/revert"
	"parley/backend/runner"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/tool"
	"parley/backend/vault"
	"parley/backend/watch"
	"parley/backend/workflow"
	"parley/frontend"
)

// owner is the one process that has the data folder: it keeps the store, runs the sessions and opens the door.
type owner struct {
	Connection
	lock      *os.File
	home      home
	log       *slog.Logger
	backend   agent.Backend
	servers   *config.Servers // of MCP
	board     mcp.Board       // what is known of those
	history   *history.History
	watcher   *watch.Watcher
	agents    *config.Catalog
	workflows *workflow.Shelves
	starting  context.CancelFunc // ends the history's Start
	door      *api.Door
	server    *http.Server
	served    chan error
	seen      atomic.Pointer[redact.Known] // what was secret when that was asked last; nothing before

	// While the history is open.
	env   *agent.Environment
	sides *agent.Environment
	rooms *api.Rooms
}

// ownerOptions is what differs between the commands that may become the owner.
type ownerOptions struct {
	addr    string      // to listen on
	origins []string    // of pages that are let in besides our own
	show    func() bool // brings a window to the front
	log     *slog.Logger
}

// join gives a connection to the owner of the data folder, becoming it if there is none. The owner is nil if another
// process is it; else close it.
func join(ctx context.Context, h home, o ownerOptions) (Connection, *owner, error) {
	lock, err := os.OpenFile(h.lock(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return Connection{}, nil, err
	}
	mine, err := tryLock(lock)
	if err != nil {
		return Connection{}, nil, errors.Join(err, lock.Close())
	}
	if !mine {
		lock.Close()
		c, err := findDoor(ctx, h.door())
		if err != nil {
			return Connection{}, nil, &owned{err}
		}
		return c, nil, nil
	}
	own := &owner{lock: lock, home: h, servers: config.OpenServers(h.servers()), served: make(chan error, 1)}
	own.log = slog.New(redacted{o.log.Handler(), own.seen.Load})
	if err := own.open(ctx, o); err != nil {
		own.close()
		return Connection{}, nil, err
	}
	return own.Connection, own, nil
}

// open opens the door first, then the history behind it: a keychain and a passphrase take their time. What an earlier
// owner left behind is ended before.
func (o *owner) open(ctx context.Context, opt ownerOptions) error {
	if reaped, err := process.Reap(o.home.runners(), o.log); err != nil {
		return fmt.Errorf("end what an earlier Parley left running: %w", err)
	} else if reaped > 0 {
		o.log.Warn("ended processes that an earlier Parley left behind", "count", reaped)
	}
	if err := os.RemoveAll(o.home.private(os.Getenv)); err != nil {
		o.log.Warn("what an earlier Parley left behind could not be removed", "error", err)
	}
	var err error
	if o.backend, err = runnerBackend(o.home.runners(), o.home.private(os.Getenv), &o.board, o.log); err != nil {
		return err
	}
	endpoints, err := provider.Endpoints(os.Getenv)
	if err != nil {
		return err
	}
	known, err := harness.Programs(os.Environ())
	if err != nil {
		return err
	}
	programs := program.NewFinder(known)
	if os.Getenv(envRunner) != "" {
		programs = program.NewFinder(nil) // what is installed there is not seen from here
	}
	own, err := configFolder()
	if err != nil {
		return err
	}
	o.watcher = watch.New(o.log)
	o.agents = config.NewCatalog(config.Options{
		BuiltIn: config.BuiltIn(os.Getenv, endpoints, known), Known: config.Known{Endpoints: endpoints, Tools: o.home.tools(), Programs: known},
		Own: own, Folder: o.folder, Watcher: o.watcher, Log: o.log,
	})
	o.workflows = workflow.NewShelves(own, o.folder, o.watcher)
	options := history.Options{Folder: string(o.home), Folders: []string{o.home.scratches(), o.home.private(os.Getenv)}, Closing: o.leaveHistory, Log: o.log}
	options.Free = func() error { return o.rooms.Free() }
	options.Opened = func(ctx context.Context, s *store.Store) error {
		secrets := vault.NewSecrets(vault.SecretsOptions{
			Store: s, Ring: o.history.Keyring(), Providers: provider.Keyed(), Now: time.Now,
			Environment: func(name string) (variable, value string) { return provider.Key(name, os.Getenv) },
		})
		return o.enterHistory(ctx, s, secrets, func(k agent.Kind) (agent.Harness, error) {
			if err := programs.Check(k); err != nil {
				return nil, err
			}
			return harness.For(k, endpoints, tool.Names(), known)
		})
	}
	if options.Passphrase, err = vault.UnattendedPassphrase(); err != nil {
		return err
	}
	if options.Passphrase == nil {
		options.Ring = vault.NewKeychain(o.home.sealedValues())
	}
	o.history = history.New(options)
	if err := o.listen(opt, programs); err != nil {
		return err
	}
	starting, cancel := context.WithCancel(ctx)
	o.starting = cancel
	go o.history.Start(starting)
	return nil
}

// enterHistory builds what stands on the history, and lets the door open onto it.
func (o *owner) enterHistory(ctx context.Context, s *store.Store, secrets *vault.Secrets, harnessOf func(agent.Kind) (agent.Harness, error)) error {
	o.env, o.sides = agent.NewEnvironment(o.backend, agent.DefaultLimits), agent.NewEnvironment(o.backend, agent.SideLimits)
	secret := o.known(secrets)
	sessions, err := session.Open(ctx, session.Options{
		Store:       s,
		Environment: o.env,
		Sides:       o.sides,
		Agent: func(ctx context.Context, project agent.ProjectID, id string) (agent.Spec, error) {
			return o.agents.Find(ctx, s, project, id)
		},
		Harness: harnessOf,
		Key:     o.keyOf(secrets),
		Servers: o.servers.Named,
		Search:  o.search,
		Resolve: secrets.Resolve,
		Known:   secret,
		Used:    secrets.Used,
		Scratch: o.home.scratch,
		Folder:  o.folder,
		Data:    string(o.home),
		Log:     o.log,
	})
	if err != nil {
		return err
	}
	o.rooms = &api.Rooms{Sessions: sessions, Store: s, Revert: revert.New(s, sessions.Policy), Secrets: secrets}
	o.board.Hide(func(text string) string {
		known, err := secret(context.Background())
		if err != nil && text != "" {
			return "[withheld: the secrets could not be read, so they cannot be taken out of it]"
		}
		return known.Text(text)
	})
	o.door.Open(o.rooms)
	return nil
}

// known gives what is secret, and lets the log know.
func (o *owner) known(secrets *vault.Secrets) func(context.Context) (*redact.Known, error) {
	return func(ctx context.Context) (*redact.Known, error) {
		known, err := secrets.Known(ctx)
		if err == nil {
			o.seen.Store(known)
		}
		return known, err
	}
}

// search is the search engine that is set up now.
func (o *owner) search() (*agent.Search, error) { return config.ReadSearch(o.home.search()) }

// keyOf gives the key that a project uses for a provider. It is an error that there is none where none is answered without.
func (o *owner) keyOf(secrets *vault.Secrets) func(context.Context, agent.ProjectID, string) (string, error) {
	return func(ctx context.Context, project agent.ProjectID, name string) (string, error) {
		o.known(secrets)(ctx) // before it is used: the log has to know it
		key, err := secrets.Key(ctx, project, name)
		if err == nil && key == "" {
			err = provider.NoKey(o.agents.Known.Endpoints[name])
		}
		return key, err
	}
}

// folder is what the new sessions of a project are about: the project's own, or outside of any project the one that this
// program was started in.
func (o *owner) folder(project agent.ProjectID) string {
	if project != agent.DefaultProject {
		return o.door.Folder(project)
	}
	return o.home.workingFolder()
}

// patience is how long who reads slowly is waited for.
const patience = 2 * time.Second

// leaveHistory ends what stands on the history, and with it what guests are doing there. Live turns are stopped; what
// they said is kept.
func (o *owner) leaveHistory() {
	o.door.Open(nil)
	if o.rooms != nil {
		o.rooms.Sessions.Close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		o.rooms.Wait(ctx)
	}
	if o.env != nil {
		o.env.Close()
		o.sides.Close()
	}
	o.rooms, o.env, o.sides = nil, nil, nil
}

// envRunner is the address of a runner that listens.
const envRunner = "PARLEY_RUNNER"

// runnerBackend is what agents run on: the runner that the person named, or else this same program, started again.
func runnerBackend(ledger, private string, board *mcp.Board, log *slog.Logger) (agent.Backend, error) {
	if url := os.Getenv(envRunner); url != "" {
		token, err := runner.ReadToken()
		if err != nil {
			return nil, err
		}
		return runner.NewRemote(runner.RemoteOptions{URL: url, Token: token, Log: log})
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return runner.NewLocal(runner.LocalOptions{Executable: executable, Ledger: ledger, Private: private, Servers: board, Log: log})
}

// enforcementOf tells what the system that agents run on holds of their bounds.
func enforcementOf(backend agent.Backend) func() agent.Enforcement {
	if local, ok := backend.(*runner.Local); ok {
		return local.Enforcement
	}
	return func() agent.Enforcement {
		return agent.Unenforced("agents run on another machine; parley doctor tells there what is held")
	}
}

func (o *owner) listen(opt ownerOptions, programs *program.Finder) error {
	listener, err := net.Listen("tcp", opt.addr)
	if err != nil {
		return fmt.Errorf("open the door: %w", err)
	}
	addr := listener.Addr().String()
	o.Connection = Connection{URL: "http://" + addr, Token: api.NewToken(), PID: os.Getpid()}
	o.door = api.New(addr, api.Options{
		History: o.history, Agents: o.agents, Workflows: o.workflows, Programs: programs, Enforcement: enforcementOf(o.backend),
		Servers: o.servers, Board: &o.board, Search: o.search, Try: o.tryServer, Page: frontend.Page(), Show: opt.show,
		Token: o.Token, Origins: opt.origins, Version: Version, Log: o.log,
	})
	o.server = o.door.Server()
	go func() { o.served <- o.server.Serve(listener) }()
	return writeDoor(o.home.door(), o.Connection)
}

// drain waits until the last client has left, or ctx ends.
func (o *owner) drain(ctx context.Context) {
	select {
	case <-o.door.Empty():
	case <-ctx.Done():
	}
}

// close ends everything. The server takes nothing new from its first moment on, but what it has may only end with the
// history: live turns are stopped, and what they said is kept.
func (o *owner) close() {
	shut := make(chan error, 1)
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	if o.server != nil {
		os.Remove(o.home.door())
		os.Remove(o.home.launch())
		go func() { shut <- o.server.Shutdown(ctx) }()
	}
	if o.starting != nil {
		o.starting()
		if err := o.history.Close(); err != nil {
			o.log.Error("the history was not closed cleanly", "error", err)
		}
	}
	if o.watcher != nil {
		o.watcher.Close()
	}
	if o.server != nil {
		o.door.Close()
		if <-shut != nil {
			o.server.Close()
		}
	}
	o.lock.Close() // last: it gives the data folder free
}
