package api

import (
	"net/http"

	"parley/backend/redact"
)

// CredentialsToFind is what a person is about to send.
type CredentialsToFind struct {
	Text string `json:"text"`
}

// CredentialsFound is what looks like a credential in it, in order.
type CredentialsFound struct {
	Found []Credential `json:"found"`
}

// Credential is something that looks like one.
type Credential struct {
	Kind string `json:"kind"` // what it looks like, for people: "a GitHub token"
	Text string `json:"text"`
}

func (d *Door) findCredentials(_ *http.Request, in CredentialsToFind) (CredentialsFound, error) {
	out := CredentialsFound{Found: []Credential{}}
	for _, f := range redact.Find(in.Text) {
		out.Found = append(out.Found, Credential{f.Kind, in.Text[f.Start:f.End]})
	}
	return out, nil
}
