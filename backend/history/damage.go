package history

import (
	"errors"
	"io/fs"
	"os"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/store/sealed"
	"parley/backend/vault"
)

var errMissing = errors.New("the database that the key file is for is not there")

// explain says what of a database that did not open under its own key is wrong.
func explain(err error) (state vault.State, message, remedy string) {
	const salvage = "Salvage what is readable, put a backup back, or start a new history; this one is kept aside."
	var known *agent.Error
	switch {
	case errors.Is(err, errMissing):
		return vault.Damaged, "The file of the history, history.db, is missing.", "Put it or a backup back, or start a new history."
	case errors.Is(err, sealed.ErrNewerFormat):
		return vault.NewerFormat, "", ""
	case errors.Is(err, sealed.ErrNotSealed), store.Damaged(err):
		return vault.Damaged, "The file of the history was changed outside Parley, or its disk is failing. It was not touched.", salvage
	case errors.As(err, &known):
		return vault.NewerFormat, known.Message, ""
	}
	return vault.Damaged, "The file of the history could not be opened. It was not changed.", "Check the disk and the folder's permissions, then retry."
}

// isSealed reports whether there is a database at path that needs a key.
func isSealed(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	plain, err := store.IsPlain(path)
	return !plain, err
}
