// Package vault keeps what nobody else may read: provider keys, named secrets, and the key of the history.
//
// A Keyring holds small secrets under account names. There are two: Keychain, the operating system's, and SealedFile,
// a file under a passphrase, for machines without one. Neither falls back to the other, and neither ever keeps plain
// text. A KeyFile holds the key of one history, sealed once for each way to open it: a key in the Keyring, a
// RecoveryCode, a passphrase.
//
// What cannot be promised: Go may have copied a key while it was in memory (the garbage collector does not move heap
// values, but stacks grow by copying, and callers copy), memory may have been swapped out, and a core dump holds it.
// Wiping overwrites the one place that this package knows.
package vault

import (
	"context"
	"errors"
	"fmt"

	"parley/backend/agent"
)

// Keyring holds secrets by account. All methods may be called at once. An error wraps one of the Err values below or
// ctx's, and is an *agent.Error.
type Keyring interface {
	// Get gives the value, which is the caller's to wipe.
	Get(ctx context.Context, account string) ([]byte, error)
	// Set stores value, which may be empty, in place of any before it: whatever happens meanwhile, the old one or the
	// new one is there. After nil the new one was read back.
	Set(ctx context.Context, account string, value []byte) error
	// Delete forgets the value; ErrNotFound if there is none.
	Delete(ctx context.Context, account string) error
}

// How a Keyring fails.
var (
	ErrNotFound    = errors.New("not in the keyring")
	ErrLocked      = errors.New("keyring is locked") // it is there; its owner has to unlock it
	ErrUnavailable = errors.New("no working keyring")
	ErrTooLong     = errors.New("value too long for the keyring")
	ErrWrongSecret = errors.New("wrong passphrase or code") // nothing was changed
	ErrDamaged     = errors.New("file is damaged")          // nothing was changed
	ErrNewer       = errors.New("file has a newer format")  // nothing was changed
)

// MaxValue is the length of the longest value.
const MaxValue = 1 << 20

// Accounts. A keychain cannot list, so names are kept in the store.
const AccountServerToken = "server-token"

// AccountProviderKey is where the key that a person named name for a provider is kept.
func AccountProviderKey(provider, name string) string { return "provider:" + provider + ":" + name }

// AccountSecret is where a named secret is kept.
func AccountSecret(slug string) string { return "secret:" + slug }

func accountHistoryKey(vault, slot string) string { return "database:" + vault + ":" + slot }
func accountAnchor(vault string) string           { return "database:" + vault + ":anchor" }

func notFound() error {
	return agent.Wrap(agent.CodeValidation, ErrNotFound, "This secret is not stored. Store it first.")
}

func locked(cause error) error {
	return agent.Wrap(agent.CodeInternal, errors.Join(ErrLocked, cause), "The keychain is locked. Unlock it, then retry.")
}

func checkLength(value []byte) error {
	if len(value) > MaxValue {
		return agent.Wrap(agent.CodeValidation, ErrTooLong, fmt.Sprintf("This secret has %d bytes; at most %d can be stored. Nothing was stored.", len(value), MaxValue))
	}
	return nil
}

func cancelled(ctx context.Context) error {
	return agent.Wrap(agent.CodeCancelled, context.Cause(ctx), "Stopped while asking for a secret.")
}

// Reason says why there is no working keyring.
type Reason string

// The reasons.
const (
	NoBus        Reason = "no_bus"        // no desktop session to ask
	NoProgram    Reason = "no_program"    // nobody on the session bus keeps secrets
	NoCollection Reason = "no_collection" // it runs, but has no default keyring
	Denied       Reason = "denied"        // it refuses Parley
	Silent       Reason = "silent"        // it does not answer in time
	Failed       Reason = "failed"        // anything else
)

var remedies = map[Reason]string{
	NoBus:        "There is no desktop session to ask for a keychain. Choose a passphrase to keep the keys in a sealed file instead.",
	NoProgram:    "No program keeps keys in this desktop session. Install gnome-keyring or KWallet, or choose a passphrase to keep the keys in a sealed file instead.",
	NoCollection: "The keychain has no default keyring yet. Make one in your desktop's password settings, or choose a passphrase to keep the keys in a sealed file instead.",
	Denied:       "The keychain refused Parley. Allow it in your system's password settings, or choose a passphrase to keep the keys in a sealed file instead.",
	Silent:       "The keychain does not answer. Look for its dialog, then retry, or choose a passphrase to keep the keys in a sealed file instead.",
	Failed:       "The keychain failed. Retry, or choose a passphrase to keep the keys in a sealed file instead.",
}

// Remedy is a sentence that says what is wrong and what to do.
func (r Reason) Remedy() string { return remedies[r] }

// absence is the cause of an error that is ErrUnavailable.
type absence struct {
	reason Reason
	cause  error
}

func unavailable(reason Reason, cause error) error {
	return agent.Wrap(agent.CodeInternal, &absence{reason, cause}, reason.Remedy())
}

func (a *absence) Error() string        { return fmt.Sprintf("%v: %s: %v", ErrUnavailable, a.reason, a.cause) }
func (a *absence) Is(target error) bool { return target == ErrUnavailable }
func (a *absence) Unwrap() error        { return a.cause }
