package history

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/backend/store"
	"parley/backend/vault"
)

// ledger is a keyring that knows its accounts, as none of the real ones does.
type ledger struct {
	vault.Keyring
	mu       sync.Mutex
	accounts map[string]bool
}

func (l *ledger) Set(ctx context.Context, account string, value []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accounts[account] = true
	return l.Keyring.Set(ctx, account, value)
}

// kept gives the accounts that hold something.
func (l *ledger) kept(t *testing.T) (kept []string) {
	for _, account := range slices.Sorted(maps.Keys(l.accounts)) {
		_, err := l.Get(t.Context(), account)
		if err == nil {
			kept = append(kept, account)
		} else if !errors.Is(err, vault.ErrNotFound) {
			t.Fatal(err)
		}
	}
	return kept
}

func TestDeleteEverythingReallyDoes(t *testing.T) {
	folder := t.TempDir()
	ring := &ledger{Keyring: newRing(t), accounts: map[string]bool{}}
	l := begin(t, folder, ring, "")
	l.remember()
	must(t, l.Close())
	must(t, os.Truncate(l.database(), 100))
	l = begin(t, folder, ring, "")
	l.is(vault.Damaged)
	must(t, l.StartNew(t.Context())) // which sets the first aside, with its key in the keychain
	l.remember()
	must(t, l.SetPassphrase(t.Context(), []byte("correct horse")))
	must(t, l.Rotate(t.Context(), Given{Passphrase: []byte("correct horse")}))
	l.Folders = []string{filepath.Join(folder, "scratch")}
	for _, name := range []string{
		"history.db.schema-0001", "history.db-plain", "history.db-sealing", "history.keys.damaged-1", "history.keys.new",
		"restoring/history.db", "salvaging/history.db", "scratch/default/s/notes.txt",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(folder, name), []byte("of an older history"), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(folder, "door.json"), nil, 0o600))
	old := ring.kept(t)
	if len(old) != 4 {
		t.Fatalf("two histories keep %v", old)
	}

	must(t, l.DeleteEverything(t.Context()))
	l.is(vault.Ready)
	if _, err := l.store.Session(t.Context(), key); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the new history is not empty: %v", err)
	}
	must(t, l.Close())
	for _, account := range ring.kept(t) {
		if slices.Contains(old, account) {
			t.Errorf("the keychain keeps %s", account)
		}
	}
	var left []string
	must(t, fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		left = append(left, path)
		return err
	}))
	if got := strings.Join(left, " "); got != ". door.json history.db history.db-lock history.keys" {
		t.Errorf("left are %s", got)
	}
	begin(t, folder, ring, "").is(vault.Ready)
}

// TestDeleteEverythingNeedsNoKey: also who has forgotten the passphrase may start afresh.
func TestDeleteEverythingNeedsNoKey(t *testing.T) {
	folder := t.TempDir()
	must(t, begin(t, folder, nil, "forgotten").Close())
	l := begin(t, folder, nowhere(t), "")
	l.is(vault.NeedsPassphrase)
	must(t, l.DeleteEverything(t.Context()))
	l.is(vault.NoKeychain)
	must(t, l.SetPassphrase(t.Context(), []byte("a new one")))
	l.is(vault.Ready)
}
