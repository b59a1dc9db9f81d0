package api

import (
	"net/http"

	"parley/backend/agent"
	"parley/backend/provider"
	"parley/backend/vault"
)

// Key is a key of a provider, without its value.
type Key struct {
	Provider string          `json:"provider"`
	Name     string          `json:"name"`  // of the environment's: environment
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

func (d inside) listKeys(r *http.Request) (KeyList, error) { return d.keys(r, nil) }

// keys is the reply of everything that changes which keys there are.
func (d inside) keys(r *http.Request, err error) (KeyList, error) {
	if err != nil {
		return KeyList{}, err
	}
	found, err := d.Secrets.Keys(r.Context(), d.project)
	list := KeyList{make([]Key, len(found)), append([]string{}, d.Secrets.Providers...)}
	for i, k := range found {
		list.Keys[i] = Key{Provider: k.Provider, Name: k.Name, Last4: k.Last4, Source: k.Source, Variable: k.Variable, Chosen: k.Chosen}
		if !k.Created.IsZero() {
			list.Keys[i].Created = k.Created.UnixMilli()
		}
	}
	return list, err
}

func (d inside) putKey(r *http.Request, n NewKey) (KeyList, error) {
	return d.keys(r, d.Secrets.PutKey(r.Context(), n.Provider, n.Name, []byte(n.Value)))
}

// checkKey asks the provider for its list of models, and for nothing else.
func (d inside) checkKey(r *http.Request) (KeyChecked, error) {
	key, err := d.Secrets.KeyNamed(r.Context(), r.PathValue("provider"), r.PathValue("name"))
	if err != nil {
		return KeyChecked{}, err
	}
	client := provider.NewClient()
	defer client.Close()
	if err := client.Check(r.Context(), d.Agents.Known.Endpoints[r.PathValue("provider")], key); err != nil {
		return KeyChecked{Message: agent.AsError(err).Message}, nil
	}
	return KeyChecked{true, r.PathValue("provider") + " takes this key."}, nil
}

func (d inside) chooseKey(r *http.Request, c KeyChoice) (KeyList, error) {
	return d.keys(r, d.Secrets.ChooseKey(r.Context(), d.owned(c.Global), r.PathValue("provider"), c.Name))
}

func (d inside) removeKey(r *http.Request) (KeyList, error) {
	return d.keys(r, d.Secrets.RemoveKey(r.Context(), r.PathValue("provider"), r.PathValue("name")))
}
