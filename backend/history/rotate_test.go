package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/store/sealed"
	"parley/backend/vault"
)

func TestEveryWayOpensTheNewKey(t *testing.T) {
	folder, ring := t.TempDir(), newRing(t)
	l := begin(t, folder, ring, "")
	code, err := l.NewCode(t.Context())
	must(t, err)
	must(t, l.SetCode(t.Context(), code))
	must(t, l.SetPassphrase(t.Context(), []byte("correct horse")))
	l.remember()
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, l.Backup(t.Context(), copied))
	must(t, os.WriteFile(filepath.Join(folder, "history.db.schema-0001"), nil, 0o600))
	var old sealed.Key
	must(t, l.with(func(key, _ *sealed.Key) error { old = *key; return nil }))

	refused(t, l.Rotate(t.Context(), Given{}), "needs the recovery code and the passphrase")
	refused(t, l.Rotate(t.Context(), Given{code, []byte("correct hoarse")}), "not the passphrase")
	refused(t, l.Rotate(t.Context(), Given{vault.NewRecoveryCode().Reveal(), []byte("correct horse")}), "not the one of this history")
	writing, ended := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() {
		for i := 0; ; i++ {
			if writing.Err() != nil {
				written <- nil
				return
			}
			if err := l.store.CreateSession(t.Context(), numbered(i), spec, ""); err != nil {
				written <- err
				return
			}
		}
	}()
	must(t, l.Rotate(t.Context(), Given{code, []byte("correct horse")}))
	ended()
	must(t, <-written)
	l.recall()
	must(t, l.Close())

	if _, err := sealed.Open(l.database(), &old, 0); !errors.Is(err, sealed.ErrWrongKeyOrDamaged) {
		t.Errorf("the old key: %v", err)
	}
	if left, err := filepath.Glob(l.database() + ".schema-*"); err != nil || left != nil {
		t.Errorf("nobody can read %v (%v)", left, err)
	}
	for name, open := range map[string]func() *life{
		"keychain": func() *life { return begin(t, folder, ring, "") },
		"code": func() *life {
			l := begin(t, folder, nil, "another")
			must(t, l.UnlockWithCode(t.Context(), code))
			return l
		},
		"passphrase": func() *life { return begin(t, folder, nil, "correct horse") },
	} {
		l := open()
		if s := l.is(vault.Ready); s.RolledBack || len(s.Slots) != 3 {
			t.Errorf("%s: %+v", name, s)
		}
		l.recall()
		must(t, l.Close())
	}
	backup := filepath.Join(t.TempDir(), "restored")
	must(t, os.Mkdir(backup, 0o700))
	o := Options{Folder: backup, Log: l.Log}
	must(t, Restore(t.Context(), o, copied, []byte(code), func(store.Summary) bool { return true }))
}

func numbered(i int) agent.SessionKey {
	return agent.SessionKey{Project: agent.DefaultProject, Session: agent.SessionID(fmt.Sprintf("n%d", i))}
}

// A process under these variables is the one that is killed.
const (
	envVictim = "PARLEY_TEST_ROTATING"
	envRing   = "PARLEY_TEST_RING"
)

// TestRotatingForever is what dies in TestARotationThatDies: it rotates and stores, and says what it has stored.
func TestRotatingForever(t *testing.T) {
	folder := os.Getenv(envVictim)
	if folder == "" {
		t.Skip("it is run by TestARotationThatDies")
	}
	ring, err := vault.OpenSealedFile(t.Context(), os.Getenv(envRing), []byte("ring"), vault.Cost{})
	must(t, err)
	l := begin(t, folder, ring, "")
	l.is(vault.Ready)
	fmt.Println("ready")
	go func() {
		for {
			key := agent.SessionKey{Project: agent.DefaultProject, Session: agent.NewSessionID()}
			if err := l.store.CreateSession(t.Context(), key, spec, ""); err != nil {
				panic(err)
			}
			fmt.Println("stored", key.Session)
		}
	}()
	for {
		must(t, l.Rotate(t.Context(), Given{}))
		fmt.Println("rotated")
	}
}

// moment is what a process that was killed leaves: what a rotation does, one after the other.
type moment string

const (
	before   moment = "no rotation, or its key not kept yet"
	sealing  moment = "two keys, the old one opens"
	resealed moment = "two keys, the new one opens"
)

// TestARotationThatDies kills a process that rotates until it was killed at each moment; whatever it said it has stored is
// there, each time.
func TestARotationThatDies(t *testing.T) {
	folder, kept := t.TempDir(), filepath.Join(t.TempDir(), "keys.sealed")
	var stored []agent.SessionID
	seen := map[moment]int{}
	for _, at := range slices.Repeat([]moment{before, sealing, resealed}, 30) {
		if seen[at] > 0 {
			continue
		}
		stored = append(stored, dies(t, folder, kept, at)...)
		ring, err := vault.OpenSealedFile(t.Context(), kept, []byte("ring"), vault.Cost{})
		must(t, err)
		seen[foundAt(t, folder, ring)]++
		l := begin(t, folder, ring, "")
		if s := l.is(vault.Ready); s.RolledBack || s.Lost > 0 {
			t.Fatalf("after %v: %+v", seen, s)
		}
		if l.keys.Status().Rotating {
			t.Fatalf("after %v: it rotates still", seen)
		}
		for _, id := range stored {
			if _, err := l.store.Session(t.Context(), agent.SessionKey{Project: agent.DefaultProject, Session: id}); err != nil {
				t.Fatalf("after %v: %s is gone: %v", seen, id, err)
			}
		}
		must(t, l.Close())
		must(t, ring.Close())
	}
	if len(seen) < 3 {
		t.Errorf("never killed at each moment: %v", seen)
	}
}

// dies runs the process and kills it, most likely at that moment, and gives what it said.
func dies(t *testing.T, folder, ring string, at moment) (stored []agent.SessionID) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestRotatingForever$")
	cmd.Env = append(os.Environ(), envVictim+"="+folder, envRing+"="+ring)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() == "ready" {
			go func() {
				awaitMoment(t.Context(), filepath.Join(folder, "history.db-part"), at)
				cmd.Process.Kill()
			}()
		}
		if id, ok := strings.CutPrefix(lines.Text(), "stored "); ok {
			stored = append(stored, agent.SessionID(id))
		}
	}
	var killed *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &killed) || killed.Exited() {
		t.Fatalf("it was not killed: %v", err)
	}
	return stored
}

// awaitMoment waits until a rotation has come to a moment, by the file that it makes.
func awaitMoment(ctx context.Context, part string, at moment) {
	tick := time.NewTicker(50 * time.Microsecond)
	defer tick.Stop()
	until := func(there bool) {
		for _, err := os.Lstat(part); (err == nil) != there && ctx.Err() == nil; _, err = os.Lstat(part) {
			<-tick.C
		}
	}
	if at != before {
		until(true)
	}
	if at == resealed {
		until(false)
	}
}

// foundAt tells at which moment the process was killed, and changes nothing.
func foundAt(t *testing.T, folder string, ring vault.Keyring) (at moment) {
	t.Helper()
	keys, err := vault.OpenKeyFile(filepath.Join(folder, "history.keys"), ring)
	must(t, err)
	if found := keys.Unlock(t.Context()); !found.Unlocked {
		t.Fatalf("the key file is %s: %v", found.State, found.Err)
	}
	must(t, keys.With(func(key, next []byte) error {
		if at = before; next == nil {
			return nil
		}
		f, err := sealed.Open(filepath.Join(folder, "history.db"), (*sealed.Key)(key), 0)
		if at = sealing; errors.Is(err, sealed.ErrWrongKeyOrDamaged) {
			at = resealed
			f, err = sealed.Open(filepath.Join(folder, "history.db"), (*sealed.Key)(next), 0)
		}
		if err == nil {
			err = f.Close()
		}
		return err
	}))
	return at
}
