package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/store"
	"parley/backend/vault"
)

// wreck damages some of the pages of a closed history, and its header, and gives the file as it is then.
func wreck(t *testing.T, l *life) []byte {
	t.Helper()
	must(t, l.Close())
	b, err := os.ReadFile(l.database())
	must(t, err)
	clear(b[:64])
	for page := 20; page < 40; page += 5 { // behind the sessions, before the rest of the schema
		b[3*4096+page*8192] ^= 1
	}
	must(t, os.WriteFile(l.database(), b, 0o600))
	return b
}

func TestADamagedHistoryGoesOnWithWhatIsLeft(t *testing.T) {
	folder, ring := t.TempDir(), newRing(t)
	l := begin(t, folder, ring, "")
	l.remember()
	must(t, l.SetPassphrase(t.Context(), []byte("correct horse")))
	damaged := wreck(t, l)

	l = begin(t, folder, ring, "")
	if s := l.is(vault.Damaged); !strings.Contains(s.Remedy, "Salvage") {
		t.Errorf("%+v", s)
	}
	found, err := l.Salvage(t.Context(), "", Given{})
	must(t, err)
	if len(found.Bad) == 0 || found.Pages == 0 {
		t.Errorf("%+v", found)
	}
	if s := l.is(vault.Ready); s.RolledBack || s.Lost > 0 {
		t.Errorf("%+v", s)
	}
	l.recall()
	must(t, l.Close())
	aside, err := filepath.Glob(filepath.Join(folder, "set-aside", "*"))
	must(t, err)
	if len(aside) != 1 {
		t.Fatalf("set aside: %v", aside)
	}
	if kept, err := os.ReadFile(filepath.Join(aside[0], "history.db")); err != nil || string(kept) != string(damaged) {
		t.Errorf("the damaged file was changed (%v)", err)
	}
	old := begin(t, aside[0], nil, "correct horse")
	old.is(vault.Damaged)
	must(t, old.Close())
	l = begin(t, folder, ring, "")
	if s := l.is(vault.Ready); s.RolledBack {
		t.Errorf("%+v", s)
	}
	l.recall()
	if left, err := os.Stat(filepath.Join(folder, "salvaging")); !os.IsNotExist(err) {
		t.Errorf("left is %v", left)
	}
}

// TestSalvageBesideTheDamagedOne: what is salvaged to another place is a backup, and changes nothing here.
func TestSalvageBesideTheDamagedOne(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, nil, "correct horse")
	l.remember()
	damaged := wreck(t, l)

	l = begin(t, folder, nowhere(t), "")
	l.is(vault.NeedsPassphrase)
	out := filepath.Join(t.TempDir(), "salvaged.db")
	_, err := l.Salvage(t.Context(), out, Given{})
	refused(t, err, "Enter its passphrase")
	found, err := l.Salvage(t.Context(), out, Given{Passphrase: []byte("correct horse")})
	must(t, err)
	if len(found.Bad) == 0 {
		t.Errorf("%+v", found)
	}
	l.is(vault.Damaged)
	_, err = l.Salvage(t.Context(), out, Given{Passphrase: []byte("correct horse")})
	refused(t, err, "a file with this name")
	if now, err := os.ReadFile(l.database()); err != nil || string(now) != string(damaged) {
		t.Errorf("the damaged file was changed (%v)", err)
	}
	must(t, l.Close())

	o := Options{Folder: t.TempDir(), Log: l.Log}
	must(t, Restore(t.Context(), o, out, []byte("correct horse"), func(store.Summary) bool { return true }))
	other := begin(t, o.Folder, nil, "correct horse")
	other.is(vault.Ready)
	other.recall()
}

// TestSalvageOfAnOpenHistory closes it meanwhile, if nothing runs in it.
func TestSalvageOfAnOpenHistory(t *testing.T) {
	l := begin(t, t.TempDir(), newRing(t), "")
	l.remember()
	l.busy.Store(true)
	if _, err := l.Salvage(t.Context(), "", Given{}); !errors.Is(err, errBusy) {
		t.Errorf("under a turn: %v", err)
	}
	l.busy.Store(false)
	found, err := l.Salvage(t.Context(), "", Given{})
	must(t, err)
	if !found.Whole() || len(found.Incomplete)+len(found.Tables) > 0 {
		t.Errorf("%+v", found)
	}
	l.is(vault.Ready)
	l.recall()
}
