package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/backend/agent"
)

// ringSuite is what every Keyring does, over something that two rings opened after each other share.
type ringSuite struct {
	open   func(t *testing.T) (ring Keyring, shut func())
	folder string // what the ring writes itself
}

func (s ringSuite) run(t *testing.T) {
	for name, test := range map[string]func(*testing.T, Keyring){
		"values come back":    testValues,
		"not found":           testNotFound,
		"two at once":         testTwoAtOnce,
		"cancelled":           testCancelled,
		"too long":            testTooLong,
		"the probe":           testProbe,
		"accounts are apart":  testAccounts,
		"a caller may change": testCallersBytes,
	} {
		t.Run(name, func(t *testing.T) {
			ring, shut := s.open(t)
			defer shut()
			test(t, ring)
		})
	}
	t.Run("values outlive a reopening", s.testReopen)
	t.Run("nothing is readable", s.testCanary)
}

var someValues = map[string][]byte{
	"empty":       {},
	"text":        []byte("sk-1234567890"),
	"json":        []byte(`{"a": "{{}}", "b": null}` + "\n"),
	"utf-8":       []byte("pässwörd 密码 🔑"),
	"binary":      {0, 1, 0xff, 0xfe, '\n', 0, 0x80},
	"the longest": bytes.Repeat([]byte("x"), longestItem-1),
	"one more":    bytes.Repeat([]byte("y"), longestItem),
	"100 KB":      bytes.Repeat([]byte("0123456789abcde\x00"), 100*64),
}

func testValues(t *testing.T, ring Keyring) {
	for name, value := range someValues {
		put(t, ring, "value", value)
		if got := get(t, ring, "value"); !bytes.Equal(got, value) {
			t.Errorf("%s: %d bytes came back as %d", name, len(value), len(got))
		}
	}
	if err := ring.Delete(t.Context(), "value"); err != nil {
		t.Fatal(err)
	}
	if _, err := ring.Get(t.Context(), "value"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a deleted value: %v", err)
	}
}

func testNotFound(t *testing.T, ring Keyring) {
	_, err := ring.Get(t.Context(), "nothing")
	for what, err := range map[string]error{"get": err, "delete": ring.Delete(t.Context(), "nothing")} {
		var known *agent.Error
		if !errors.Is(err, ErrNotFound) || !errors.As(err, &known) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func testTwoAtOnce(t *testing.T, ring Keyring) {
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			account := fmt.Sprint("one of ", i)
			for n := range 3 {
				value := bytes.Repeat([]byte{byte(i), byte(n)}, 700*(n+1))
				if err := ring.Set(t.Context(), account, value); err != nil {
					t.Error(err)
				}
				if got, err := ring.Get(t.Context(), account); err != nil || !bytes.Equal(got, value) {
					t.Errorf("%s: %v, or another's value", account, err)
				}
				if err := ring.Set(t.Context(), "of all", value); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := get(t, ring, "of all"); len(got) != 4200 {
		t.Errorf("%d bytes after all had set theirs", len(got))
	}
}

func testCancelled(t *testing.T, ring Keyring) {
	put(t, ring, "kept", []byte("as it was"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ring.Get(ctx, "kept")
	for what, err := range map[string]error{"get": err, "set": ring.Set(ctx, "kept", nil), "delete": ring.Delete(ctx, "kept")} {
		if !errors.Is(err, context.Canceled) || agent.AsError(err).Code != agent.CodeCancelled {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := get(t, ring, "kept"); string(got) != "as it was" {
		t.Errorf("now %q", got)
	}
}

func testTooLong(t *testing.T, ring Keyring) {
	put(t, ring, "long", []byte("old"))
	if err := ring.Set(t.Context(), "long", make([]byte, MaxValue+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("one byte too many: %v", err)
	}
	if got := get(t, ring, "long"); string(got) != "old" {
		t.Errorf("now %d bytes", len(got))
	}
	put(t, ring, "long", make([]byte, MaxValue))
	if got := get(t, ring, "long"); len(got) != MaxValue {
		t.Errorf("the longest value came back with %d bytes", len(got))
	}
	if err := ring.Delete(t.Context(), "long"); err != nil {
		t.Error(err)
	}
}

func testProbe(t *testing.T, ring Keyring) {
	f := Probe(t.Context(), ring)
	if f.Health != Works || f.Err != nil || f.Remedy != "" || f.Kind == "" {
		t.Errorf("%+v", f)
	}
}

func testAccounts(t *testing.T, ring Keyring) {
	accounts := []string{AccountProviderKey("openai", "work"), AccountProviderKey("openai", "Wörk 'quoted' $(x)"), AccountSecret("a-b"), AccountServerToken}
	for _, a := range accounts {
		put(t, ring, a, []byte("of "+a))
	}
	for _, a := range accounts {
		if got := get(t, ring, a); string(got) != "of "+a {
			t.Errorf("%s: %q", a, got)
		}
	}
}

func testCallersBytes(t *testing.T, ring Keyring) {
	value := []byte("hers")
	put(t, ring, "bytes", value)
	Wipe(value)
	Wipe(get(t, ring, "bytes"))
	if got := get(t, ring, "bytes"); string(got) != "hers" {
		t.Errorf("wiping what was given or got changed what is stored: %q", got)
	}
}

func (s ringSuite) testReopen(t *testing.T) {
	ring, shut := s.open(t)
	put(t, ring, "short", []byte("one"))
	put(t, ring, "long", someValues["100 KB"])
	shut()
	ring, shut = s.open(t)
	defer shut()
	if got := get(t, ring, "short"); string(got) != "one" {
		t.Errorf("short: %q", got)
	}
	if got := get(t, ring, "long"); !bytes.Equal(got, someValues["100 KB"]) {
		t.Errorf("long: %d bytes", len(got))
	}
}

func (s ringSuite) testCanary(t *testing.T) {
	ring, shut := s.open(t)
	defer shut()
	const canary = "canary-5f1c0a77"
	put(t, ring, "secret:"+canary, []byte(strings.Repeat(canary, 1000)))
	files := 0
	err := filepath.WalkDir(s.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		if info, err := d.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v (%v)", d.Name(), info.Mode(), err)
		}
		b, err := os.ReadFile(path)
		for _, piece := range []string{canary, canary[:8], encoding.EncodeToString([]byte(canary))[:12]} {
			if bytes.Contains(b, []byte(piece)) {
				t.Errorf("%s holds %q", d.Name(), piece)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

func put(t *testing.T, ring Keyring, account string, value []byte) {
	t.Helper()
	if err := ring.Set(t.Context(), account, value); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, ring Keyring, account string) []byte {
	t.Helper()
	value, err := ring.Get(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	return value
}
