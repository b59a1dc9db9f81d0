package vault

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley/backend/agent"
)

// cheap hardens nothing, so that tests are quick.
var cheap = Cost{Time: 1, Memory: 64, Threads: 1}

var passphrase = []byte("correct horse")

func openSealed(t *testing.T, path string) *SealedFile {
	t.Helper()
	s, err := OpenSealedFile(t.Context(), path, passphrase, cheap)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestSealedFile(t *testing.T) {
	folder := t.TempDir()
	ringSuite{
		open: func(t *testing.T) (Keyring, func()) {
			s := openSealed(t, filepath.Join(folder, "keys.sealed"))
			return s, func() { s.Close() }
		},
		folder: folder,
	}.run(t)
}

func TestSealedFileHasOneOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.sealed")
	s := openSealed(t, path)
	_, err := OpenSealedFile(t.Context(), path, passphrase, cheap)
	if !errors.Is(err, ErrUnavailable) {
		t.Errorf("opened twice: %v", err)
	}
	s.Close()
	s.Close()
	if _, err := s.Get(t.Context(), "x"); !errors.Is(err, ErrLocked) {
		t.Errorf("after Close: %v", err)
	}
	openSealed(t, path)
}

func TestSealedFilePassphrase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.sealed")
	s := openSealed(t, path)
	put(t, s, "a", []byte("kept"))
	if err := s.ChangePassphrase(t.Context(), nil, cheap); err == nil {
		t.Error("an empty passphrase was taken")
	}
	if err := s.ChangePassphrase(t.Context(), []byte("ne\u0301e"), cheap); err != nil {
		t.Fatal(err)
	}
	put(t, s, "b", []byte("after"))
	s.Close()
	before := read(t, path)
	if _, err := OpenSealedFile(t.Context(), path, passphrase, cheap); !errors.Is(err, ErrWrongSecret) {
		t.Errorf("the old passphrase: %v", err)
	}
	if !bytes.Equal(before, read(t, path)) {
		t.Error("a wrong passphrase changed the file")
	}
	s, err := OpenSealedFile(t.Context(), path, []byte("n\u00e9e"), cheap) // the same letters, composed
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := string(get(t, s, "a")) + string(get(t, s, "b")); got != "keptafter" {
		t.Error(got)
	}
}

// TestSealedFileDamage flips every bit, and cuts everywhere.
func TestSealedFileDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.sealed")
	s := openSealed(t, path)
	put(t, s, "a", []byte("kept"))
	s.Close()
	whole := read(t, path)
	try := func(what string, at int, file []byte) {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenSealedFile(t.Context(), path, passphrase, cheap)
		var known *agent.Error
		if err == nil {
			s.Close()
			t.Errorf("%s at %d of %d was not noticed", what, at, len(whole))
		} else if !errors.As(err, &known) || !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrWrongSecret) && !errors.Is(err, ErrNewer) {
			t.Errorf("%s at %d: %v", what, at, err)
		}
		if !bytes.Equal(file, read(t, path)) {
			t.Errorf("%s at %d: the file was changed", what, at)
		}
	}
	for at := range whole {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << (at % 8)
		try("a flipped bit", at, flipped)
		try("a cut", at, whole[:at])
	}
}

func TestSealedFileThatVanishes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.sealed")
	s := openSealed(t, path)
	put(t, s, "a", []byte("one"))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("the file is gone: %v", err)
	}
}

func TestUnattendedPassphrase(t *testing.T) {
	folder := t.TempDir()
	for content, want := range map[string]string{"secret": "secret", "secret\n": "secret", "two words\r\nand a note\n": "two words"} {
		path := filepath.Join(folder, "pass")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv(EnvPassphraseFile, path)
		if got, err := UnattendedPassphrase(); err != nil || string(got) != want {
			t.Errorf("%q: %q, %v", content, got, err)
		}
	}
	for _, path := range []string{filepath.Join(folder, "none"), os.DevNull} {
		t.Setenv(EnvPassphraseFile, path)
		if got, err := UnattendedPassphrase(); err == nil {
			t.Errorf("%s: %q", path, got)
		}
	}
	t.Setenv(EnvPassphraseFile, "")
	if got, err := UnattendedPassphrase(); got != nil || err != nil {
		t.Errorf("not set: %q, %v", got, err)
	}
}

func TestCalibrate(t *testing.T) {
	for name, c := range map[string]struct {
		speed float64 // MiB passes a second
		want  Cost
	}{
		"slow":         {100, MinCost},
		"as the floor": {300, MinCost},
		"middling":     {1000, Cost{3, 256 << 10, 4}},
		"fast":         {5000, Cost{5, 512 << 10, 4}},
	} {
		got := calibrate(func(cost Cost) time.Duration {
			return time.Duration(float64(cost.Time) * float64(cost.Memory>>10) / c.speed * float64(time.Second))
		})
		if got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestCostStaysWithinBounds: what is written can be read, whatever was asked.
func TestCostStaysWithinBounds(t *testing.T) {
	for _, c := range []Cost{{}, {Time: 1}, {Memory: 1 << 31, Threads: 255, Time: 1 << 31}, maxCost, MinCost} {
		h := harden(c)
		if again, err := parseHardening(h.String()); err != nil || again.String() != h.String() {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if harden(Cost{}).cost != MinCost {
		t.Error("no cost is not the least")
	}
	for _, word := range []string{"", "argon2id:0:64:1:00", "argon2id:17:64:1:" + saltHex, "argon2id:1:1048577:1:" + saltHex, "argon2id:1:64:17:" + saltHex, "argon2i:1:64:1:" + saltHex, "argon2id:1:64:1:" + saltHex + "00"} {
		if _, err := parseHardening(word); err == nil {
			t.Errorf("%s was let in", word)
		}
	}
}

const saltHex = "00112233445566778899aabbccddeeff"

func TestCancelledOpening(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "keys.sealed")
	if _, err := OpenSealedFile(ctx, path, passphrase, cheap); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Error("a cancelled opening made a file")
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
