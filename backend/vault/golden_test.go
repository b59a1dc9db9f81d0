package vault

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew; only for a version that was not released")

const goldenPath = "testdata/version1.txt"

const goldenProse = `Files of version 1, with the keys that open them: every later Parley opens these. Nothing real was ever under these keys.
A section is a line "-- name --" and what follows. The history's salt is 01020300…, its cipher 7, its anchor 3/4; the sealed
file holds "kept" as secret:golden, and the key of history.keys' keychain slot. rotating.keys is the same in the middle of a
rotation.
`

// golden gives the sections of the fixture.
func golden(t testing.TB) map[string]string {
	t.Helper()
	file, err := os.ReadFile(goldenPath)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for part := range strings.SplitSeq(string(file), "\n-- ") {
		if name, content, ok := strings.Cut(part, " --\n"); ok {
			sections[name] = strings.TrimSuffix(content, "\n") + "\n"
		}
	}
	return sections
}

func TestVersion1OpensForEver(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	g := golden(t)
	folder := t.TempDir()
	for _, name := range []string{"history.keys", "rotating.keys", "keys.sealed"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(g[name]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ring := openSealed(t, filepath.Join(folder, "keys.sealed"))
	if got := get(t, ring, AccountSecret("golden")); string(got) != "kept" {
		t.Errorf("%q", got)
	}
	code, err := ParseRecoveryCode(g["recovery code"])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"history.keys", "rotating.keys"} {
		for way, open := range map[string]func(k *KeyFile) error{
			"keychain":   func(k *KeyFile) error { return k.Unlock(t.Context()).Err },
			"code":       func(k *KeyFile) error { return k.UnlockWithCode(code) },
			"passphrase": func(k *KeyFile) error { return k.UnlockWithPassphrase(passphrase) },
		} {
			k, err := OpenKeyFile(filepath.Join(folder, name), ring)
			if err != nil {
				t.Fatal(err)
			}
			if err := open(k); err != nil || k.Status().State != Ready {
				t.Errorf("%s by %s: %v", name, way, err)
			} else if got := fmt.Sprintf("%x\n", keyOf(t, k)); got != g["data key"] {
				t.Errorf("%s by %s: another key", name, way)
			}
			cipher, salt := k.History()
			if cipher != 7 || salt != [SaltSize]byte{1, 2, 3} || k.doc.history.anchor != (Anchor{3, 4}) {
				t.Errorf("%s: %+v", name, k.doc.history)
			}
			if sum := Check(unhex(strings.TrimSpace(g["data key"]))); hex.EncodeToString(sum[:])+"\n" != g["check"] {
				t.Errorf("check %x", sum)
			}
		}
	}
}

func writeGolden(t *testing.T) {
	w := newWorld(t)
	w.code = zeroCode
	put(t, w.ring, AccountSecret("golden"), []byte("kept"))
	k, key := w.create(SlotKeychain, SlotRecovery, SlotPassphrase)
	if err := k.amend(t.Context(), func(h *history) { h.anchor = Anchor{3, 4} }); err != nil {
		t.Fatal(err)
	}
	still := read(t, w.path)
	if err := k.Rotate(t.Context(), Openers{&w.code, passphrase, cheap}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString(goldenProse)
	section := func(name, content string) { fmt.Fprintf(&b, "\n-- %s --\n%s", name, content) }
	section("passphrase", string(passphrase)+"\n")
	section("recovery code", w.code.Reveal()+"\n")
	section("data key", fmt.Sprintf("%x\n", key))
	section("check", fmt.Sprintf("%x\n", Check(key)))
	section("history.keys", string(still))
	section("rotating.keys", string(read(t, w.path)))
	section("keys.sealed", string(read(t, filepath.Join(filepath.Dir(w.path), "keys.sealed"))))
	if err := os.WriteFile(goldenPath, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
