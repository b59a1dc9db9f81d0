package vault

import (
	"bytes"
	"errors"
	"testing"
)

func FuzzKeyFile(f *testing.F) {
	g := golden(f)
	f.Add([]byte(g["history.keys"]))
	f.Add([]byte(g["rotating.keys"]))
	f.Add([]byte("parley-keys 2 x\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, body, sum, err := parse(file)
		switch {
		case err == nil:
			if !bytes.Equal(closeFile(body, sum), file) {
				t.Error("two ways to write one file")
			}
		case errors.Is(err, ErrDamaged):
			k := &KeyFile{doc: d, body: body, sum: sum, intact: err, ring: always{notFound()}}
			if s := k.Unlock(t.Context()); s.State != Damaged || s.Unlocked {
				t.Errorf("%+v", s)
			}
			if k.UnlockWithCode(NewRecoveryCode()) == nil {
				t.Error("opened by a random code")
			}
		case !errors.Is(err, ErrNewer):
			t.Error(err)
		}
	})
}

func FuzzSealedFile(f *testing.F) {
	f.Add([]byte(golden(f)["keys.sealed"]))
	f.Add([]byte("parley-sealed 2\n\n\n\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := parseSealed(file)
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewer) {
				t.Error(err)
			}
			return
		}
		if c := s.hardening.cost; c.Time > maxCost.Time || c.Memory > maxCost.Memory || c.Threads > maxCost.Threads {
			t.Errorf("a cost of %+v was let in", c)
		}
		if !bytes.HasPrefix(file, s.head) {
			t.Error("the head is not the file's")
		}
	})
}

func FuzzItem(f *testing.F) {
	f.Add("vvalue")
	f.Add("f0123456789abcdef:AAAA")
	f.Add("")
	k := NewKeychain(f.TempDir())
	f.Fuzz(func(t *testing.T, item string) {
		value, err := k.value("account", item)
		if err == nil && "v"+string(value) != item || err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("%q: %q, %v", item, value, err)
		}
	})
}
