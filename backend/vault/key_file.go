package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"parley/backend/agent"
)

// SaltSize is the length of the salt in a history's own file. The key file has a copy, for salvage.
const SaltSize = 32

// Cipher says what a history's file is encrypted with; the store gives the numbers their meaning.
type Cipher uint8

// Anchor is how far a history had come. A history that has come less far was rolled back.
type Anchor struct{ Generation, Commits uint64 }

func (a Anchor) before(b Anchor) bool {
	return a.Generation < b.Generation || a.Generation == b.Generation && a.Commits < b.Commits
}

// KeyFile is the key of one history: its data key, sealed in a small file once for each way to open it. It is the one
// place in memory where that key lies: Lock wipes it, Unlock brings it back. The caller holds the history's lock, so
// nobody else writes the file. All methods may be called at once.
type KeyFile struct {
	path string
	ring Keyring // nil without one

	mu     sync.Mutex
	doc    document
	intact error // ErrDamaged with the reason, ErrNewer, or nil
	tried  bool  // whether Unlock has asked the keyring since the key was wiped
	failed error // what it said
	found  string
	body   []byte
	sum    []byte // the mac that the file claims for body
	key    []byte // nil while locked
	next   []byte // nil unless a rotation is under way and key is not nil
}

// NewKeys says what the key file of a new history holds. At least one of a ring, Code and Passphrase is needed.
type NewKeys struct {
	Cipher     Cipher
	Salt       [SaltSize]byte
	Code       *RecoveryCode
	Passphrase []byte
	Cost       Cost // of Passphrase
}

// CreateKeyFile makes a data key and seals it, in ring if that is not nil. It refuses a path where something is.
func CreateKeyFile(ctx context.Context, path string, ring Keyring, n NewKeys) (*KeyFile, error) {
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		return nil, agent.Wrap(agent.CodeValidation, errors.Join(os.ErrExist, err), "This history has a key file already; it was not changed. Open it, or choose another folder.")
	}
	k := &KeyFile{path: path, ring: ring, key: random(keySize)}
	k.doc = document{vault: fmt.Sprintf("%x", random(idSize)), history: history{cipher: n.Cipher, salt: n.Salt}}
	secrets := Openers{Code: n.Code, Passphrase: n.Passphrase, Cost: n.Cost}
	made, err := k.makeEdition(ctx, k.key, secrets, ring != nil)
	if err == nil {
		k.doc.current = made
		err = k.save(ctx, k.doc)
	}
	if err != nil {
		k.forgetItems(ctx, made.slots)
		return nil, err
	}
	return k, nil
}

// OpenKeyFile reads the key file at path, still locked. Only a file that cannot be read at all is an error, which wraps
// what the system said: see Status for damage.
func OpenKeyFile(path string, ring Keyring) (*KeyFile, error) {
	file, err := readBounded(path, maxKeyFile+1)
	if err != nil {
		return nil, agent.Wrap(agent.CodeInternal, err, "The key file of the history could not be read. Check that it is there and yours, then retry.")
	}
	k := &KeyFile{path: path, ring: ring}
	k.doc, k.body, k.sum, k.intact = parse(file)
	return k, nil
}

// Unlock opens the key file without asking the person, by its slot in the keyring, and says where that led. Nothing is
// written.
func (k *KeyFile) Unlock(ctx context.Context) Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key == nil && !errors.Is(k.intact, ErrNewer) {
		k.found, k.failed = k.askRing(ctx)
		k.tried = ctx.Err() == nil
	}
	return k.status()
}

// askRing opens the first slot whose key the keyring has. It gives the kind of the keyring, or why no slot opened.
func (k *KeyFile) askRing(ctx context.Context) (kind string, failed error) {
	for s, e := range k.slots(SlotKeychain) {
		if k.ring == nil {
			return "", noRing()
		}
		kind = kindOf(ctx, k.ring)
		kek, err := k.ring.Get(ctx, accountHistoryKey(k.doc.vault, s.id))
		if err == nil {
			err = k.admit(s, e, kek)
			Wipe(kek)
		}
		if err == nil {
			return kind, nil
		}
		failed = errors.Join(failed, err)
	}
	return kind, failed
}

func noRing() error { return unavailable(NoProgram, errors.New("opened without a keyring")) }

// UnlockWithCode opens the key file with a recovery code: ErrWrongSecret if it is another history's.
func (k *KeyFile) UnlockWithCode(code RecoveryCode) error {
	return k.unlockWith(SlotRecovery, "This recovery code is not the one of this history. Check that it is the newest, and type it again.", func(s slot) ([]byte, error) {
		return code.key(s.id), nil
	})
}

// UnlockWithPassphrase opens the key file with its passphrase, which remains the caller's to wipe.
func (k *KeyFile) UnlockWithPassphrase(passphrase []byte) error {
	return k.unlockWith(SlotPassphrase, "This is not the passphrase of this history. Type it again.", func(s slot) ([]byte, error) {
		h, err := parseHardening(s.params)
		if err != nil {
			return nil, err
		}
		return h.key(passphrase), nil
	})
}

func (k *KeyFile) unlockWith(kind SlotType, wrong string, kekOf func(slot) ([]byte, error)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	failed := errors.New("no such slot")
	for s, e := range k.slots(kind) {
		kek, err := kekOf(s)
		if err == nil {
			err = k.admit(s, e, kek)
			Wipe(kek)
		}
		if err == nil {
			return nil
		}
		failed = err
	}
	switch {
	case errors.Is(failed, ErrWrongSecret):
		return agent.Wrap(agent.CodeValidation, failed, wrong)
	case errors.Is(failed, ErrDamaged):
		return agent.Wrap(agent.CodeValidation, failed, Damaged.explain())
	}
	return agent.Wrap(agent.CodeValidation, failed, "This history cannot be opened in this way. Choose another one.")
}

// slots gives the slots of one kind, and the edition that each belongs to.
func (k *KeyFile) slots(kind SlotType) func(yield func(slot, *edition) bool) {
	return func(yield func(slot, *edition) bool) {
		editions := []*edition{&k.doc.current}
		if k.doc.next != nil {
			editions = append(editions, &k.doc.next.edition)
		}
		for _, e := range editions {
			for _, s := range e.slots {
				if s.kind == kind && !yield(s, e) {
					return
				}
			}
		}
	}
}

// admit opens a slot and takes the keys that it leads to. The data key proves itself before anything else is opened with
// it. A mac that is wrong is damage, but the key is right: what the sealing of a slot does not bind cannot be trusted.
func (k *KeyFile) admit(s slot, e *edition, kek []byte) error {
	key, err := s.open(k.doc.vault, kek)
	if err != nil {
		return err
	}
	if k.doc.current.check == nil && e == &k.doc.current { // its line is lost, and a slot's sealing proves as much
		k.doc.current.check = check(key)
	}
	if !equal(check(key), e.check) {
		return fmt.Errorf("%w: a slot holds another key than the file says", ErrDamaged)
	}
	current, next := key, []byte(nil)
	if r := k.doc.next; r != nil {
		up, down := rotationAAD(k.doc.vault, "up"), rotationAAD(k.doc.vault, "down")
		if e == &r.edition {
			next = key
			current, err = unseal(next, down, r.down)
		} else {
			next, err = unseal(current, up, r.up)
		}
		if err != nil || !equal(check(current), k.doc.current.check) || !equal(check(next), r.check) {
			return fmt.Errorf("%w: the two keys of a rotation do not fit (%v)", ErrDamaged, err)
		}
	}
	if k.intact == nil && !equal(mac(current, k.body), k.sum) {
		k.intact = fmt.Errorf("%w: its mac is wrong", ErrDamaged)
	}
	k.key, k.next, k.failed = current, next, nil
	return nil
}

func rotationAAD(vault, way string) []byte {
	return fmt.Appendf(nil, "parley rotation 1|%s|%s", vault, way)
}

// Status says where the key file stands, by what the last Unlock found.
func (k *KeyFile) Status() Status {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.status()
}

func (k *KeyFile) status() Status {
	s := Status{Unlocked: k.key != nil, Rotating: k.doc.next != nil, Found: k.found, Err: errors.Join(k.intact, k.failed)}
	for _, kind := range []SlotType{SlotPassphrase, SlotRecovery} {
		for range k.slots(kind) {
			s.Accepts = append(s.Accepts, kind)
			break
		}
	}
	s.Slots = s.Accepts
	for at := range k.slots(SlotKeychain) {
		if s.MadeWith == "" {
			s.Slots = append([]SlotType{SlotKeychain}, s.Accepts...)
		}
		s.MadeWith = at.params
	}
	switch {
	case errors.Is(k.intact, ErrNewer):
		s.State = NewerFormat
	case k.intact != nil, errors.Is(k.failed, ErrDamaged):
		s.State = Damaged
	case k.key != nil:
		s.State = Ready
	case !k.tried:
		s.State = Sleeping
	case errors.Is(k.failed, ErrLocked):
		s.State = KeychainLocked
	case slices.Contains(s.Accepts, SlotPassphrase):
		s.State = NeedsPassphrase
	case slices.Contains(s.Accepts, SlotRecovery):
		s.State = NeedsRecoveryCode
	case errors.Is(k.failed, ErrUnavailable):
		s.State = NoKeychain
	default:
		s.State = Unreadable
	}
	return s
}

// Lock wipes the data key. With fails until one of the Unlocks succeeded.
func (k *KeyFile) Lock() {
	k.mu.Lock()
	defer k.mu.Unlock()
	Wipe(k.key)
	Wipe(k.next)
	k.key, k.next, k.failed, k.tried = nil, nil, nil, false
}

// With lends the data key, and the next one while a rotation is under way, else nil. They are valid until use returns,
// and use calls nothing of k.
func (k *KeyFile) With(use func(key, next []byte) error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key == nil {
		return asleep()
	}
	return use(k.key, k.next)
}

func asleep() error { return agent.Wrap(agent.CodeInternal, ErrLocked, Sleeping.explain()) }

// Vault names the history that the file belongs to.
func (k *KeyFile) Vault() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.doc.vault
}

// History gives the cipher and the salt of the history's file. They can be trusted once unlocked and not Damaged.
func (k *KeyFile) History() (Cipher, [SaltSize]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.doc.history.cipher, k.doc.history.salt
}

// Check tells data keys apart without giving them away: a history's file may carry the one that it is encrypted with,
// so that another key is not taken for damage.
func Check(dataKey []byte) [checkSize]byte { return [checkSize]byte(check(dataKey)) }

// save writes d, signed with key, and makes it k's. The old file is there until the new one has been read back.
func (k *KeyFile) save(ctx context.Context, d document) error {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	file := d.encode(k.key)
	parsed, body, sum, err := parse(file)
	if err != nil {
		return fmt.Errorf("key file: what is written does not read: %w", err)
	}
	if err := replace(k.path, file); err != nil {
		return agent.Wrap(agent.CodeInternal, err, "The key file could not be written; the old one is still there. Check the disk, then retry.")
	}
	k.doc, k.body, k.sum, k.intact = parsed, bytes.Clone(body), sum, nil
	return nil
}
