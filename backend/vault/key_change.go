package vault

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"

	"parley/backend/agent"
)

// Openers are what a person keeps to open a history. Those that are nil are not used.
type Openers struct {
	Code       *RecoveryCode
	Passphrase []byte // remains the caller's to wipe
	Cost       Cost   // of Passphrase
}

// RenewKeychain seals the data key under a new key in the keyring, in place of the old one: for a keychain that lost
// its item, another keychain, or from time to time.
func (k *KeyFile) RenewKeychain(ctx context.Context) error {
	return k.put(ctx, func() (slot, error) { return k.keychainSlot(ctx, k.key) })
}

// SetRecoveryCode makes code the one that opens the history, in place of the one before. Show it first.
func (k *KeyFile) SetRecoveryCode(ctx context.Context, code RecoveryCode) error {
	return k.put(ctx, func() (slot, error) { return k.codeSlot(code, k.key), nil })
}

// SetPassphrase makes passphrase one way to open the history, in place of the one before.
func (k *KeyFile) SetPassphrase(ctx context.Context, passphrase []byte, cost Cost) error {
	return k.put(ctx, func() (slot, error) { return k.passphraseSlot(passphrase, cost, k.key) })
}

// Remove takes one way to open the history away. The last one stays.
func (k *KeyFile) Remove(ctx context.Context, kind SlotType) error {
	return k.change(func() error {
		d := k.doc
		var gone []slot
		d.current.slots, gone = split(d.current.slots, func(s slot) bool { return s.kind == kind })
		if len(d.current.slots) == 0 {
			return agent.Errorf(agent.CodeValidation, "This is the only way to open the history. Add another one first.")
		}
		if err := k.save(ctx, d); err != nil {
			return err
		}
		k.forgetItems(ctx, gone)
		return nil
	})
}

// put adds a slot, opens the file through it, and only then lets the others of its kind go. A crash leaves both.
func (k *KeyFile) put(ctx context.Context, made func() (slot, error)) error {
	return k.change(func() error {
		fresh, err := made()
		if err != nil {
			return err
		}
		d := k.doc
		d.current.slots = append(slices.Clone(d.current.slots), fresh)
		if err := k.save(ctx, d); err != nil {
			k.forgetItems(ctx, []slot{fresh})
			return err
		}
		var gone []slot
		d.current.slots, gone = split(d.current.slots, func(s slot) bool { return s.kind == fresh.kind && s.id != fresh.id })
		if len(gone) == 0 {
			return nil
		}
		if err := k.save(ctx, d); err != nil {
			return err
		}
		k.forgetItems(ctx, gone)
		return nil
	})
}

// change lets fn write the file: it is open, whole, and has one data key.
func (k *KeyFile) change(fn func() error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.key == nil:
		return asleep()
	case k.intact != nil:
		return agent.Wrap(agent.CodeValidation, k.intact, Damaged.explain())
	case k.doc.next != nil:
		return agent.Errorf(agent.CodeValidation, "The key of the history is being changed. Let that finish, then retry.")
	}
	return fn()
}

// Rotate makes a next data key beside the current one: With gives both until ConfirmRotation or AbandonRotation. The
// next key can only be sealed with what is known now: a keychain slot renews itself, but a history with a recovery code
// or a passphrase needs them again, the old or new ones.
func (k *KeyFile) Rotate(ctx context.Context, with Openers) error {
	return k.change(func() error {
		has := func(kind SlotType) bool {
			return slices.ContainsFunc(k.doc.current.slots, func(s slot) bool { return s.kind == kind })
		}
		if has(SlotRecovery) && with.Code == nil || has(SlotPassphrase) && with.Passphrase == nil {
			return agent.Errorf(agent.CodeValidation, "A new key needs the recovery code and the passphrase that shall open it. Give those that this history has.")
		}
		next := random(keySize)
		made, err := k.makeEdition(ctx, next, with, has(SlotKeychain))
		if err == nil {
			d := k.doc
			d.next = &rotation{made, seal(k.key, rotationAAD(d.vault, "up"), next), seal(next, rotationAAD(d.vault, "down"), k.key)}
			err = k.save(ctx, d)
		}
		if err != nil {
			k.forgetItems(ctx, made.slots)
			return err
		}
		k.next = next
		return nil
	})
}

// ConfirmRotation makes the next data key the only one: everything is encrypted with it, and was read back. An anchor in
// the keyring was signed with the old one: set it again.
func (k *KeyFile) ConfirmRotation(ctx context.Context) error {
	return k.endRotation(ctx, func(d *document) (gone []slot) {
		gone, d.current = d.current.slots, d.next.edition
		k.key, k.next = k.next, k.key
		return gone
	})
}

// AbandonRotation forgets the next data key: nothing is encrypted with it.
func (k *KeyFile) AbandonRotation(ctx context.Context) error {
	return k.endRotation(ctx, func(d *document) []slot { return d.next.slots })
}

// endRotation leaves the key in k.key as the only one.
func (k *KeyFile) endRotation(ctx context.Context, choose func(*document) (gone []slot)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.key == nil:
		return asleep()
	case k.doc.next == nil || k.intact != nil:
		return agent.Wrap(agent.CodeValidation, k.intact, "There is no change of key to end.")
	}
	d, key, next := k.doc, k.key, k.next
	gone := choose(&d)
	d.next = nil
	if err := k.save(ctx, d); err != nil {
		k.key, k.next = key, next
		return err
	}
	Wipe(k.next)
	k.next = nil
	k.forgetItems(ctx, gone)
	return nil
}

// makeEdition seals key in a slot for each thing given, and in the keyring if wanted. The slots come back also with an
// error, to be forgotten.
func (k *KeyFile) makeEdition(ctx context.Context, key []byte, with Openers, keychain bool) (edition, error) {
	e := edition{check: check(key)}
	if keychain {
		s, err := k.keychainSlot(ctx, key)
		if err != nil {
			return e, err
		}
		e.slots = append(e.slots, s)
	}
	if with.Code != nil {
		e.slots = append(e.slots, k.codeSlot(*with.Code, key))
	}
	if with.Passphrase != nil {
		s, err := k.passphraseSlot(with.Passphrase, with.Cost, key)
		if err != nil {
			return e, err
		}
		e.slots = append(e.slots, s)
	}
	if len(e.slots) == 0 {
		return e, agent.Errorf(agent.CodeValidation, "A history without a keychain needs a passphrase or a recovery code. Choose one.")
	}
	return e, nil
}

// keychainSlot stores a new key in the keyring, reads it back, and opens the slot with what it read.
func (k *KeyFile) keychainSlot(ctx context.Context, key []byte) (slot, error) {
	if k.ring == nil {
		return slot{}, noRing()
	}
	id, kek := fmt.Sprintf("%x", random(idSize)), random(keySize)
	defer Wipe(kek)
	kind := kindOf(ctx, k.ring)
	if kind == "" {
		kind = "unknown"
	}
	s := newSlot(k.doc.vault, SlotKeychain, id, kind, kek, key)
	account := accountHistoryKey(k.doc.vault, id)
	if err := k.ring.Set(ctx, account, kek); err != nil {
		return slot{}, err
	}
	stored, err := k.ring.Get(ctx, account)
	if err != nil {
		return slot{}, err
	}
	defer Wipe(stored)
	opened, err := s.open(k.doc.vault, stored)
	Wipe(opened)
	if err != nil {
		return slot{}, unavailable(Failed, err)
	}
	return s, nil
}

func (k *KeyFile) codeSlot(code RecoveryCode, key []byte) slot {
	id := fmt.Sprintf("%x", random(idSize))
	return newSlot(k.doc.vault, SlotRecovery, id, "-", code.key(id), key)
}

func (k *KeyFile) passphraseSlot(passphrase []byte, cost Cost, key []byte) (slot, error) {
	if len(passphrase) == 0 {
		return slot{}, agent.Errorf(agent.CodeValidation, "An empty passphrase protects nothing. Choose another one.")
	}
	h := harden(cost)
	kek := h.key(passphrase)
	defer Wipe(kek)
	return newSlot(k.doc.vault, SlotPassphrase, fmt.Sprintf("%x", random(idSize)), h.String(), kek, key), nil
}

// forgetItems deletes what slots that are gone had in the keyring. An item that stays opens nothing any more.
func (k *KeyFile) forgetItems(ctx context.Context, gone []slot) {
	for _, s := range gone {
		if s.kind == SlotKeychain && k.ring != nil {
			_ = k.ring.Delete(context.WithoutCancel(ctx), accountHistoryKey(k.doc.vault, s.id))
		}
	}
}

// Forget deletes what the keyring holds for this history, for who removes the key file next. It needs no key.
func (k *KeyFile) Forget(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ring == nil {
		return nil
	}
	accounts := []string{accountAnchor(k.doc.vault)}
	for s := range k.slots(SlotKeychain) {
		accounts = append(accounts, accountHistoryKey(k.doc.vault, s.id))
	}
	var failed error
	for _, account := range accounts {
		if err := k.ring.Delete(ctx, account); !errors.Is(err, ErrNotFound) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// SetHistory keeps a copy of what the header of the history's file says, whenever that gets a new one.
func (k *KeyFile) SetHistory(ctx context.Context, c Cipher, salt [SaltSize]byte) error {
	return k.amend(ctx, func(h *history) { h.cipher, h.salt = c, salt })
}

// SetAnchor remembers how far the history has come: in the file, and in the keyring if that holds its key, where a copy
// of the whole folder does not reach it. One small write each; at clean exit and every few minutes.
func (k *KeyFile) SetAnchor(ctx context.Context, a Anchor) error {
	if err := k.amend(ctx, func(h *history) { h.anchor = a }); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key == nil || !k.inRing() {
		return nil
	}
	return k.ring.Set(ctx, accountAnchor(k.doc.vault), k.signed(a))
}

// Anchor gives the furthest that the history is known to have come. What the keyring holds counts if it is signed; a
// keyring that cannot be asked is an error beside the file's own anchor.
func (k *KeyFile) Anchor(ctx context.Context) (Anchor, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key == nil {
		return Anchor{}, asleep()
	}
	a := k.doc.history.anchor
	if !k.inRing() {
		return a, nil
	}
	item, err := k.ring.Get(ctx, accountAnchor(k.doc.vault))
	if errors.Is(err, ErrNotFound) {
		return a, nil
	}
	if err != nil || len(item) < anchorSize {
		return a, err
	}
	kept := Anchor{binary.BigEndian.Uint64(item), binary.BigEndian.Uint64(item[8:])}
	if bytes.Equal(item, k.signed(kept)) && a.before(kept) {
		a = kept
	}
	return a, nil
}

// inRing reports whether there is a keyring, and it holds the key of this history.
func (k *KeyFile) inRing() bool {
	if k.ring == nil {
		return false
	}
	for range k.slots(SlotKeychain) {
		return true
	}
	return false
}

const anchorSize = 16

// signed is an anchor as the keyring keeps it.
func (k *KeyFile) signed(a Anchor) []byte {
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, a.Generation), a.Commits)
	return append(b, mac(k.key, append([]byte("anchor "), b...))...)
}

// amend changes what the file says about the history; unlike the slots, also during a rotation.
func (k *KeyFile) amend(ctx context.Context, fn func(*history)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.key == nil:
		return asleep()
	case k.intact != nil:
		return agent.Wrap(agent.CodeValidation, k.intact, Damaged.explain())
	}
	d := k.doc
	fn(&d.history)
	return k.save(ctx, d)
}

// Backup gives a key file to lie beside a copy of the history: without the keychain slot, so that it opens anywhere, and
// only with the code or the passphrase.
func (k *KeyFile) Backup() ([]byte, error) {
	var file []byte
	err := k.change(func() error {
		d := k.doc
		d.current.slots, _ = split(d.current.slots, func(s slot) bool { return s.kind == SlotKeychain })
		if len(d.current.slots) == 0 {
			return agent.Errorf(agent.CodeValidation, "A backup can only be opened with a recovery code or a passphrase, and this history has neither. Make a recovery code first.")
		}
		file = d.encode(k.key)
		return nil
	})
	return file, err
}

// Mend writes a damaged key file anew from what survived, once it is unlocked. The damaged one is kept as aside. What
// the damage may have reached is not to be believed: set the salt and the anchor again.
func (k *KeyFile) Mend(ctx context.Context) (aside string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.key == nil:
		return "", asleep()
	case k.intact == nil:
		return "", nil
	}
	file, err := readBounded(k.path, maxKeyFile+1)
	if err == nil {
		aside = fmt.Sprintf("%s.damaged-%x", k.path, random(4))
		err = writeFlushed(aside, file)
	}
	if err != nil {
		return "", agent.Wrap(agent.CodeInternal, errors.Join(err, os.Remove(aside)), "The damaged key file could not be kept aside; nothing was changed. Check the disk, then retry.")
	}
	return aside, k.save(ctx, k.doc)
}

// split gives the slots that stay and those that go.
func split(slots []slot, goes func(slot) bool) (stay, gone []slot) {
	for _, s := range slots {
		if goes(s) {
			gone = append(gone, s)
		} else {
			stay = append(stay, s)
		}
	}
	return stay, gone
}
