package api

import (
	"net/http"

	"parley/backend/agent"
	"parley/backend/vault"
)

// Secret is a named secret, without its value.
type Secret struct {
	Slug        string            `json:"slug"` // what references call it, for good
	Name        string            `json:"name"`
	Project     agent.ProjectID   `json:"project,omitempty"` // empty: it is for every project
	Format      vault.Format      `json:"format"`
	Description string            `json:"description"`
	Tags        []string          `json:"tags"`
	Created     int64             `json:"created"`            // milliseconds since 1970, as the others
	LastUsed    int64             `json:"lastUsed,omitempty"` // 0: never
	Expires     int64             `json:"expires,omitempty"`  // 0: never
	State       vault.SecretState `json:"state"`
	Fields      []string          `json:"fields"` // of the format json
	References  []SecretReference `json:"references"`
	Hides       bool              `json:"hides"`    // it is the project's, and hides the one for every project with its slug
	Warnings    []string          `json:"warnings"` // sentences for the person
}

// SecretReference is a place that refers to a secret.
type SecretReference struct {
	Kind  ReferenceKind `json:"kind"`
	Name  string        `json:"name"`  // the id of the server or of the agent
	Where string        `json:"where"` // in it, such as env.TOKEN
}

// ReferenceKind says what refers to a secret.
type ReferenceKind string

// The kinds; the enum is closed.
const (
	ReferenceMCP   ReferenceKind = "mcp"
	ReferenceAgent ReferenceKind = "agent"
)

// SecretList is the secrets of a project and those for every project, by their slugs.
type SecretList struct {
	Secrets []Secret `json:"secrets"`
	Problem string   `json:"problem,omitempty"` // why the keyring cannot be read, and what to do; then no state is missing
}

// NewSecret is a secret to be stored. Without a slug it gets one of its name.
type NewSecret struct {
	Name        string       `json:"name"`
	Slug        string       `json:"slug,omitempty"`
	Global      bool         `json:"global,omitempty"` // for every project
	Format      vault.Format `json:"format"`
	Value       string       `json:"value"`
	Description string       `json:"description,omitempty"`
	Tags        []string     `json:"tags,omitempty"`
	Expires     int64        `json:"expires,omitempty"`
}

// SecretChange is what is to be different about a secret; what is left out stays.
type SecretChange struct {
	Name        *string       `json:"name,omitempty"`
	Description *string       `json:"description,omitempty"`
	Tags        *[]string     `json:"tags,omitempty"`
	Expires     *int64        `json:"expires,omitempty"` // 0: never
	Value       *string       `json:"value,omitempty"`   // the one before is still kept from being shown
	Format      *vault.Format `json:"format,omitempty"`
}

// SecretRemoved says what referred to a secret that is gone.
type SecretRemoved struct {
	References []SecretReference `json:"references"`
}

// SecretValue is the value itself.
type SecretValue struct {
	Value string `json:"value"`
}

// SecretUses is what used a secret, the newest first.
type SecretUses struct {
	Uses []SecretUse `json:"uses"`
}

// SecretUse is one use of a secret.
type SecretUse struct {
	Session agent.SessionID `json:"session"`
	Title   string          `json:"title"`
	Tool    string          `json:"tool"`
	At      int64           `json:"at"`
}

// SecretsToImport is text as files called .env have it.
type SecretsToImport struct {
	Text   string `json:"text"`
	Global bool   `json:"global,omitempty"`
}

// SecretsImported says which secrets were made, and which lines were not taken.
type SecretsImported struct {
	Made    []Secret        `json:"made"`
	Refused []SecretRefused `json:"refused"`
}

// SecretRefused is a line that was not taken.
type SecretRefused struct {
	Line int    `json:"line"`
	Why  string `json:"why"`
}

// SecretToSweep is the secret whose values are to be masked in what was said before.
type SecretToSweep struct {
	Slug string `json:"slug"`
}

// SecretSwept is how many messages and records had them.
type SecretSwept struct {
	Masked int `json:"masked"`
}

var errNoSecrets = agent.Errorf(agent.CodeInternal, "Named secrets cannot be stored yet.")

func (d inside) listSecrets(*http.Request) (SecretList, error)       { return SecretList{}, errNoSecrets }
func (d inside) makeSecret(*http.Request, NewSecret) (Secret, error) { return Secret{}, errNoSecrets }
func (d inside) changeSecret(*http.Request, SecretChange) (Secret, error) {
	return Secret{}, errNoSecrets
}
func (d inside) removeSecret(*http.Request) (SecretRemoved, error) {
	return SecretRemoved{}, errNoSecrets
}
func (d inside) revealSecret(*http.Request) (SecretValue, error)  { return SecretValue{}, errNoSecrets }
func (d inside) listSecretUses(*http.Request) (SecretUses, error) { return SecretUses{}, errNoSecrets }
func (d inside) importSecrets(*http.Request, SecretsToImport) (SecretsImported, error) {
	return SecretsImported{}, errNoSecrets
}
func (d inside) sweepSecret(*http.Request, SecretToSweep) (SecretSwept, error) {
	return SecretSwept{}, errNoSecrets
}
