package api

import (
	"net/http"

	"parley/backend/vault"
)

// Key is a key of a provider, without its value.
type Key struct {
	Provider string          `json:"provider"`
	Name     string          `json:"name"`  // empty: it comes from the environment
	Last4    string          `json:"last4"` // the end of its value; empty if that is short
	Source   vault.KeySource `json:"source"`
	Variable string          `json:"variable,omitempty"` // of the environment
	Chosen   bool            `json:"chosen"`             // what runs of this project use
	Created  int64           `json:"created,omitempty"`  // milliseconds since 1970
}

// KeyList is every key, by provider.
type KeyList struct {
	Keys      []Key    `json:"keys"`
	Providers []string `json:"providers"` // that a key can be stored for
}

// NewKey is a key to be stored, in place of the one with its name.
type NewKey struct {
	Provider string `json:"provider"`
	Name     string `json:"name"`
	Value    string `json:"value"`
}

// KeyChecked says whether the provider takes a key.
type KeyChecked struct {
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// KeyChoice is which key of a provider runs of the project use; none is the default one.
type KeyChoice struct {
	Name   string `json:"name"`
	Global bool   `json:"global,omitempty"` // for every project that has chosen none
}

func (d inside) listKeys(*http.Request) (KeyList, error)             { return KeyList{}, errNoSecrets }
func (d inside) putKey(*http.Request, NewKey) (KeyList, error)       { return KeyList{}, errNoSecrets }
func (d inside) checkKey(*http.Request) (KeyChecked, error)          { return KeyChecked{}, errNoSecrets }
func (d inside) chooseKey(*http.Request, KeyChoice) (KeyList, error) { return KeyList{}, errNoSecrets }
func (d inside) removeKey(*http.Request) (KeyList, error)            { return KeyList{}, errNoSecrets }
