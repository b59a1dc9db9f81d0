package vault

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"parley/backend/store"
	"parley/backend/store/sealed"
)

// TestAHistoryThatCanOnlyBeReadKeepsItsItems: also that of a secret which was being removed, since its row cannot go.
func TestAHistoryThatCanOnlyBeReadKeepsItsItems(t *testing.T) {
	folder := t.TempDir()
	ring := sealedRing(t, folder)
	k := openSecrets(t, folder, ring)
	k.make(NewSecret{Name: "pw", Value: []byte("hunter22")})
	row, err := k.Visible(t.Context(), "", "pw")
	if err != nil {
		t.Fatal(err)
	}
	row.Keeping = store.Going
	if err := errors.Join(k.Store.PutSecret(t.Context(), row), k.Store.Close(), ofALaterParley(t, filepath.Join(folder, "history.db"))); err != nil {
		t.Fatal(err)
	}
	k = openSecrets(t, folder, ring)
	if !k.Store.ReadOnly() || !k.hides("hunter22") {
		t.Error("it can be changed, or its values are not known")
	}
	if _, err := ring.Get(t.Context(), "secret:pw"); err != nil {
		t.Errorf("the keyring: %v", err)
	}
}

// ofALaterParley makes a history one that this Parley can only read.
func ofALaterParley(t *testing.T, path string) error {
	f, err := sealed.Open(path, &sealed.Key{1}, 0)
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+path+"?vfs="+sealed.VFS)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 9999")
	return errors.Join(err, db.Close(), f.Close())
}
