// Package history brings the history of a data folder from locked to open and back: it puts the key file and the sealed
// database together. What it cannot do by itself it tells as a Status, which says what a person may give.
package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/store/sealed"
	"parley/backend/vault"
)

// anchorEvery is how often the anchor is kept while the history is open.
const anchorEvery = 5 * time.Minute

// Options is what a history is opened with.
type Options struct {
	Folder string
	// Ring keeps the key of the history. Nil where Passphrase opens and makes it, because nobody sits there to be asked.
	Ring       vault.Keyring
	Passphrase []byte
	// Folders are where agents and their tools leave files for sessions. They are deleted with everything else.
	Folders []string
	// Opened is called with each store that is opened, before anybody is told. If it fails the store is closed again.
	Opened func(context.Context, *store.Store) error
	// Closing is called before the store is closed.
	Closing func()
	// Free is asked before an open history is closed while the app goes on. It refuses while a turn runs.
	Free func() error
	Now  func() time.Time // the wall clock; nil is the machine's
	Log  *slog.Logger
}

// Status is where the history stands.
type Status struct {
	State      vault.State
	Message    string           // what is wrong
	Remedy     string           // what to do about it
	Accepts    []vault.SlotType // what would open it now
	Slots      []vault.SlotType // the ways to open it that there are
	Keychain   vault.Finding
	Lost       uint64 // commits that a power cut took
	RolledBack bool   // it was older than it is known to have been
	ID         string // of what is open: another history, or an older copy, has another
	ReadOnly   bool   // a newer Parley wrote it
	LockAfter  int    // minutes without use; 0 is never
}

// Open reports whether the history can be read.
func (s Status) Open() bool { return s.State == vault.Ready }

// History is the history of one data folder. All methods may be called at once; those that change its state wait for
// each other, or until their context ends.
type History struct {
	Options
	seat  chan struct{} // taken by whoever changes the state
	tried chan struct{} // closed when Start has ended
	stop  context.CancelFunc
	keeps sync.WaitGroup // the keeper of the anchor
	used  atomic.Int64   // when somebody used it last, in milliseconds since 1970

	// Owned by whoever has the seat.
	keys       *vault.KeyFile
	store      *store.Store
	sealed     *sealedRing // while the key file is open where there is no keychain, else nil
	generation uint64
	code       *vault.RecoveryCode // shown, not in force yet
	closed     bool

	mu      sync.Mutex
	status  Status
	changed chan struct{} // closed and replaced when status changes
}

// New gives the history of a folder, still closed. Close it.
func New(o Options) *History {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &History{
		Options: o, seat: make(chan struct{}, 1), tried: make(chan struct{}), stop: func() {},
		status: Status{State: vault.Sleeping}, changed: make(chan struct{}),
	}
}

func (h *History) keyFile() string  { return filepath.Join(h.Folder, "history.keys") }
func (h *History) database() string { return filepath.Join(h.Folder, "history.db") }

// Start opens the history as far as that goes without a person, making it if there is none. It is called once.
func (h *History) Start(ctx context.Context) {
	defer close(h.tried)
	if err := h.seated(ctx, h.open); err != nil {
		h.Log.Warn("the history is not open", "error", err)
	}
}

// Tried gives a channel that is closed once Start has ended.
func (h *History) Tried() <-chan struct{} { return h.tried }

// Status gives where the history stands, and a channel that is closed when that changes.
func (h *History) Status() (Status, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.status, h.changed
}

// Close locks the history for good, after what is under way. It may be called twice.
func (h *History) Close() error {
	h.seat <- struct{}{}
	defer func() { <-h.seat }()
	h.closed = true
	return h.shut(context.Background())
}

// alone runs fn for the one who changes the state, after Start.
func (h *History) alone(ctx context.Context, fn func(context.Context) error) error {
	select {
	case <-h.tried:
		return h.seated(ctx, fn)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *History) seated(ctx context.Context, fn func(context.Context) error) error {
	select {
	case h.seat <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-h.seat }()
	if h.closed {
		return os.ErrClosed
	}
	return fn(ctx)
}

func (h *History) tell(s Status) {
	if s.Message == "" {
		s.Message, s.Remedy = s.State.Message(), s.State.Remedy()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = s
	close(h.changed)
	h.changed = make(chan struct{})
}

// fail tells what became of a history whose keys were there, if err is not nil.
func (h *History) fail(err error) error {
	if err == nil {
		return nil
	}
	s, _ := h.Status()
	s.State, s.Message, s.Remedy = explain(err)
	s.Accepts, s.ID = nil, ""
	h.tell(s)
	return err
}

// open is Start, and each later try to go on without a person.
func (h *History) open(ctx context.Context) error {
	if h.store != nil {
		return nil
	}
	_, err := os.Lstat(h.keyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return h.begin(ctx)
	}
	if h.keys, err = vault.OpenKeyFile(h.keyFile(), h.Ring); err != nil {
		h.tell(Status{State: vault.Damaged, Message: agent.AsError(err).Message})
		return err
	}
	found := h.keys.Unlock(ctx)
	err = found.Err
	if !found.Unlocked && h.Passphrase != nil {
		err = h.keys.UnlockWithPassphrase(h.Passphrase)
	}
	return errors.Join(err, h.enter(ctx, h.Passphrase))
}

// begin makes the first key file of a folder, if there is something that can keep it.
func (h *History) begin(ctx context.Context) error {
	sealedBefore, err := isSealed(h.database())
	if err != nil {
		return h.fail(err)
	}
	if sealedBefore {
		h.tell(Status{State: vault.Unreadable})
		return nil
	}
	if h.Passphrase != nil {
		return h.fail(h.create(ctx, nil, vault.NewKeys{Passphrase: h.Passphrase}))
	}
	found := vault.Probe(ctx, h.Ring)
	switch found.Health {
	case vault.Works:
		return h.fail(h.create(ctx, h.Ring, vault.NewKeys{}))
	case vault.Locked:
		h.tell(Status{State: vault.KeychainLocked, Accepts: []vault.SlotType{vault.SlotKeychain}, Keychain: found})
	default:
		h.tell(Status{State: vault.NoKeychain, Message: "There is no keychain to keep the key of the history in.", Remedy: found.Remedy,
			Accepts: []vault.SlotType{vault.SlotPassphrase}, Keychain: found})
	}
	return found.Err
}

func (h *History) create(ctx context.Context, ring vault.Keyring, n vault.NewKeys) (err error) {
	n.Cipher = vault.Cipher(sealed.Fastest())
	if h.keys, err = vault.CreateKeyFile(ctx, h.keyFile(), ring, n); err != nil {
		return err
	}
	return h.enter(ctx, n.Passphrase)
}

// enter opens the database if the key file is, and tells where that led. passphrase is what opened that, or nil.
func (h *History) enter(ctx context.Context, passphrase []byte) error {
	keys := h.keys.Status()
	status := Status{State: keys.State, Accepts: keys.Accepts, Slots: keys.Slots, Keychain: h.keychain(ctx, keys)}
	if !keys.Unlocked {
		if status.Keychain.Health == vault.Locked {
			status.Accepts = append([]vault.SlotType{vault.SlotKeychain}, status.Accepts...)
		}
		h.tell(status)
		return nil
	}
	// The person who asked may go; the history is opened all the same.
	ctx = context.WithoutCancel(ctx)
	found, err := h.openStore(ctx)
	if err != nil {
		h.keys.Lock()
		return h.fail(err)
	}
	if err := h.settle(ctx, found); err != nil {
		h.Log.Warn("the key file was not brought up to date", "error", err)
	}
	status.State, status.Accepts, status.Slots = vault.Ready, nil, h.keys.Status().Slots
	status.Lost, status.RolledBack, status.ReadOnly = h.store.Lost(), found.rolledBack, h.store.ReadOnly()
	status.ID = fmt.Sprintf("%s.%d", h.keys.Vault(), h.generation)
	status.LockAfter = h.lockAfter(ctx)
	if status.Keychain.Health == vault.Absent && h.sealed == nil {
		h.sealed = &sealedRing{path: h.secretsFile(), passphrase: bytes.Clone(passphrase)}
	}
	if err := h.Opened(ctx, h.store); err != nil {
		return h.fail(errors.Join(err, h.shut(ctx)))
	}
	h.keep()
	h.tell(status)
	return nil
}

// keychain says how the keychain is. If it has just opened the key file, it need not be asked.
func (h *History) keychain(ctx context.Context, s vault.Status) vault.Finding {
	switch {
	case h.Ring == nil:
		return vault.Finding{Health: vault.Absent, Remedy: "The passphrase comes from a file, so no keychain is asked."}
	case s.Unlocked && s.Found != "":
		return vault.Finding{Health: vault.Works, Kind: s.Found}
	}
	return vault.Probe(ctx, h.Ring)
}

// opening is what came to light when the database was opened.
type opening struct {
	rolledBack bool // it is older than its anchor
	rotated    bool // a rotation that was cut short had sealed it with the next key
}

// openStore opens the database, or makes it.
func (h *History) openStore(ctx context.Context) (found opening, err error) {
	anchor, err := h.keys.Anchor(ctx)
	if err != nil {
		h.Log.Warn("the keychain's anchor could not be read; the key file's own counts", "error", err)
	}
	h.generation = anchor.Generation
	if _, err := os.Lstat(h.database()); errors.Is(err, fs.ErrNotExist) && anchor.Commits > 0 {
		return opening{}, errMissing
	}
	open := func(key *sealed.Key) (err error) {
		h.store, err = store.Open(ctx, h.database(), key, anchor.Commits)
		if errors.Is(err, sealed.ErrRolledBack) {
			found.rolledBack = true
			h.store, err = store.Open(ctx, h.database(), key, 0)
		}
		return err
	}
	err = h.with(func(key, next *sealed.Key) (err error) {
		if err := store.ImportPlain(ctx, h.database(), key); err != nil {
			return err
		}
		err = open(key)
		if errors.Is(err, sealed.ErrWrongKeyOrDamaged) && next != nil {
			found.rotated = true
			err = open(next)
		}
		return err
	})
	return found, err
}

// with lends the data key, and the next one while a rotation is under way, else nil.
func (h *History) with(use func(key, next *sealed.Key) error) error {
	var key, after sealed.Key
	defer vault.Wipe(key[:])
	defer vault.Wipe(after[:])
	var next *sealed.Key
	err := h.keys.With(func(data, nextData []byte) error {
		copy(key[:], data)
		if nextData != nil {
			copy(after[:], nextData)
			next = &after
		}
		return nil
	})
	if err != nil {
		return err
	}
	return use(&key, next)
}

// settle notes in the key file what the database is that was just opened, or sealed anew. A key file that was damaged, and
// opened it all the same, is written anew.
func (h *History) settle(ctx context.Context, found opening) error {
	if found.rolledBack {
		h.generation++ // an older history is another one: what it comes to counts from now on
	}
	aside, failed := h.keys.Mend(ctx)
	if aside != "" {
		h.Log.Warn("the key file was damaged and is written anew; the damaged one is kept", "as", aside)
	}
	if h.keys.Status().Rotating {
		failed = errors.Join(failed, h.endRotation(ctx, found.rotated))
	}
	header := h.store.Header()
	if c, salt := h.keys.History(); sealed.NewHeader(sealed.Cipher(c), salt) != header {
		failed = errors.Join(failed, h.keys.SetHistory(ctx, vault.Cipher(header.Cipher()), header.Salt()))
	}
	return errors.Join(failed, h.anchor(ctx))
}

func (h *History) anchor(ctx context.Context) error {
	return h.keys.SetAnchor(ctx, vault.Anchor{Generation: h.generation, Commits: h.store.Durable()})
}

func (h *History) keepAnchor(ctx context.Context) {
	if err := h.anchor(ctx); err != nil {
		h.Log.Warn("the anchor of the history was not kept", "error", err)
	}
}

// keep keeps the anchor up to date, and looks whether the history is idle, until it is shut.
func (h *History) keep() {
	ctx, cancel := context.WithCancel(context.Background())
	h.stop = cancel
	h.used.Store(h.Now().UnixMilli())
	// Nobody may wait for the one that locks: closing the store would wait for the one who closes it.
	go every(ctx, lookEvery, h.LockIfIdle)
	h.keeps.Go(func() { every(ctx, anchorEvery, h.keepAnchor) })
}

// every calls fn at intervals until ctx ends.
func every(ctx context.Context, interval time.Duration, fn func(context.Context)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			fn(ctx)
		}
	}
}

// shut closes the database and what is sealed beside it, and wipes the keys.
func (h *History) shut(ctx context.Context) error {
	err := h.closeStore(ctx)
	if h.sealed != nil {
		err = errors.Join(err, h.sealed.close())
		h.sealed = nil
	}
	if h.keys != nil {
		h.keys.Lock()
	}
	return err
}

// closeStore closes the database. An anchor that is not kept is no loss: the one before counts.
func (h *History) closeStore(ctx context.Context) error {
	h.stop()
	h.keeps.Wait()
	if h.store == nil {
		return nil
	}
	h.Closing()
	err := h.store.Close()
	h.keepAnchor(ctx)
	h.store = nil
	return err
}
