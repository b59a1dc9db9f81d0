package vault

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/backend/store"
)

func sceneSecretsCrash(t *testing.T) {
	daemon(t)
	crashSecrets(t, "keychain", t.TempDir())
}

// sceneSecrets: what a locked keychain refuses leaves everything as it was, and is done once it is unlocked.
func sceneSecrets(t *testing.T) {
	_, conn := daemon(t)
	k := openSecrets(t, t.TempDir(), NewKeychain(t.TempDir()))
	kept := k.make(NewSecret{Name: "kept", Value: []byte("first value")}).SecretID
	long := strings.Repeat("a long value ", 1000) // longer than an item may be
	k.make(NewSecret{Name: "long", Value: []byte(long)})
	const both = "kept \"kept\" text ok\nlong \"long\" text ok\n"
	if got := k.list("p"); got != both || k.resolve("p", "long") != long {
		t.Errorf("there are\n%s", got)
	}
	lock(t, conn)
	_, problem, err := k.List(t.Context(), "p") // what was read before is known still
	if problem != nil || err != nil {
		t.Error(problem, err)
	}
	_, made := k.Make(t.Context(), NewSecret{Name: "new", Format: FormatText, Value: []byte("x")})
	_, changed := k.Change(t.Context(), kept, SecretChange{Value: of([]byte("second value"))})
	for what, err := range map[string]error{
		"make": made, "change": changed, "remove": k.Remove(t.Context(), kept), "key": k.PutKey(t.Context(), "openai", "own", []byte("sk-1")),
	} {
		if !errors.Is(err, ErrLocked) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := k.resolve("p", "kept"); !strings.Contains(got, "The secret kept could not be read. The keychain is locked. Unlock it, then retry.") {
		t.Errorf("resolved to %q", got)
	}
	list, problem, err := k.List(t.Context(), "p")
	if !errors.Is(problem, ErrLocked) || err != nil || len(list) != 2 {
		t.Errorf("listed are %+v (%v, %v)", list, problem, err)
	}
	if _, err := k.Known(t.Context()); !errors.Is(err, ErrLocked) {
		t.Errorf("what nobody may see is said to be known: %v", err)
	}
	unlock(t, conn)
	if got := k.list("p"); got != both || k.resolve("p", "kept") != "first value" {
		t.Errorf("unlocked, there are\n%s", got)
	}
	settled(t, k)
	k.change(kept, SecretChange{Value: of([]byte("second value"))})
	if got := k.resolve("p", "kept"); got != "second value" {
		t.Errorf("changed, it is %q", got)
	}
}

// settled wants nothing to be left open.
func settled(t *testing.T, k *keeping) {
	t.Helper()
	if left, err := k.Store.UnsettledSecrets(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("not settled are %+v (%v)", left, err)
	}
	if _, err := k.Ring.Get(t.Context(), account(store.SecretID{Slug: "new"})); !errors.Is(err, ErrNotFound) {
		t.Errorf("the keyring has what could not be stored: %v", err)
	}
}

// sceneSecretsDying: the keychain says nothing in the middle of a write, and wakes; or dies there, and is started again.
func sceneSecretsDying(t *testing.T) {
	process, _ := daemon(t)
	ring := NewKeychain(t.TempDir())
	k := openSecrets(t, t.TempDir(), ring)
	kept := k.make(NewSecret{Name: "kept", Value: []byte("first value")}).SecretID
	ring.limit = 100 * time.Millisecond
	process.Signal(syscall.SIGSTOP)
	_, made := k.Make(t.Context(), NewSecret{Name: "new", Format: FormatText, Value: []byte("x")})
	_, changed := k.Change(t.Context(), kept, SecretChange{Value: of([]byte("second value"))})
	if !errors.Is(made, ErrUnavailable) || !errors.Is(changed, ErrUnavailable) {
		t.Errorf("a keychain that hangs: %v, %v", made, changed)
	}
	process.Signal(syscall.SIGCONT)
	ring.limit = keychainLimit
	if got := k.list("p"); got != "kept \"kept\" text ok\n" {
		t.Errorf("awake, there are\n%s", got)
	}
	settled(t, k)
	before := k.resolve("p", "kept")

	process.Signal(syscall.SIGSTOP)
	done := make(chan error, 1)
	go func() {
		_, err := k.Make(t.Context(), NewSecret{Name: "new", Format: FormatText, Value: []byte("x")})
		done <- err
	}()
	process.Signal(syscall.SIGKILL)
	if err := <-done; !errors.Is(err, ErrUnavailable) {
		t.Errorf("a keychain that dies: %v", err)
	}
	daemon(t)
	if got := k.list("p"); got != "kept \"kept\" text ok\n" || k.resolve("p", "kept") != before {
		t.Errorf("started again, there are\n%s", got)
	}
	settled(t, k)
}

// sceneSecretsAbsent: nobody keeps secrets on this bus.
func sceneSecretsAbsent(t *testing.T) {
	k := openSecrets(t, t.TempDir(), NewKeychain(t.TempDir()))
	if got := k.list("p"); got != "" {
		t.Errorf("nobody was asked, and there are\n%s", got)
	}
	_, err := k.Make(t.Context(), NewSecret{Name: "new", Format: FormatText, Value: []byte("x")})
	if !errors.Is(err, ErrUnavailable) || !strings.HasPrefix(err.Error(), "internal: The secret new was not stored. No program keeps keys in this desktop session.") {
		t.Errorf("without a keychain: %v", err)
	}
	if list, _, err := k.List(t.Context(), "p"); err != nil || len(list) != 0 {
		t.Errorf("there are %+v (%v)", list, err)
	}
}
