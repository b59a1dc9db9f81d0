package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

// world is a history's key file beside a sealed file that stands in for any keyring.
type world struct {
	*testing.T
	path string
	ring *SealedFile
	code RecoveryCode
}

func newWorld(t *testing.T) *world {
	folder := t.TempDir()
	return &world{t, filepath.Join(folder, "history.keys"), openSealed(t, filepath.Join(folder, "keys.sealed")), NewRecoveryCode()}
}

// create makes the file with every way to open it that kinds names.
func (w *world) create(kinds ...SlotType) (*KeyFile, []byte) {
	w.Helper()
	n := NewKeys{Cipher: 7, Salt: [SaltSize]byte{1, 2, 3}, Cost: cheap}
	var ring Keyring
	for _, kind := range kinds {
		switch kind {
		case SlotKeychain:
			ring = w.ring
		case SlotRecovery:
			n.Code = &w.code
		case SlotPassphrase:
			n.Passphrase = passphrase
		}
	}
	k, err := CreateKeyFile(w.Context(), w.path, ring, n)
	if err != nil {
		w.Fatal(err)
	}
	k.ring = w.ring
	return k, keyOf(w.T, k)
}

func (w *world) open(ring Keyring) *KeyFile {
	w.Helper()
	k, err := OpenKeyFile(w.path, ring)
	if err != nil {
		w.Fatal(err)
	}
	return k
}

func keyOf(t *testing.T, k *KeyFile) (key []byte) {
	t.Helper()
	if err := k.With(func(current, _ []byte) error { key = bytes.Clone(current); return nil }); err != nil {
		t.Fatal(err)
	}
	return key
}

func (w *world) opens(key []byte, way SlotType) {
	w.Helper()
	k := w.open(w.ring)
	var err error
	switch way {
	case SlotKeychain:
		err = k.Unlock(w.Context()).Err
	case SlotRecovery:
		err = k.UnlockWithCode(w.code)
	case SlotPassphrase:
		err = k.UnlockWithPassphrase(passphrase)
	}
	if err != nil {
		w.Errorf("%s: %v", way, err)
	} else if !bytes.Equal(keyOf(w.T, k), key) {
		w.Errorf("%s gave another key", way)
	} else if s := k.Status(); s.State != Ready || !s.Unlocked {
		w.Errorf("%s: %+v", way, s)
	}
}

// always is a Keyring of one answer: a keychain that is locked, or not there.
type always struct{ error }

func (a always) Get(context.Context, string) ([]byte, error) { return nil, a.error }
func (a always) Set(context.Context, string, []byte) error   { return a.error }
func (a always) Delete(context.Context, string) error        { return a.error }

func TestEveryWayOpens(t *testing.T) {
	w := newWorld(t)
	k, key := w.create(SlotKeychain, SlotRecovery, SlotPassphrase)
	for _, way := range []SlotType{SlotKeychain, SlotRecovery, SlotPassphrase} {
		w.opens(key, way)
	}
	if cipher, salt := k.History(); cipher != 7 || salt != [SaltSize]byte{1, 2, 3} {
		t.Errorf("cipher %d, salt %x", cipher, salt)
	}
	if s := k.Status(); s.MadeWith != "sealed-file" || !slices.Equal(s.Accepts, []SlotType{SlotPassphrase, SlotRecovery}) {
		t.Errorf("%+v", s)
	}
	if bytes.Contains(read(t, w.path), key[:8]) || bytes.Contains(read(t, w.path), fmt.Appendf(nil, "%x", key[:8])) {
		t.Error("the file holds the key")
	}
	if _, err := CreateKeyFile(t.Context(), w.path, w.ring, NewKeys{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("made a second time: %v", err)
	}
	before := read(t, w.path)
	if err := k.UnlockWithCode(NewRecoveryCode()); !errors.Is(err, ErrWrongSecret) {
		t.Errorf("another code: %v", err)
	}
	if err := k.UnlockWithPassphrase([]byte("guess")); !errors.Is(err, ErrWrongSecret) {
		t.Errorf("another passphrase: %v", err)
	}
	if !bytes.Equal(before, read(t, w.path)) {
		t.Error("a wrong key changed the file")
	}
}

// TestStates: what a keychain says, and which ways are left, decide what the person is asked.
func TestStates(t *testing.T) {
	gone, shut, absent := always{notFound()}, always{locked(nil)}, always{unavailable(NoBus, nil)}
	for _, c := range []struct {
		name string
		ring Keyring
		ways []SlotType
		want State
	}{
		{"locked", shut, []SlotType{SlotKeychain, SlotRecovery, SlotPassphrase}, KeychainLocked},
		{"item gone", gone, []SlotType{SlotKeychain, SlotRecovery}, NeedsRecoveryCode},
		{"item gone, passphrase", gone, []SlotType{SlotKeychain, SlotRecovery, SlotPassphrase}, NeedsPassphrase},
		{"item gone, nothing else", gone, []SlotType{SlotKeychain}, Unreadable},
		{"no keychain, nothing else", absent, []SlotType{SlotKeychain}, NoKeychain},
		{"no keychain", absent, []SlotType{SlotKeychain, SlotRecovery}, NeedsRecoveryCode},
		{"opened without one", nil, []SlotType{SlotKeychain}, NoKeychain},
		{"never had one", nil, []SlotType{SlotPassphrase}, NeedsPassphrase},
		{"only a code", nil, []SlotType{SlotRecovery}, NeedsRecoveryCode},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.create(c.ways...)
			before := read(t, w.path)
			k := w.open(c.ring)
			if s := k.Status(); s.State != Sleeping || s.Unlocked {
				t.Errorf("before: %+v", s)
			}
			if s := k.Unlock(t.Context()); s.State != c.want || s.Unlocked || s.State.Remedy() == "" || k.Status().State != c.want {
				t.Errorf("%+v", s)
			}
			if err := k.With(func(_, _ []byte) error { return nil }); !errors.Is(err, ErrLocked) {
				t.Errorf("with a locked file: %v", err)
			}
			if !bytes.Equal(before, read(t, w.path)) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestLockWipesAndUnlockBringsBack(t *testing.T) {
	w := newWorld(t)
	k, key := w.create(SlotKeychain, SlotRecovery)
	var inside []byte
	if err := k.With(func(current, _ []byte) error { inside = current; return nil }); err != nil {
		t.Fatal(err)
	}
	k.Lock()
	if !bytes.Equal(inside, make([]byte, keySize)) {
		t.Error("the key is still in memory")
	}
	if s := k.Status(); s.State != Sleeping || s.Unlocked {
		t.Errorf("%+v", s)
	}
	for what, err := range map[string]error{
		"anchor": k.SetAnchor(t.Context(), Anchor{}), "renew": k.RenewKeychain(t.Context()), "rotate": k.Rotate(t.Context(), Openers{}),
	} {
		if !errors.Is(err, ErrLocked) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if s := k.Unlock(t.Context()); s.State != Ready || !bytes.Equal(keyOf(t, k), key) {
		t.Errorf("%+v", s)
	}
}

func TestALostItemIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	k, key := w.create(SlotKeychain, SlotRecovery)
	if err := w.ring.Delete(t.Context(), accountHistoryKey(k.Vault(), k.doc.current.slots[0].id)); err != nil {
		t.Fatal(err)
	}
	k = w.open(w.ring)
	if s := k.Unlock(t.Context()); s.State != NeedsRecoveryCode || s.MadeWith != s.Found {
		t.Fatalf("%+v", s)
	}
	if err := k.UnlockWithCode(w.code); err != nil {
		t.Fatal(err)
	}
	if err := k.RenewKeychain(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.opens(key, SlotKeychain)
}

func TestSlotsComeAndGo(t *testing.T) {
	w := newWorld(t)
	k, key := w.create(SlotKeychain)
	if err := k.Remove(t.Context(), SlotKeychain); err == nil {
		t.Error("the only way was removed")
	}
	if _, err := k.Backup(); err == nil {
		t.Error("a backup that nothing opens")
	}
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ok(k.SetRecoveryCode(t.Context(), NewRecoveryCode()))
	ok(k.SetRecoveryCode(t.Context(), w.code))
	ok(k.SetPassphrase(t.Context(), passphrase, cheap))
	old := accountHistoryKey(k.Vault(), k.doc.current.slots[0].id)
	ok(k.RenewKeychain(t.Context()))
	if _, err := w.ring.Get(t.Context(), old); !errors.Is(err, ErrNotFound) {
		t.Errorf("the old item: %v", err)
	}
	if n := len(k.doc.current.slots); n != 3 {
		t.Errorf("%d slots", n)
	}
	for _, way := range []SlotType{SlotKeychain, SlotRecovery, SlotPassphrase} {
		w.opens(key, way)
	}
	backup, err := k.Backup()
	ok(err)
	w.path += ".backup"
	ok(os.WriteFile(w.path, backup, 0o600))
	if s := w.open(w.ring).Unlock(t.Context()); s.State != NeedsPassphrase || s.MadeWith != "" {
		t.Errorf("the backup: %+v", s)
	}
	w.opens(key, SlotRecovery)
}

// TestAKeyringThatFailsChangesNothing: a slot is trusted once it was read back.
func TestAKeyringThatFailsChangesNothing(t *testing.T) {
	w := newWorld(t)
	k, key := w.create(SlotKeychain, SlotRecovery)
	before := read(t, w.path)
	k.ring = always{locked(nil)}
	if err := k.RenewKeychain(t.Context()); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	k.ring = forgetful{w.ring}
	if err := k.RenewKeychain(t.Context()); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if !bytes.Equal(before, read(t, w.path)) {
		t.Error("the file was changed")
	}
	w.opens(key, SlotKeychain)
	if _, err := CreateKeyFile(t.Context(), w.path+"2", always{locked(nil)}, NewKeys{}); !errors.Is(err, ErrLocked) {
		t.Error(err)
	}
	if _, err := os.Stat(w.path + "2"); !errors.Is(err, os.ErrNotExist) {
		t.Error("a history that nothing opens was made")
	}
}

// forgetful says that it stored what it did not.
type forgetful struct{ Keyring }

func (f forgetful) Set(context.Context, string, []byte) error { return nil }

func TestRotation(t *testing.T) {
	ways := []SlotType{SlotKeychain, SlotRecovery, SlotPassphrase}
	for _, end := range []string{"confirmed", "abandoned"} {
		t.Run(end, func(t *testing.T) {
			w := newWorld(t)
			k, old := w.create(ways...)
			if err := k.Rotate(t.Context(), Openers{Code: &w.code}); err == nil {
				t.Error("a passphrase would have been lost")
			}
			oldCode := w.code
			w.code = NewRecoveryCode()
			if err := k.Rotate(t.Context(), Openers{Code: &w.code, Passphrase: passphrase, Cost: cheap}); err != nil {
				t.Fatal(err)
			}
			var next []byte
			_ = k.With(func(_, n []byte) error { next = bytes.Clone(n); return nil })
			if len(next) != keySize || bytes.Equal(next, old) || !k.Status().Rotating {
				t.Fatalf("the next key is %d bytes", len(next))
			}
			for _, code := range []RecoveryCode{oldCode, w.code} { // each way, of either key, gives both
				again := w.open(w.ring)
				if err := again.UnlockWithCode(code); err != nil {
					t.Fatal(err)
				}
				if err := again.With(func(c, n []byte) error {
					if !bytes.Equal(c, old) || !bytes.Equal(n, next) {
						t.Error("other keys")
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
			if err := k.SetAnchor(t.Context(), Anchor{1, 2}); err != nil {
				t.Errorf("an anchor during a rotation: %v", err)
			}
			if err := k.RenewKeychain(t.Context()); err == nil {
				t.Error("a slot was changed during a rotation")
			}
			want, finish := next, k.ConfirmRotation
			if end == "abandoned" {
				want, finish = old, k.AbandonRotation
				w.code, oldCode = oldCode, w.code
			}
			if err := errors.Join(finish(t.Context())); err != nil || finish(t.Context()) == nil {
				t.Fatalf("ended: %v; a second time without an error", err)
			}
			for _, way := range ways {
				w.opens(want, way)
			}
			if err := w.open(nil).UnlockWithCode(oldCode); !errors.Is(err, ErrWrongSecret) {
				t.Errorf("the other code: %v", err)
			}
		})
	}
}

func TestAnchor(t *testing.T) {
	w := newWorld(t)
	k, _ := w.create(SlotKeychain, SlotRecovery)
	earlier := read(t, w.path)
	for _, a := range []Anchor{{1, 5}, {2, 3}} {
		if err := k.SetAnchor(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(w.path, earlier, 0o600); err != nil { // as who copies the folder back does
		t.Fatal(err)
	}
	k = w.open(w.ring)
	if s := k.Unlock(t.Context()); s.State != Ready {
		t.Fatalf("%+v", s)
	}
	if a, err := k.Anchor(t.Context()); err != nil || a != (Anchor{2, 3}) {
		t.Errorf("%+v, %v", a, err)
	}
	for _, forged := range [][]byte{nil, make([]byte, anchorSize), bytes.Repeat([]byte{0xff}, 48)} {
		put(t, w.ring, accountAnchor(k.Vault()), forged)
		if a, err := k.Anchor(t.Context()); err != nil || a != (Anchor{}) {
			t.Errorf("forged: %+v, %v", a, err)
		}
	}
	k.ring = always{locked(nil)}
	if a, err := k.Anchor(t.Context()); !errors.Is(err, ErrLocked) || a != (Anchor{}) {
		t.Errorf("locked: %+v, %v", a, err)
	}
}

// TestKeyFileDamage flips every bit and cuts everywhere. The file is never changed, never taken for whole; a key that
// comes out is the right one; and with three ways in, one flipped bit leaves one.
func TestKeyFileDamage(t *testing.T) {
	w := newWorld(t)
	_, key := w.create(SlotKeychain, SlotRecovery, SlotPassphrase)
	whole := read(t, w.path)
	firstLine := bytes.IndexByte(whole, '\n')
	try := func(what string, at int, file []byte, survives bool) {
		if err := os.WriteFile(w.path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		k := w.open(w.ring)
		s := k.Unlock(t.Context())
		if !s.Unlocked && (k.UnlockWithCode(w.code) == nil || k.UnlockWithPassphrase(passphrase) == nil) {
			s = k.Status()
		}
		if s.State != Damaged && !(s.State == NewerFormat && at <= firstLine) {
			t.Errorf("%s at %d: %+v", what, at, s)
		}
		if s.Unlocked && !bytes.Equal(keyOf(t, k), key) {
			t.Errorf("%s at %d gave another key", what, at)
		}
		if survives && !s.Unlocked {
			t.Errorf("%s at %d: nothing survived: %v", what, at, s.Err)
		}
		if err := k.SetAnchor(t.Context(), Anchor{}); err == nil || !bytes.Equal(file, read(t, w.path)) {
			t.Errorf("%s at %d: a damaged file was changed", what, at)
		}
	}
	for at := range whole {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		inKey := bytes.Contains(lineAt(whole, at), []byte("key "))
		try("a flipped bit", at, flipped, at > firstLine && !inKey)
		try("a cut", at, whole[:at], false)
	}
}

func lineAt(file []byte, at int) []byte {
	start := bytes.LastIndexByte(file[:at], '\n') + 1
	return file[start : start+bytes.IndexByte(file[start:], '\n')+1]
}

// TestForgery: who can write the file, and mend its checksum, but has no key, is found out once there is one.
func TestForgery(t *testing.T) {
	w := newWorld(t)
	k, key := w.create(SlotKeychain, SlotRecovery)
	if err := k.SetAnchor(t.Context(), Anchor{9, 9}); err != nil {
		t.Fatal(err)
	}
	d := k.doc
	d.history.anchor = Anchor{1, 1}
	if err := os.WriteFile(w.path, closeFile(d.body(), k.sum), 0o600); err != nil {
		t.Fatal(err)
	}
	k = w.open(w.ring)
	if k.intact != nil {
		t.Fatal("the forgery is no forgery")
	}
	if s := k.Unlock(t.Context()); s.State != Damaged || !s.Unlocked || !bytes.Equal(keyOf(t, k), key) {
		t.Errorf("%+v", s)
	}
	d.current.slots = slices.Clone(d.current.slots)
	d.current.slots[0].sealed = k.doc.current.slots[1].sealed // another slot's
	if err := os.WriteFile(w.path, closeFile(d.body(), k.sum), 0o600); err != nil {
		t.Fatal(err)
	}
	if s := w.open(w.ring).Unlock(t.Context()); s.State != Damaged || s.Unlocked {
		t.Errorf("%+v", s)
	}
}

func TestMend(t *testing.T) {
	w := newWorld(t)
	_, key := w.create(SlotKeychain, SlotRecovery)
	damaged := []byte(strings.Replace(string(read(t, w.path)), "slot keychain", "slot keychaim", 1))
	if err := os.WriteFile(w.path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	k := w.open(w.ring)
	if s := k.Unlock(t.Context()); s.State != Damaged || s.Unlocked || !slices.Equal(s.Accepts, []SlotType{SlotRecovery}) {
		t.Fatalf("%+v", s)
	}
	if _, err := k.Mend(t.Context()); !errors.Is(err, ErrLocked) {
		t.Errorf("mended without the key: %v", err)
	}
	if err := k.UnlockWithCode(w.code); err != nil {
		t.Fatal(err)
	}
	aside, err := k.Mend(t.Context())
	if err != nil || !bytes.Equal(read(t, aside), damaged) {
		t.Fatalf("%v, or the damaged file is not kept", err)
	}
	if err := k.RenewKeychain(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.opens(key, SlotKeychain)
	w.opens(key, SlotRecovery)
}

func TestOpenKeyFileSaysWhatIsNotThere(t *testing.T) {
	_, err := OpenKeyFile(filepath.Join(t.TempDir(), "history.keys"), nil)
	var known *agent.Error
	if !errors.Is(err, os.ErrNotExist) || !errors.As(err, &known) {
		t.Error(err)
	}
}
