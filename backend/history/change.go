package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/backend/agent"
	"parley/backend/store/sealed"
	"parley/backend/vault"
)

// Unlock tries again without the person's secrets: the keychain may show its dialog, and is waited for until ctx ends.
// What the person has locked needs them.
func (h *History) Unlock(ctx context.Context) error {
	return h.alone(ctx, func(ctx context.Context) error {
		if s, _ := h.Status(); s.State == vault.Sleeping {
			return agent.Errorf(agent.CodeValidation, "The history was locked. Enter its passphrase.")
		}
		if dialog, ok := h.Ring.(interface{ Unlock(context.Context) error }); ok && h.store == nil {
			if err := dialog.Unlock(ctx); errors.Is(err, vault.ErrLocked) || ctx.Err() != nil {
				return err
			}
		}
		if err := h.open(ctx); err != nil {
			h.Log.Info("the history is still not open", "error", err) // the status says what a person can do
		}
		return nil
	})
}

// UnlockWithCode opens the history with what the person typed as its recovery code. A keychain that works then keeps the
// key again.
func (h *History) UnlockWithCode(ctx context.Context, typed string) error {
	code, err := vault.ParseRecoveryCode(typed)
	if err != nil {
		return err
	}
	return h.unlockWith(ctx, nil, func() error { return h.keys.UnlockWithCode(code) }, func([]vault.SlotType) bool { return true })
}

// UnlockWithPassphrase opens the history with its passphrase. A keychain that kept the key before keeps it again.
func (h *History) UnlockWithPassphrase(ctx context.Context, passphrase []byte) error {
	return h.unlockWith(ctx, passphrase, func() error { return h.keys.UnlockWithPassphrase(passphrase) },
		func(slots []vault.SlotType) bool { return slices.Contains(slots, vault.SlotKeychain) })
}

func (h *History) unlockWith(ctx context.Context, passphrase []byte, unlock func() error, renew func([]vault.SlotType) bool) error {
	return h.alone(ctx, func(ctx context.Context) error {
		if h.store != nil {
			return nil
		}
		if h.keys == nil {
			return agent.Errorf(agent.CodeValidation, "There is no history here that this could open. Start a new one, or put the old one back.")
		}
		if err := unlock(); err != nil {
			return err
		}
		if err := h.enter(ctx, passphrase); err != nil {
			return err
		}
		status, _ := h.Status()
		if !status.Open() || status.Keychain.Health != vault.Works || !renew(status.Slots) {
			return nil
		}
		// As opening is, this is finished also if the person who asked has gone.
		if err := h.keys.RenewKeychain(context.WithoutCancel(ctx)); err != nil {
			h.Log.Warn("the keychain does not keep the key of the history again", "error", err)
		}
		h.refresh()
		return nil
	})
}

// refresh tells which slots there are after one came or went.
func (h *History) refresh() {
	s, _ := h.Status()
	s.Slots = h.keys.Status().Slots
	h.tell(s)
}

// whileOpen runs fn, which changes the key file, and tells what has become of it.
func (h *History) whileOpen(ctx context.Context, fn func(context.Context) error) error {
	return h.alone(ctx, func(ctx context.Context) error {
		if h.store == nil {
			return agent.Errorf(agent.CodeValidation, "The history is locked. Unlock it first.")
		}
		err := fn(ctx)
		h.refresh()
		return err
	})
}

// NewCode makes a recovery code. It opens nothing until it was typed back to SetCode.
func (h *History) NewCode(ctx context.Context) (shown string, err error) {
	err = h.whileOpen(ctx, func(context.Context) error {
		code := vault.NewRecoveryCode()
		h.code, shown = &code, code.Reveal()
		return nil
	})
	return shown, err
}

// SetCode puts the code that NewCode gave in force, once the person has shown to have it.
func (h *History) SetCode(ctx context.Context, typed string) error {
	code, err := vault.ParseRecoveryCode(typed)
	if err != nil {
		return err
	}
	return h.whileOpen(ctx, func(ctx context.Context) error {
		if h.code == nil || *h.code != code {
			return agent.Errorf(agent.CodeValidation, "This is not the recovery code that was shown last. Check it and type it again.")
		}
		if err := h.keys.SetRecoveryCode(ctx, code); err != nil {
			return err
		}
		h.code = nil
		return nil
	})
}

// SetPassphrase makes passphrase a way to open the history. Where there is neither a history nor a keychain, it makes
// the history.
func (h *History) SetPassphrase(ctx context.Context, passphrase []byte) error {
	return h.alone(ctx, func(ctx context.Context) error {
		_, err := os.Lstat(h.keyFile())
		before, _ := h.Status()
		switch {
		case h.store != nil:
			err := h.setPassphrase(ctx, passphrase)
			h.refresh()
			return err
		case before.State == vault.NoKeychain && errors.Is(err, fs.ErrNotExist):
			return h.create(ctx, nil, vault.NewKeys{Passphrase: passphrase, Cost: vault.Calibrate()})
		}
		return agent.Errorf(agent.CodeValidation, "The history is locked. Unlock it first.")
	})
}

func (h *History) setPassphrase(ctx context.Context, passphrase []byte) error {
	set := func() error { return h.keys.SetPassphrase(ctx, passphrase, vault.Calibrate()) }
	if h.sealed != nil {
		return h.sealed.change(ctx, passphrase, set)
	}
	return set()
}

// RemovePassphrase takes the passphrase away, if another way to open the history is left and nothing else is sealed under it.
func (h *History) RemovePassphrase(ctx context.Context) error {
	return h.whileOpen(ctx, func(ctx context.Context) error {
		if h.sealed != nil && h.sealed.exists() {
			return agent.Errorf(agent.CodeValidation, "There is no keychain here, so your secrets and keys are sealed under the passphrase. It stays.")
		}
		if err := h.keys.Remove(ctx, vault.SlotPassphrase); err != nil {
			return err
		}
		if s, _ := h.Status(); s.LockAfter == 0 {
			return nil
		}
		return h.setLockAfter(ctx, 0)
	})
}

// Lock closes the history and wipes its key, if a passphrase can open it again and it is free.
func (h *History) Lock(ctx context.Context) error { return h.alone(ctx, h.lock) }

func (h *History) lock(ctx context.Context) error {
	if h.store == nil {
		return nil
	}
	if !h.hasPassphrase() {
		return errNoPassphrase
	}
	if err := h.Free(); err != nil {
		return err
	}
	before, _ := h.Status()
	keys := h.keys.Status()
	if err := h.shut(context.WithoutCancel(ctx)); err != nil {
		h.Log.Error("the history was not closed cleanly", "error", err)
	}
	h.tell(Status{State: vault.Sleeping, Accepts: keys.Accepts, Slots: keys.Slots, Keychain: before.Keychain})
	return nil
}

func (h *History) hasPassphrase() bool {
	return slices.Contains(h.keys.Status().Slots, vault.SlotPassphrase)
}

var errNoPassphrase = agent.Errorf(agent.CodeValidation, "Without a passphrase nothing would ask who unlocks the history. Set a passphrase first.")

// Backup makes a sealed copy of the history at path, and beside it at path.keys the key file that opens it: with the
// recovery code or the passphrase, on any machine. Neither may exist yet.
func (h *History) Backup(ctx context.Context, path string) error {
	return h.whileOpen(ctx, func(ctx context.Context) error {
		keys, err := h.keys.Backup()
		if err != nil {
			return err
		}
		err = writeNew(path+".keys", keys)
		if err == nil {
			err = h.with(func(key, _ *sealed.Key) error { return h.store.Backup(ctx, path, key) })
			if err != nil {
				os.Remove(path + ".keys")
			}
		}
		if errors.Is(err, fs.ErrExist) {
			return agent.Wrap(agent.CodeValidation, err, "There is a file with this name already, and a backup never replaces one. Choose another name.")
		}
		if err != nil {
			return agent.Wrap(agent.CodeInternal, err, "The backup could not be made; the history is as it was. Check the disk and the folder, then retry.")
		}
		return nil
	})
}

func writeNew(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// lost are the states in which only a new history helps.
var lost = []vault.State{vault.NeedsRecoveryCode, vault.NeedsPassphrase, vault.NoKeychain, vault.Damaged, vault.Unreadable}

// StartNew moves a history that cannot be read aside, whole, and begins a new one.
func (h *History) StartNew(ctx context.Context) error {
	return h.alone(ctx, func(ctx context.Context) error {
		status, _ := h.Status()
		if h.store != nil || !slices.Contains(lost, status.State) {
			return agent.Errorf(agent.CodeValidation, "This history can be opened, so no new one is started. Unlock it.")
		}
		if err := h.setAside(os.Rename, os.Rename); err != nil {
			return agent.Wrap(agent.CodeInternal, err, "The old history could not be moved aside; nothing of it is lost. Check the disk and the folder's permissions, then retry.")
		}
		h.keys = nil
		if err := h.open(ctx); err != nil {
			h.Log.Info("the new history is not open yet", "error", err)
		}
		return nil
	})
}

// setAside moves the files into a folder of their own, under their names: moved back, they are the history again. The
// database goes first: a key file without it says what is missing. keys moves or copies the key file, secrets the one of secrets.
func (h *History) setAside(keys, secrets func(from, to string) error) error {
	folder := filepath.Join(h.Folder, "set-aside", time.Now().UTC().Format("2006-01-02T15-04-05.000"))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, file := range []struct {
		path string
		move func(from, to string) error
	}{{h.database() + "-wal", os.Rename}, {h.database(), os.Rename}, {h.secretsFile(), secrets}, {h.keyFile(), keys}} {
		if err := file.move(file.path, filepath.Join(folder, filepath.Base(file.path))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("set the history aside: %w", err)
		}
	}
	return nil
}
