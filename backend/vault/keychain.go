package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"parley/backend/agent"
)

// keychainLimit is how long the system may take for one call. It asks nobody: a locked keychain is said to be locked.
const keychainLimit = 15 * time.Second

// longestItem is what every system's keychain holds: 2,560 bytes on Windows, about 3,000 on macOS.
const longestItem = 2500

// Keychain is the operating system's Keyring, under the program name "parley". Whatever the system does, a call ends
// when its context does or after a limit, as ErrUnavailable; what it asked for may then still happen. Calls wait for
// each other, so at most one is ever left behind.
//
// An item is one letter and a text. After 'v' comes the value. After 'f', for a longer value, the name of a file and
// the key that it is sealed under: each file is written once, before the item that names it, and goes after the item
// that no longer does, so a crash leaves at most a file that nobody can read.
type Keychain struct {
	folder string
	limit  time.Duration
	seat   chan struct{} // taken while the system is asked, also by a call that was given up
}

// NewKeychain gives the keychain. Values too long for it lie sealed in folder, which is made when first needed.
func NewKeychain(folder string) *Keychain {
	return &Keychain{folder, keychainLimit, make(chan struct{}, 1)}
}

// Get gives the value of account. A locked keychain is ErrLocked at once: see Unlock.
func (k *Keychain) Get(ctx context.Context, account string) ([]byte, error) {
	return ask(ctx, k, func() ([]byte, error) {
		item, err := keyring.Get("parley", account)
		if err != nil {
			return nil, err
		}
		return k.value(account, item)
	})
}

// Set stores value under account.
func (k *Keychain) Set(ctx context.Context, account string, value []byte) error {
	if err := checkLength(value); err != nil {
		return err
	}
	_, err := ask(ctx, k, func() (struct{}, error) { return struct{}{}, k.set(account, value) })
	return err
}

func (k *Keychain) set(account string, value []byte) error {
	old, err := keyring.Get("parley", account)
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return err
	}
	item := "v" + string(value)
	if len(item) > longestItem {
		if item, err = k.putAside(account, value); err != nil {
			return err
		}
	}
	if err := keyring.Set("parley", account, item); err != nil {
		return errors.Join(err, k.dropFile(item))
	}
	got, err := keyring.Get("parley", account)
	if err != nil {
		return err
	}
	stored, err := k.value(account, got)
	if err != nil {
		return err
	}
	defer Wipe(stored)
	if !bytes.Equal(stored, value) {
		return errors.New("what was stored does not read back")
	}
	return k.dropFile(old)
}

// Delete forgets account.
func (k *Keychain) Delete(ctx context.Context, account string) error {
	_, err := ask(ctx, k, func() (struct{}, error) {
		old, err := keyring.Get("parley", account)
		if err != nil {
			return struct{}{}, err
		}
		if err := keyring.Delete("parley", account); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, k.dropFile(old)
	})
	return err
}

// value reads an item.
func (k *Keychain) value(account, item string) ([]byte, error) {
	if value, ok := strings.CutPrefix(item, "v"); ok {
		return []byte(value), nil
	}
	path, key, err := k.aside(item)
	if err != nil {
		return nil, err
	}
	sealed, err := readBounded(path, 2*MaxValue)
	if err != nil {
		return nil, longDamage(err)
	}
	value, err := unseal(key, []byte(account), sealed)
	if err != nil {
		return nil, longDamage(err)
	}
	return value, nil
}

// putAside seals value into a file of its own and gives the item that names it.
func (k *Keychain) putAside(account string, value []byte) (string, error) {
	if err := os.MkdirAll(k.folder, 0o700); err != nil {
		return "", err
	}
	key := random(keySize)
	item := fmt.Sprintf("f%x:%s", random(8), encoding.EncodeToString(key))
	path, _, err := k.aside(item)
	if err != nil {
		return "", err
	}
	if err := writeFlushed(path, seal(key, []byte(account), value)); err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return item, flushFolder(k.folder)
}

// aside gives the file and the key of a long value.
func (k *Keychain) aside(item string) (path string, key []byte, err error) {
	name, text, _ := strings.Cut(strings.TrimPrefix(item, "f"), ":")
	key, err = encoding.DecodeString(text)
	if err != nil || len(key) != keySize || len(name) != 16 || strings.Trim(name, "0123456789abcdef") != "" || item[0] != 'f' {
		return "", nil, agent.Wrap(agent.CodeValidation, ErrDamaged, "The keychain holds something under this name that Parley did not write. Delete the item, then store the secret again.")
	}
	return filepath.Join(k.folder, name+".sealed"), key, nil
}

// dropFile removes the file of an item that is gone. It may have none.
func (k *Keychain) dropFile(item string) error {
	if !strings.HasPrefix(item, "f") {
		return nil
	}
	path, _, err := k.aside(item)
	if err != nil {
		return nil // not ours: no file
	}
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func longDamage(cause error) error {
	return agent.Wrap(agent.CodeValidation, errors.Join(ErrDamaged, cause), "The file that holds this secret is missing or damaged. Store the secret again.")
}

// ask makes sure that the keychain is there and unlocked, then calls.
func ask[T any](ctx context.Context, k *Keychain, call func() (T, error)) (T, error) {
	return wait(ctx, k, func(ctx context.Context) (T, error) {
		if err := ready(ctx); err != nil {
			var none T
			return none, err
		}
		return call()
	})
}

// wait runs call off the caller's path, alone. When the caller gives up, the seat stays taken until call ends.
func wait[T any](ctx context.Context, k *Keychain, call func(context.Context) (T, error)) (T, error) {
	var none T
	if ctx.Err() != nil {
		return none, cancelled(ctx)
	}
	bounded, cancel := context.WithTimeout(ctx, k.limit)
	defer cancel()
	givenUp := func() error {
		if ctx.Err() != nil {
			return cancelled(ctx)
		}
		return unavailable(Silent, bounded.Err())
	}
	select {
	case k.seat <- struct{}{}:
	case <-bounded.Done():
		return none, givenUp()
	}
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() { <-k.seat }()
		var a answer
		defer func() {
			// go-keyring reads a signal that does not come when the bus goes away.
			if r := recover(); r != nil {
				a = answer{err: fmt.Errorf("go-keyring panicked: %v", r)}
			}
			done <- a
		}()
		a.value, a.err = call(bounded)
	}()
	select {
	case a := <-done:
		if a.err != nil && bounded.Err() != nil {
			return none, givenUp()
		}
		return a.value, explain(a.err)
	case <-bounded.Done():
		go interrupt() // it may have to wait itself, for a bus that hangs
		return none, givenUp()
	}
}

// explain gives what the system said as what a person may read.
func explain(err error) error {
	var known *agent.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, keyring.ErrNotFound):
		return notFound()
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return agent.Wrap(agent.CodeValidation, errors.Join(ErrTooLong, err), "The keychain cannot hold a secret this long. Nothing was stored.")
	}
	return refused(err)
}
