package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"parley/backend/agent"
	"parley/backend/vault"
)

// DeleteEverything removes the history and all that there ever was of it in its folder: copies, what was set aside, what
// an import, a restore or a salvage left, the scratch folders, the keys in the keychain. Then it begins a new, empty one.
// It needs nothing that opens the history. What it could not remove it says; it can be called again.
func (h *History) DeleteEverything(ctx context.Context) error {
	return h.alone(ctx, func(ctx context.Context) error {
		ctx = context.WithoutCancel(ctx)
		if err := h.shut(ctx); err != nil {
			h.Log.Warn("the history was not closed cleanly before it was deleted", "error", err)
		}
		if err := h.forget(ctx); err != nil {
			h.Log.Warn("the keychain holds a key still; without its key file it opens nothing", "error", err)
		}
		if err := h.removeAll(); err != nil {
			h.fail(errMissing)
			return agent.Wrap(agent.CodeInternal, err, "Not everything could be deleted. Check the permissions of the data folder and what else uses its files, then retry.")
		}
		h.keys, h.code, h.generation = nil, nil, 0
		if err := h.open(ctx); err != nil {
			h.Log.Info("the new history is not open yet", "error", err)
		}
		return nil
	})
}

// forget deletes what the keychain holds for each key file in the folder.
func (h *History) forget(ctx context.Context) (failed error) {
	for _, pattern := range []string{"history.keys*", "set-aside/*/history.keys*"} {
		paths, err := filepath.Glob(filepath.Join(h.Folder, pattern))
		failed = errors.Join(failed, err)
		for _, path := range paths {
			k, err := vault.OpenKeyFile(path, h.Ring)
			if err == nil {
				err = k.Forget(ctx)
			}
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// removeAll begins with the keys: if it is ended in the middle, nothing opens what is left.
func (h *History) removeAll() (failed error) {
	paths := append([]string{h.keyFile()}, h.Folders...)
	for _, pattern := range []string{"history.*", "set-aside", "restoring", "salvaging"} {
		found, err := filepath.Glob(filepath.Join(h.Folder, pattern))
		paths, failed = append(paths, found...), errors.Join(failed, err)
	}
	for _, path := range paths {
		failed = errors.Join(failed, os.RemoveAll(path))
	}
	return failed
}
