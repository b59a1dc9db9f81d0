package vault

// KeySource says where the key of a provider comes from.
type KeySource string

// The sources; the enum is closed.
const (
	KeyFromKeyring     KeySource = "keychain"
	KeyFromEnvironment KeySource = "environment"
)
