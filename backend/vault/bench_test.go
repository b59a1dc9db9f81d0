package vault

import (
	"path/filepath"
	"testing"
)

func BenchmarkSealedFile(b *testing.B) {
	s, err := OpenSealedFile(b.Context(), filepath.Join(b.TempDir(), "keys.sealed"), passphrase, cheap)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.Run("Set", func(b *testing.B) {
		for b.Loop() {
			if err := s.Set(b.Context(), "a", passphrase); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Get", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Get(b.Context(), "a"); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkKeyFile(b *testing.B) {
	path, code := filepath.Join(b.TempDir(), "history.keys"), NewRecoveryCode()
	k, err := CreateKeyFile(b.Context(), path, nil, NewKeys{Code: &code})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("open and unlock", func(b *testing.B) {
		for b.Loop() {
			again, err := OpenKeyFile(path, nil)
			if err == nil {
				err = again.UnlockWithCode(code)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("SetAnchor", func(b *testing.B) {
		for b.Loop() {
			if err := k.SetAnchor(b.Context(), Anchor{1, 1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkCalibrate(b *testing.B) {
	for b.Loop() {
		b.Logf("%+v", Calibrate())
	}
}
