package history

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/vault"
)

var (
	key  = agent.SessionKey{Project: agent.DefaultProject, Session: "s"}
	spec = agent.Spec{ID: "demo", Harness: agent.KindScripted}
)

// life is one life of the app over a folder.
type life struct {
	*History
	t     *testing.T
	store *store.Store // nil while the history is not open
	busy  atomic.Bool  // it is not free
}

var errBusy = errors.New("busy")

// begin starts the app; an empty passphrase is none.
func begin(t *testing.T, folder string, ring vault.Keyring, passphrase string) *life {
	t.Helper()
	l := &life{t: t}
	o := Options{
		Folder: folder, Ring: ring, Log: slog.New(slog.DiscardHandler),
		Opened:  func(_ context.Context, s *store.Store) error { l.store = s; return nil },
		Closing: func() { l.store = nil },
		Free: func() error {
			if l.busy.Load() {
				return errBusy
			}
			return nil
		},
	}
	if passphrase != "" {
		o.Passphrase = []byte(passphrase)
	}
	l.History = New(o)
	l.Start(t.Context())
	t.Cleanup(func() { l.Close() })
	return l
}

func (l *life) is(want vault.State) Status {
	l.t.Helper()
	open := l.store != nil // read before the status is, which whoever locks it looks at first
	s, _ := l.Status()
	if s.State != want || s.Open() != open || s.Message == "" {
		l.t.Fatalf("the history is %+v, not %s", s, want)
	}
	return s
}

// remember stores something, recall finds it.
func (l *life) remember() {
	l.t.Helper()
	must(l.t, l.store.CreateSession(l.t.Context(), key, spec, ""))
}

func (l *life) recall() {
	l.t.Helper()
	if _, err := l.store.Session(l.t.Context(), key); err != nil {
		l.t.Fatalf("what was stored is gone: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused wants an error that a person can read.
func refused(t *testing.T, err error, about string) {
	t.Helper()
	var e *agent.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, about) {
		t.Errorf("got %v, not a sentence about %q", err, about)
	}
}

// newRing is a keyring that works, until it is closed: then it is locked.
func newRing(t *testing.T) *vault.SealedFile {
	t.Helper()
	ring, err := vault.OpenSealedFile(t.Context(), filepath.Join(t.TempDir(), "keys.sealed"), []byte("ring"), vault.Cost{})
	must(t, err)
	t.Cleanup(func() { ring.Close() })
	return ring
}

// nowhere is a keychain on a machine that has none.
func nowhere(t *testing.T) vault.Keyring {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(t.TempDir(), "none"))
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	return vault.NewKeychain(t.TempDir())
}

func TestTheKeyringOpensWhatItMade(t *testing.T) {
	folder, ring := t.TempDir(), newRing(t)
	l := begin(t, folder, ring, "")
	if s := l.is(vault.Ready); !slices.Equal(s.Slots, []vault.SlotType{vault.SlotKeychain}) || s.Keychain.Health != vault.Works {
		t.Errorf("%+v", s)
	}
	l.remember()
	must(t, l.Close())
	l = begin(t, folder, ring, "")
	l.is(vault.Ready)
	l.recall()
	refused(t, l.Lock(t.Context()), "Set a passphrase first")
	refused(t, l.StartNew(t.Context()), "can be opened")
	must(t, l.Close())

	must(t, ring.Close())
	l = begin(t, folder, ring, "")
	if s := l.is(vault.KeychainLocked); !slices.Contains(s.Accepts, vault.SlotKeychain) {
		t.Errorf("accepts %v", s.Accepts)
	}
	refused(t, l.StartNew(t.Context()), "can be opened")
}

func TestAFirstStartWithoutAKeychainAsksForAPassphrase(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, nowhere(t), "")
	s := l.is(vault.NoKeychain)
	if !slices.Equal(s.Accepts, []vault.SlotType{vault.SlotPassphrase}) || !strings.Contains(s.Remedy, "passphrase") {
		t.Errorf("%+v", s)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("before anything was chosen there is %v (%v)", files, err)
	}
	refused(t, l.SetPassphrase(t.Context(), []byte{}), "empty passphrase")
	must(t, l.SetPassphrase(t.Context(), []byte("correct horse")))
	l.is(vault.Ready)
	l.remember()
	must(t, l.Close())

	l = begin(t, folder, nowhere(t), "")
	l.is(vault.NeedsPassphrase)
	refused(t, l.UnlockWithPassphrase(t.Context(), []byte("wrong")), "not the passphrase")
	l.is(vault.NeedsPassphrase)
	must(t, l.UnlockWithPassphrase(t.Context(), []byte("correct horse")))
	l.is(vault.Ready)
	l.recall()

	l.busy.Store(true)
	if err := l.Lock(t.Context()); !errors.Is(err, errBusy) {
		t.Errorf("locked under a turn: %v", err)
	}
	l.recall()
	l.busy.Store(false)
	must(t, l.Lock(t.Context()))
	l.is(vault.Sleeping)
	refused(t, l.Unlock(t.Context()), "was locked")
	must(t, l.UnlockWithPassphrase(t.Context(), []byte("correct horse")))
	l.recall()
}

func TestAPassphraseFromAFileMakesAndOpens(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, nil, "unattended")
	l.is(vault.Ready)
	l.remember()
	must(t, l.Close())
	begin(t, folder, nil, "another").is(vault.NeedsPassphrase)
	l = begin(t, folder, nil, "unattended")
	l.is(vault.Ready)
	l.recall()
}

func TestTheRecoveryCodeOpensOnAnotherMachine(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, newRing(t), "")
	l.remember()
	first, err := l.NewCode(t.Context())
	must(t, err)
	code, err := l.NewCode(t.Context())
	must(t, err)
	refused(t, l.SetCode(t.Context(), first), "shown last")
	must(t, l.SetCode(t.Context(), strings.ToLower(code)))
	must(t, l.Close())

	ring := newRing(t)
	l = begin(t, folder, ring, "")
	l.is(vault.NeedsRecoveryCode)
	wrong := "X" + code[1:]
	if wrong == code {
		wrong = "Y" + code[1:]
	}
	refused(t, l.UnlockWithCode(t.Context(), wrong), "Group 1")
	ctx, goes := context.WithCancel(t.Context())
	l.Opened = func(_ context.Context, s *store.Store) error { l.store = s; goes(); return nil }
	must(t, l.UnlockWithCode(ctx, code)) // also for who does not wait for the end
	l.recall()
	must(t, l.Close())
	l = begin(t, folder, ring, "") // whose keyring keeps the key now
	l.is(vault.Ready)
	l.recall()
}

func TestAHistoryThatCannotBeReadIsSetAsideWhole(t *testing.T) {
	folder := t.TempDir()
	lost := newRing(t)
	l := begin(t, folder, lost, "")
	l.remember()
	must(t, l.Close())
	keys, err := os.ReadFile(filepath.Join(folder, "history.keys"))
	must(t, err)

	ring := newRing(t)
	l = begin(t, folder, ring, "")
	l.is(vault.Unreadable)
	must(t, l.StartNew(t.Context()))
	l.is(vault.Ready)
	if _, err := l.store.Session(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the new history is not empty: %v", err)
	}
	aside, err := filepath.Glob(filepath.Join(folder, "set-aside", "*", "history.keys"))
	if err != nil || len(aside) != 1 {
		t.Fatalf("set aside: %v (%v)", aside, err)
	}
	if kept, err := os.ReadFile(aside[0]); err != nil || string(kept) != string(keys) {
		t.Errorf("the old key file was changed (%v)", err)
	}
	old := begin(t, filepath.Dir(aside[0]), lost, "")
	old.is(vault.Ready)
	old.recall()
}

func TestAnOlderCopyIsOpenedAndSaidToBe(t *testing.T) {
	folder, ring := t.TempDir(), newRing(t)
	l := begin(t, folder, ring, "")
	must(t, l.SetPassphrase(t.Context(), []byte("unattended")))
	must(t, l.Close())
	database := filepath.Join(folder, "history.db")
	older, err := os.ReadFile(database)
	must(t, err)
	l = begin(t, folder, ring, "")
	l.remember()
	must(t, l.Close())
	must(t, os.WriteFile(database, older, 0o600))

	l = begin(t, folder, nil, "unattended") // the keyring's anchor stays what it was
	if s := l.is(vault.Ready); !s.RolledBack {
		t.Error("an older copy was accepted in silence")
	}
	must(t, l.Close())
	l = begin(t, folder, ring, "")
	if s := l.is(vault.Ready); s.RolledBack {
		t.Error("it was said already")
	}
}

func TestDamageIsSaidAndTouchesNothing(t *testing.T) {
	for name, harm := range map[string]func(t *testing.T, folder string){
		"the file is gone": func(t *testing.T, folder string) { must(t, os.Remove(filepath.Join(folder, "history.db"))) },
		"the first page": func(t *testing.T, folder string) {
			path := filepath.Join(folder, "history.db")
			b, err := os.ReadFile(path)
			must(t, err)
			b[3*4096+100] ^= 1
			must(t, os.WriteFile(path, b, 0o600))
		},
		"the key file": func(t *testing.T, folder string) {
			must(t, os.WriteFile(filepath.Join(folder, "history.keys"), []byte("nothing"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder, ring := t.TempDir(), newRing(t)
			l := begin(t, folder, ring, "")
			l.remember()
			must(t, l.Close())
			harm(t, folder)
			before, _ := os.ReadFile(filepath.Join(folder, "history.db"))
			l = begin(t, folder, ring, "")
			if s := l.is(vault.Damaged); s.Remedy == "" {
				t.Error("no remedy")
			}
			if after, _ := os.ReadFile(filepath.Join(folder, "history.db")); string(after) != string(before) {
				t.Error("the damaged file was changed")
			}
			must(t, l.StartNew(t.Context()))
			l.is(vault.Ready)
		})
	}
}

func TestADamagedKeyFileThatStillOpensIsMended(t *testing.T) {
	folder, ring := t.TempDir(), newRing(t)
	l := begin(t, folder, ring, "")
	l.remember()
	must(t, l.Close())
	path := filepath.Join(folder, "history.keys")
	b, err := os.ReadFile(path)
	must(t, err)
	damaged := strings.Replace(string(b), "history 1 ", "history 2 ", 1)
	if damaged == string(b) {
		t.Fatal("nothing was damaged")
	}
	must(t, os.WriteFile(path, []byte(damaged), 0o600))
	l = begin(t, folder, ring, "")
	l.is(vault.Ready)
	l.recall()
	must(t, l.Close())
	if kept, err := filepath.Glob(path + ".damaged-*"); err != nil || len(kept) != 1 {
		t.Errorf("kept %v (%v)", kept, err)
	}
	begin(t, folder, ring, "").is(vault.Ready)
}

// TestAHistoryWithoutAKeychainIsNotComplainedAbout: that nothing outside its folder knows how far it has come is no
// news at each start and end.
func TestAHistoryWithoutAKeychainIsNotComplainedAbout(t *testing.T) {
	folder, ring := t.TempDir(), nowhere(t)
	var log bytes.Buffer
	for range 2 {
		h := New(Options{
			Folder: folder, Ring: ring, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
			Opened: func(context.Context, *store.Store) error { return nil }, Closing: func() {},
		})
		h.Start(t.Context())
		log.Reset() // at its first start it says that there is none
		if s, _ := h.Status(); s.State == vault.NoKeychain {
			must(t, h.SetPassphrase(t.Context(), []byte("correct horse")))
		} else {
			must(t, h.UnlockWithPassphrase(t.Context(), []byte("correct horse")))
		}
		must(t, h.Close())
		if log.Len() > 0 {
			t.Errorf("it says %s", log.String())
		}
	}
}
