package vault

// State is what a person has to know about the key of a history. Screens are made of it.
type State string

// The states; the enum is closed.
const (
	Ready             State = "ready"
	KeychainLocked    State = "locked"
	NeedsRecoveryCode State = "needs_recovery_code"
	NeedsPassphrase   State = "needs_passphrase"
	NoKeychain        State = "no_keychain"
	Damaged           State = "damaged" // Status.Unlocked says whether the key survived
	NewerFormat       State = "newer_format"
	Unreadable        State = "unreadable" // nothing that could open it exists any more
	Sleeping          State = "sleeping"   // Unlock was not called yet, or Lock was
)

// stateTexts are what is wrong, and what to do about it.
var stateTexts = map[State]struct{ message, remedy string }{
	Ready:             {"The history is open.", ""},
	KeychainLocked:    {"The keychain is locked, so the history cannot be read yet.", "Unlock the keychain, then retry."},
	NeedsRecoveryCode: {"The keychain no longer holds the key of this history.", "Enter the recovery code."},
	NeedsPassphrase:   {"The history is under a passphrase.", "Enter the passphrase of this history."},
	NoKeychain:        {"The keychain that holds the key of this history does not answer.", "Start it, then retry, or choose a passphrase to keep the keys in a sealed file and start a new history."},
	Damaged:           {"The key file of this history is damaged; it was not changed.", "Put back a copy of it, or repair it from what survives."},
	NewerFormat:       {"This history was made by a newer Parley; nothing was changed.", "Install the newer version."},
	Unreadable:        {"The key of this history is gone, so it cannot be read; its file is kept.", "Put the keychain or a backup back, or start a new history beside it."},
	Sleeping:          {"The history is locked.", "Unlock it to go on."},
}

// Message is a sentence that says what is wrong.
func (s State) Message() string { return stateTexts[s].message }

// Remedy is a sentence that says what to do; empty if there is nothing.
func (s State) Remedy() string { return stateTexts[s].remedy }

// explain is both.
func (s State) explain() string { return stateTexts[s].message + " " + stateTexts[s].remedy }

// SlotType is a way to open a key file.
type SlotType string

// The ways; the enum is closed.
const (
	SlotKeychain   SlotType = "keychain"
	SlotRecovery   SlotType = "recovery_code"
	SlotPassphrase SlotType = "passphrase"
)

// Status is where a KeyFile stands.
type Status struct {
	State    State
	Unlocked bool       // KeyFile.With works
	Slots    []SlotType // the ways to open it that there are
	Accepts  []SlotType // of these, what the person may give: a passphrase, a recovery code
	Rotating bool       // a new data key waits to be confirmed
	MadeWith string     // the kind of keyring that holds the key; empty if none does
	Found    string     // the kind of keyring that was asked; another than MadeWith explains a missing key
	Err      error      // for the log; nil when Ready
}
