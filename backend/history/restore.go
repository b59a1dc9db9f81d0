package history

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/vault"
)

// Restore puts a backup in the place of a folder's history, which is set aside, whole, if there is one. secret is the
// backup's recovery code or passphrase. agreed is told what is in the backup before anything is replaced; if it gives
// false, nothing is. Nobody may have the history open. The backup stays where it is.
func Restore(ctx context.Context, o Options, backup string, secret []byte, agreed func(store.Summary) bool) error {
	coming := o
	coming.Folder = filepath.Join(o.Folder, "restoring")
	if err := os.RemoveAll(coming.Folder); err != nil { // of a restore that was ended
		return restoreFailed(err)
	}
	defer os.RemoveAll(coming.Folder)
	if err := os.MkdirAll(coming.Folder, 0o700); err != nil {
		return restoreFailed(err)
	}
	var found store.Summary
	coming.Ring, coming.Passphrase, coming.Closing = nil, nil, func() {}
	coming.Opened = func(ctx context.Context, s *store.Store) (err error) {
		found, err = s.Summary(ctx)
		return err
	}
	from := New(coming)
	if err := errors.Join(copyFile(backup, from.database()), copyFile(backup+".keys", from.keyFile())); err != nil {
		return restoreFailed(err)
	}
	from.Start(ctx)
	var err error
	if _, noCode := vault.ParseRecoveryCode(string(secret)); noCode == nil {
		err = from.UnlockWithCode(ctx, string(secret))
	} else {
		err = from.UnlockWithPassphrase(ctx, secret)
	}
	if err := errors.Join(err, from.Close()); err != nil {
		return err
	}
	if !agreed(found) {
		return nil
	}
	to := New(o)
	err = to.setAside(os.Rename, copyFile) // what is sealed beside the history goes on
	if err == nil {
		err = errors.Join(os.Rename(from.keyFile(), to.keyFile()), os.Rename(from.database(), to.database()))
	}
	if err != nil {
		return restoreFailed(err)
	}
	return nil
}

func restoreFailed(err error) error {
	return agent.Wrap(agent.CodeInternal, err, "The backup could not be put in place. It is as it was, and a history that was here is in set-aside. Check both files and the disk, then retry.")
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, source)
	return errors.Join(err, f.Sync(), f.Close())
}
