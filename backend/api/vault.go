package api

import (
	"context"
	"net/http"
	"path/filepath"

	"parley/backend/agent"
	"parley/backend/history"
	"parley/backend/vault"
)

// Vault says whether the history is open, and if not, what a person can do about it.
type Vault struct {
	State      vault.State      `json:"state"`
	Message    string           `json:"message"`
	Remedy     string           `json:"remedy"`
	Accepts    []vault.SlotType `json:"accepts"` // what would open it now
	Slots      []vault.SlotType `json:"slots"`   // the ways to open it that there are
	Keychain   Keychain         `json:"keychain"`
	Lost       int64            `json:"lost"`       // commits that a power cut took
	RolledBack bool             `json:"rolledBack"` // it is an older copy than the one before
	ReadOnly   bool             `json:"readOnly"`   // a newer Parley wrote it
	History    string           `json:"history"`    // which one is open
	LockAfter  int              `json:"lockAfter"`  // minutes without use; 0 is never
}

// Keychain says how the system's keychain is.
type Keychain struct {
	Health vault.Condition `json:"health"`
	Kind   string          `json:"kind"`
	Remedy string          `json:"remedy"`
}

// Unlocking is what a person gives to open the history, with neither, the keychain is asked again; and to seal it under a
// new key, then both if it has both.
type Unlocking struct {
	Code       string `json:"code,omitempty"`
	Passphrase string `json:"passphrase,omitempty"`
}

func (u Unlocking) given() history.Given {
	return history.Given{Code: u.Code, Passphrase: []byte(u.Passphrase)}
}

// RecoveryCode is a recovery code as the person writes it down.
type RecoveryCode struct {
	Code string `json:"code"`
}

// Passphrase is a passphrase as the person types it.
type Passphrase struct {
	Passphrase string `json:"passphrase"`
}

// LockAfter says after how many minutes without use the history locks itself; 0 is never.
type LockAfter struct {
	Minutes int `json:"minutes"`
}

// Backup says where a copy of the history goes: an absolute path of this machine.
type Backup struct {
	Path string `json:"path"`
}

// Deletion is how a person says that everything shall go: Confirm is what they typed, and has to be DELETE EVERYTHING.
type Deletion struct {
	Confirm string `json:"confirm"`
}

// Scrub is what was found by reading all of the history.
type Scrub struct {
	Pages int   `json:"pages"`
	Bad   int   `json:"bad"` // of the pages, those that are not as they were written
	Log   int   `json:"log"` // frames of the log that are not
	Lost  int64 `json:"lost"`
}

// Salvaging says where a history that is made of what a damaged one still holds goes: to an absolute path, or, without
// one, in the place of the damaged one. What opens it is needed if the keychain does not.
type Salvaging struct {
	Path       string `json:"path,omitempty"`
	Code       string `json:"code,omitempty"`
	Passphrase string `json:"passphrase,omitempty"`
}

// Salvage is what could be kept of a damaged history, and what not.
type Salvage struct {
	Pages      int          `json:"pages"`
	Bad        int          `json:"bad"`
	Lost       int64        `json:"lost"`
	Sessions   int          `json:"sessions"` // that there are
	Messages   int          `json:"messages"`
	Tables     []TableLoss  `json:"tables"`
	Incomplete []Incomplete `json:"incomplete"`
}

// TableLoss is a table of which rows are known to be lost, or all of it.
type TableLoss struct {
	Table string `json:"table"`
	Rows  int    `json:"rows"`
	All   bool   `json:"all"`
}

// Incomplete is a session that lacks messages, or records of its log, or is made anew because what it was called is lost.
type Incomplete struct {
	ID       agent.SessionID `json:"id"`
	Title    string          `json:"title"`
	Messages int64           `json:"messages"`
	Records  int64           `json:"records"`
	Remade   bool            `json:"remade"`
}

// VaultNotice is the socket's message that the history was opened or locked.
type VaultNotice struct {
	Type  string      `json:"type"` // "vault"
	State vault.State `json:"state"`
}

// getVault waits while the history is opened without a person: there is nothing to show yet.
func (d *Door) getVault(r *http.Request) (Vault, error) {
	select {
	case <-d.History.Tried():
		return d.vault(nil)
	case <-r.Context().Done():
		return Vault{}, r.Context().Err()
	}
}

// vault is the reply of everything that changes where the history stands.
func (d *Door) vault(err error) (Vault, error) {
	if err != nil {
		return Vault{}, err
	}
	s, _ := d.History.Status()
	return Vault{
		State: s.State, Message: s.Message, Remedy: s.Remedy, Accepts: orNone(s.Accepts), Slots: orNone(s.Slots),
		Keychain: Keychain{s.Keychain.Health, s.Keychain.Kind, s.Keychain.Remedy}, Lost: int64(s.Lost), RolledBack: s.RolledBack, ReadOnly: s.ReadOnly,
		History: s.ID, LockAfter: s.LockAfter,
	}, nil
}

// orNone is never null in JSON.
func orNone(list []vault.SlotType) []vault.SlotType { return append([]vault.SlotType{}, list...) }

func (d *Door) unlockVault(r *http.Request, u Unlocking) (Vault, error) {
	switch {
	case u.Code != "":
		return d.vault(d.History.UnlockWithCode(r.Context(), u.Code))
	case u.Passphrase != "":
		return d.vault(d.History.UnlockWithPassphrase(r.Context(), []byte(u.Passphrase)))
	}
	return d.vault(d.History.Unlock(r.Context()))
}

func (d *Door) makeRecoveryCode(r *http.Request) (RecoveryCode, error) {
	code, err := d.History.NewCode(r.Context())
	return RecoveryCode{code}, err
}

func (d *Door) setRecoveryCode(r *http.Request, c RecoveryCode) (Vault, error) {
	return d.vault(d.History.SetCode(r.Context(), c.Code))
}

func (d *Door) setPassphrase(r *http.Request, p Passphrase) (Vault, error) {
	return d.vault(d.History.SetPassphrase(r.Context(), []byte(p.Passphrase)))
}

func (d *Door) removePassphrase(r *http.Request) (Vault, error) {
	return d.vault(d.History.RemovePassphrase(r.Context()))
}

func (d *Door) rotateVault(r *http.Request, u Unlocking) (Vault, error) {
	return d.vault(d.History.Rotate(r.Context(), u.given()))
}

func (d *Door) lockVault(r *http.Request) (Vault, error) {
	return d.vault(d.History.Lock(r.Context()))
}

func (d *Door) setLockAfter(r *http.Request, after LockAfter) (Vault, error) {
	return d.vault(d.History.SetLockAfter(r.Context(), after.Minutes))
}

// beActive is for who is there and wants nothing: having come in says it all.
func (d inside) beActive(*http.Request) (noBody, error) { return noBody{}, nil }

func (d *Door) salvageVault(r *http.Request, s Salvaging) (Salvage, error) {
	if s.Path != "" && !filepath.IsAbs(s.Path) {
		return Salvage{}, errPath
	}
	found, err := d.History.Salvage(r.Context(), s.Path, Unlocking{s.Code, s.Passphrase}.given())
	reply := Salvage{
		Pages: found.Pages, Bad: len(found.Bad), Lost: int64(found.Lost), Sessions: found.Sessions, Messages: found.Messages,
		Tables: []TableLoss{}, Incomplete: []Incomplete{},
	}
	for _, t := range found.Tables {
		reply.Tables = append(reply.Tables, TableLoss(t))
	}
	for _, i := range found.Incomplete {
		reply.Incomplete = append(reply.Incomplete, Incomplete{i.Key.Session, i.Title, i.Messages, i.Records, i.Remade})
	}
	return reply, err
}

func (d *Door) startNewVault(r *http.Request) (Vault, error) {
	return d.vault(d.History.StartNew(r.Context()))
}

func (d *Door) deleteEverything(r *http.Request, sure Deletion) (Vault, error) {
	if sure.Confirm != "DELETE EVERYTHING" {
		return Vault{}, agent.Errorf(agent.CodeValidation, "Nothing was deleted. To delete the whole history for good, type DELETE EVERYTHING.")
	}
	if err := d.removeSecrets(r.Context()); err != nil {
		d.Log.Warn("not all secrets and keys could be removed from the keychain before the history was deleted", "error", err)
	}
	return d.vault(d.History.DeleteEverything(r.Context()))
}

// removeSecrets takes secrets and keys out of the keyring while the history can say which there are.
func (d *Door) removeSecrets(ctx context.Context) error {
	in, leave, err := d.enterRooms(ctx, caller{})
	defer leave()
	if err != nil {
		return err
	}
	return in.Secrets.RemoveAll(ctx)
}

func (d *Door) backUpVault(r *http.Request, b Backup) (noBody, error) {
	if !filepath.IsAbs(b.Path) {
		return noBody{}, errPath
	}
	return noBody{}, d.History.Backup(r.Context(), b.Path)
}

func (d inside) scrubVault(r *http.Request) (Scrub, error) {
	found, err := d.Store.Verify(r.Context())
	return Scrub{found.Pages, len(found.Bad), len(found.Log), int64(d.Store.Lost())}, err
}

var errPath = agent.Errorf(agent.CodeValidation, "The path of a copy must be absolute.")

// errLocked says what stands between a request and the history.
func (d *Door) errLocked() error {
	s, _ := d.History.Status()
	if s.Open() { // and about to be closed
		return &refusal{http.StatusServiceUnavailable, "vault_locked", "The history is being closed. Try again in a moment."}
	}
	return &refusal{http.StatusServiceUnavailable, "vault_locked", s.Message + " " + s.Remedy}
}
