package history

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"parley/backend/agent"
	"parley/backend/vault"
)

// Keyring is where named secrets and keys are kept: the keychain, or, where there is none, a file beside the history, under
// the passphrase that the history is opened with. It is for Opened to take, and works until Closing has returned.
func (h *History) Keyring() vault.Keyring {
	if h.sealed != nil {
		return h.sealed
	}
	return h.Ring
}

func (h *History) secretsFile() string { return filepath.Join(h.Folder, "history.secrets") }

// sealedRing is a vault.SealedFile that is opened, or made, when it is first used: that takes as long as a passphrase takes.
type sealedRing struct {
	path string

	mu         sync.Mutex
	passphrase []byte            // nil if nobody gave it
	file       *vault.SealedFile // nil until it is used
}

// Kind names this keyring.
func (r *sealedRing) Kind(context.Context) string { return "sealed-file" }

// Get gives the value of account.
func (r *sealedRing) Get(ctx context.Context, account string) ([]byte, error) {
	file, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	return file.Get(ctx, account)
}

// Set stores value under account.
func (r *sealedRing) Set(ctx context.Context, account string, value []byte) error {
	file, err := r.open(ctx)
	if err != nil {
		return err
	}
	return file.Set(ctx, account, value)
}

// Delete forgets account.
func (r *sealedRing) Delete(ctx context.Context, account string) error {
	file, err := r.open(ctx)
	if err != nil {
		return err
	}
	return file.Delete(ctx, account)
}

func (r *sealedRing) open(ctx context.Context) (*vault.SealedFile, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.openWith(ctx, r.passphrase)
}

// openWith is open for who has mu.
func (r *sealedRing) openWith(ctx context.Context, passphrase []byte) (*vault.SealedFile, error) {
	if r.file != nil {
		return r.file, nil
	}
	if passphrase == nil {
		return nil, agent.Wrap(agent.CodeValidation, vault.ErrLocked, "There is no keychain here, and the history was not opened with its passphrase, which secrets and keys are sealed under. Lock the history and unlock it with the passphrase; without one, set one first.")
	}
	file, err := vault.OpenSealedFile(ctx, r.path, passphrase, vault.Calibrate())
	if errors.Is(err, vault.ErrWrongSecret) {
		return nil, agent.Wrap(agent.CodeValidation, err, "The file of secrets and keys, "+filepath.Base(r.path)+" in the data folder, is under another passphrase than the history. If a change of the passphrase was cut short, make it again; else move the file away.")
	}
	r.file = file
	return file, err
}

// exists reports whether anything is sealed under the passphrase.
func (r *sealedRing) exists() bool {
	_, err := os.Lstat(r.path)
	return !errors.Is(err, fs.ErrNotExist)
}

// change puts the file under another passphrase, and then whatever else is. If that fails, the file is as it was. One that a change
// before has left under the other passphrase already is no mistake.
func (r *sealedRing) change(ctx context.Context, passphrase []byte, then func() error) error {
	ctx = context.WithoutCancel(ctx) // or it could not be taken back
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.exists() {
		file, err := r.openWith(ctx, r.passphrase)
		if errors.Is(err, vault.ErrWrongSecret) || r.passphrase == nil {
			file, err = r.openWith(ctx, passphrase)
		}
		if err == nil {
			err = file.ChangePassphrase(ctx, passphrase, vault.Calibrate())
		}
		if err != nil {
			return err
		}
	}
	if err := then(); err != nil {
		if r.file != nil && r.passphrase != nil {
			err = errors.Join(err, r.file.ChangePassphrase(ctx, r.passphrase, vault.Calibrate()))
		}
		return err
	}
	vault.Wipe(r.passphrase)
	r.passphrase = bytes.Clone(passphrase)
	return nil
}

// close forgets the passphrase and closes the file.
func (r *sealedRing) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	vault.Wipe(r.passphrase)
	r.passphrase = nil
	if r.file == nil {
		return nil
	}
	defer func() { r.file = nil }()
	return r.file.Close()
}
