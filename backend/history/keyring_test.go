package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/vault"
)

// holds wants the ring of an open history to have a value, or, if it is empty, to fail with this.
func (l *life) holds(want string, failure error) {
	l.t.Helper()
	got, err := l.Keyring().Get(l.t.Context(), "a")
	if string(got) != want || !errors.Is(err, failure) {
		l.t.Errorf("it holds %q (%v), not %q", got, err, want)
	}
}

// absent is a keychain that is not there.
func absent(t *testing.T) vault.Keyring {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	return vault.NewKeychain(t.TempDir())
}

// TestWithoutAKeychainSecretsAreUnderThePassphrase, whoever gave it, until the history is locked; and they follow a change of it.
func TestWithoutAKeychainSecretsAreUnderThePassphrase(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "history.secrets")
	l := begin(t, folder, nil, "first")
	if _, err := os.Stat(file); err == nil {
		t.Error("a file that nobody needed")
	}
	ring := l.Keyring()
	must(t, ring.Set(t.Context(), "a", []byte("value")))
	must(t, l.SetPassphrase(t.Context(), []byte("second")))
	l.holds("value", nil)
	if err := l.RemovePassphrase(t.Context()); err == nil || !strings.Contains(agent.AsError(err).Message, "sealed under the passphrase") {
		t.Errorf("the passphrase was taken away: %v", err)
	}
	must(t, l.Lock(t.Context()))
	if _, err := ring.Get(t.Context(), "a"); !errors.Is(err, vault.ErrLocked) {
		t.Errorf("of a locked history one reads: %v", err)
	}
	must(t, l.UnlockWithPassphrase(t.Context(), []byte("second")))
	l.holds("value", nil)
	code, err := l.NewCode(t.Context())
	must(t, err)
	must(t, l.SetCode(t.Context(), code))
	must(t, l.Close())

	l = begin(t, folder, absent(t), "")
	l.is(vault.NeedsPassphrase)
	must(t, l.UnlockWithCode(t.Context(), code))
	l.holds("", vault.ErrLocked)
	must(t, l.Lock(t.Context()))
	must(t, l.UnlockWithPassphrase(t.Context(), []byte("second")))
	l.holds("value", nil)
}

// TestAChangeOfThePassphraseThatWasCutShort: the file of secrets is under the new one, and the history under the old.
func TestAChangeOfThePassphraseThatWasCutShort(t *testing.T) {
	folder := t.TempDir()
	l := begin(t, folder, nil, "old")
	must(t, l.Keyring().Set(t.Context(), "a", []byte("value")))
	must(t, l.Close())
	file, err := vault.OpenSealedFile(t.Context(), filepath.Join(folder, "history.secrets"), []byte("old"), vault.Cost{})
	must(t, err)
	must(t, errors.Join(file.ChangePassphrase(t.Context(), []byte("new"), vault.Cost{}), file.Close()))

	l = begin(t, folder, nil, "old")
	l.is(vault.Ready)
	l.holds("", vault.ErrWrongSecret)
	must(t, l.SetPassphrase(t.Context(), []byte("new")))
	l.holds("value", nil)
	must(t, l.Close())
	l = begin(t, folder, nil, "new")
	l.is(vault.Ready)
	l.holds("value", nil)
}

func TestTheKeychainIsTheKeyring(t *testing.T) {
	ring := newRing(t)
	l := begin(t, t.TempDir(), ring, "")
	must(t, l.SetPassphrase(t.Context(), []byte("a passphrase")))
	if l.Keyring() != vault.Keyring(ring) {
		t.Error("it is another one")
	}
}
