package vault

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// kills is how often a writing process is killed; -count multiplies it.
const kills = 20

var background = context.Background() // the child has no test

const crashVariable = "PARLEY_TEST_CRASH" // what the child writes, and where: kind=folder

func TestMain(m *testing.M) {
	if kind, folder, ok := strings.Cut(os.Getenv(crashVariable), "="); ok {
		writeUntilKilled(kind, folder)
	}
	os.Exit(m.Run())
}

func TestSealedFileSurvivesKills(t *testing.T) { crash(t, "sealed", t.TempDir()) }
func TestKeyFileSurvivesKills(t *testing.T)    { crash(t, "keys", t.TempDir()) }

// crashRing is the ring that child and parent share.
func crashRing(kind, folder string) (Keyring, func(), error) {
	if kind == "keychain" {
		return NewKeychain(folder), func() {}, nil
	}
	s, err := OpenSealedFile(background, filepath.Join(folder, "keys.sealed"), passphrase, cheap)
	if err != nil {
		return nil, nil, err
	}
	return s, func() { s.Close() }, nil
}

// writeUntilKilled is the child: it says each number once it is stored. Every second value is a long one.
func writeUntilKilled(kind, folder string) {
	if kind, ok := strings.CutPrefix(kind, "secrets-"); ok {
		fmt.Println("failed:", changeSecrets(kind, folder))
		os.Exit(1)
	}
	ring, _, err := crashRing(kind, folder)
	if err == nil && kind == "keys" {
		err = changeKeys(folder, ring)
	}
	for n := 0; err == nil; n++ {
		if err = ring.Set(background, "n", crashValue(n)); err == nil {
			fmt.Println(n)
		}
	}
	fmt.Println("failed:", err)
	os.Exit(1)
}

func crashValue(n int) []byte {
	return bytes.Repeat([]byte(fmt.Sprintf("%08d", n)), 1+n%2*500)
}

// changeKeys renews every slot and the data key, over and over.
func changeKeys(folder string, ring Keyring) error {
	k, err := OpenKeyFile(filepath.Join(folder, "history.keys"), ring)
	if err != nil {
		return err
	}
	if s := k.Unlock(background); s.State != Ready {
		return fmt.Errorf("%+v", s)
	}
	if k.Status().Rotating { // the one before was killed there
		if err := k.AbandonRotation(background); err != nil {
			return err
		}
	}
	for n := 0; ; n++ {
		again := Openers{Code: &zeroCode}
		err := errors.Join(k.RenewKeychain(background), k.SetRecoveryCode(background, zeroCode), k.SetAnchor(background, Anchor{1, uint64(n)}),
			k.Rotate(background, again), k.AbandonRotation(background), k.Rotate(background, again), k.ConfirmRotation(background))
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// crash kills the child at random points. What it said it had stored is there, or what it was storing then, whole.
func crash(t *testing.T, kind, folder string) {
	if kind == "keys" {
		ring, shut, err := crashRing(kind, folder)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := CreateKeyFile(t.Context(), filepath.Join(folder, "history.keys"), ring, NewKeys{Code: &zeroCode}); err != nil {
			t.Fatal(err)
		}
		shut()
	}
	for range kills {
		last := runAndKill(t, kind, folder)
		ring, shut, err := crashRing(kind, folder)
		if err != nil {
			t.Fatalf("after a kill: %v", err)
		}
		if kind == "keys" {
			for _, open := range []func(k *KeyFile) error{
				func(k *KeyFile) error { return k.Unlock(background).Err },
				func(k *KeyFile) error { return k.UnlockWithCode(zeroCode) },
			} {
				k, err := OpenKeyFile(filepath.Join(folder, "history.keys"), ring)
				if err == nil {
					err = open(k)
				}
				if err != nil || k.Status().State != Ready {
					t.Errorf("after a kill: %v", err)
				}
			}
		} else if got := get(t, ring, "n"); !bytes.Equal(got, crashValue(last)) && !bytes.Equal(got, crashValue(last+1)) {
			t.Errorf("after %d was stored: %d bytes, %.8q…", last, len(got), got)
		}
		shut()
	}
}

// runAndKill gives the last number that the child said.
func runAndKill(t *testing.T, kind, folder string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashVariable+"="+kind+"="+folder)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last, said := -1, bufio.NewScanner(out)
	for left := rand.IntN(6); said.Scan(); left-- {
		if _, err := fmt.Sscan(said.Text(), &last); err != nil {
			t.Errorf("the child says %q", said.Text())
			break
		}
		if left == 0 { // it goes on writing: the kill hits it anywhere
			time.AfterFunc(time.Duration(rand.IntN(8000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
	}
	cmd.Wait()
	return last
}
