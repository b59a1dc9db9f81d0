package vault

// Format says what the value of a named secret is.
type Format string

// The formats; the enum is closed.
const (
	FormatText Format = "text" // kept as it is
	FormatJSON Format = "json" // one flat object, whose fields can be referred to
)

// SecretState says whether a named secret can be used.
type SecretState string

// The states; the enum is closed.
const (
	SecretOK      SecretState = "ok"
	SecretExpired SecretState = "expired"
	SecretMissing SecretState = "missing" // the keyring does not have its value
)
