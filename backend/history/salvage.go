package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/store/sealed"
	"parley/backend/vault"
)

// Salvage makes a history of everything in the damaged one that is authentic, and says what is missing. With a path it
// lies there, as a backup does; without one it takes the place of the damaged one, which is set aside as it is, and is
// opened. g is for a history that opens with nothing else. An open history has to be free.
func (h *History) Salvage(ctx context.Context, path string, g Given) (found store.Salvaged, err error) {
	err = h.alone(ctx, func(ctx context.Context) error {
		if h.keys == nil {
			return agent.Errorf(agent.CodeValidation, "There is no key file that could open anything here. Put it or a backup back.")
		}
		if h.store == nil {
			if err := h.unlockKeys(ctx, g); err != nil {
				return err
			}
		} else if err := h.Free(); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx)
		if err := h.closeStore(ctx); err != nil {
			h.Log.Warn("the history was not closed cleanly before it was salvaged", "error", err)
		}
		if path == "" {
			found, err = h.salvageInPlace(ctx)
		} else {
			found, err = h.salvageTo(ctx, path)
		}
		passphrase := h.Passphrase
		if passphrase == nil {
			passphrase = g.Passphrase
		}
		if err := h.enter(ctx, passphrase); err != nil {
			h.Log.Info("the history is not open after a salvage", "error", err)
		}
		return salvageFailed(err)
	})
	return found, err
}

func salvageFailed(err error) error {
	var known *agent.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrExist):
		return agent.Wrap(agent.CodeValidation, err, "There is a file with this name already, and nothing was replaced. Choose another name.")
	}
	return agent.Wrap(agent.CodeInternal, err, "Nothing could be salvaged; the damaged history was not changed. Check that the disk has room for it twice, or put a backup back.")
}

// unlockKeys opens the key file of a history that is not open.
func (h *History) unlockKeys(ctx context.Context, g Given) error {
	if h.keys.Unlock(ctx).Unlocked {
		return nil
	}
	secrets, err := g.secrets()
	switch {
	case err != nil:
		return err
	case secrets.Code != nil:
		return h.keys.UnlockWithCode(*secrets.Code)
	case secrets.Passphrase != nil:
		return h.keys.UnlockWithPassphrase(secrets.Passphrase)
	case h.Passphrase != nil:
		return h.keys.UnlockWithPassphrase(h.Passphrase)
	}
	return agent.Errorf(agent.CodeValidation, "The keychain does not give the key of this history. Enter its passphrase or its recovery code.")
}

func (h *History) salvage(ctx context.Context, path string) (found store.Salvaged, err error) {
	cipher, salt := h.keys.History()
	header := sealed.NewHeader(sealed.Cipher(cipher), salt)
	err = h.with(func(key, next *sealed.Key) (err error) {
		if next != nil { // a rotation was cut short: which one is it under?
			f, err := sealed.Open(h.database(), next, 0)
			if err == nil {
				f.Close()
			}
			if !errors.Is(err, sealed.ErrWrongKeyOrDamaged) {
				key = next
			}
		}
		found, err = store.Salvage(ctx, h.database(), key, header, path)
		return err
	})
	return found, err
}

func (h *History) salvageTo(ctx context.Context, path string) (found store.Salvaged, err error) {
	keys, err := h.keys.Backup()
	if err != nil {
		return found, err
	}
	if err := writeNew(path+".keys", keys); err != nil {
		return found, err
	}
	if found, err = h.salvage(ctx, path); err != nil {
		os.Remove(path + ".keys")
	}
	return found, err
}

// salvageInPlace may be ended at any point: until the last step the damaged history, or its place being empty, says so.
func (h *History) salvageInPlace(ctx context.Context) (found store.Salvaged, err error) {
	if _, err := h.keys.Mend(ctx); err != nil {
		return found, err
	}
	folder := filepath.Join(h.Folder, "salvaging")
	if err := os.RemoveAll(folder); err != nil { // of a salvage that was ended
		return found, err
	}
	defer os.RemoveAll(folder)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return found, err
	}
	fresh := filepath.Join(folder, filepath.Base(h.database()))
	if found, err = h.salvage(ctx, fresh); err != nil {
		return found, err
	}
	// It begins to count anew, and it is known that there is one.
	h.generation++
	if err := h.keys.SetAnchor(ctx, vault.Anchor{Generation: h.generation, Commits: 1}); err != nil {
		return found, err
	}
	if err := h.setAside(copyFile, copyFile); err != nil {
		return found, err
	}
	return found, os.Rename(fresh, h.database())
}
