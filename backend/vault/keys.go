package vault

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
)

// KeySource says where the key of a provider comes from.
type KeySource string

// The sources; the enum is closed.
const (
	KeyFromKeyring     KeySource = "keychain"
	KeyFromEnvironment KeySource = "environment"
)

// EnvironmentKey is what the key of the environment is called.
const EnvironmentKey = "environment"

// Key is the key of a provider, without its value.
type Key struct {
	Provider, Name string
	Last4          string // the end of its value; empty if that is short
	Source         KeySource
	Variable       string // of the environment
	Chosen         bool   // what runs of the project use
	Created        time.Time
}

var keyName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// lastFour is what may be seen of a key, if that tells it apart and gives nothing away.
func lastFour(value []byte) []string {
	if len(value) < 16 {
		return nil
	}
	return []string{string(value[len(value)-4:])}
}

// Keys gives the keys of all providers, and which of them runs of a project use.
func (s *Secrets) Keys(ctx context.Context, project agent.ProjectID) (list []Key, err error) {
	for _, provider := range s.Providers {
		rows, used, err := s.keysOf(ctx, project, provider)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			list = append(list, Key{provider, row.Slug, strings.Join(row.Shown, ""), KeyFromKeyring, "", row.SecretID == used.SecretID, row.Created})
		}
		if variable, value := s.Environment(provider); value != "" {
			list = append(list, Key{provider, EnvironmentKey, strings.Join(lastFour([]byte(value)), ""), KeyFromEnvironment, variable, len(rows) == 0, time.Time{}})
		}
	}
	return list, nil
}

// keysOf gives the keys of a provider in the keyring, and the one of them that runs of a project use: the chosen one, or
// else the oldest.
func (s *Secrets) keysOf(ctx context.Context, project agent.ProjectID, provider string) (rows []store.Secret, used store.Secret, err error) {
	rows, err = s.rows(ctx, provider)
	if err != nil || len(rows) == 0 {
		return nil, used, err
	}
	chosen, err := s.Store.ChosenKeys(ctx, project)
	if err != nil {
		return nil, used, err
	}
	used, err = find(rows, store.SecretID{Provider: provider, Slug: chosen[provider]})
	if err != nil {
		used = slices.MinFunc(rows, func(a, b store.Secret) int { return a.Created.Compare(b.Created) })
	}
	return rows, used, nil
}

// Key gives the key that a run of a project uses for a provider: the one that was chosen, or else the oldest in the keyring,
// or else the environment's. It is empty if there is none.
func (s *Secrets) Key(ctx context.Context, project agent.ProjectID, provider string) (string, error) {
	rows, used, err := s.keysOf(ctx, project, provider)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		_, value := s.Environment(provider)
		return value, nil
	}
	return s.key(ctx, used)
}

// KeyNamed gives the key of a provider with a name.
func (s *Secrets) KeyNamed(ctx context.Context, provider, name string) (string, error) {
	if _, value := s.Environment(provider); name == EnvironmentKey && value != "" {
		return value, nil
	}
	rows, err := s.rows(ctx, provider)
	if err != nil {
		return "", err
	}
	row, err := find(rows, store.SecretID{Provider: provider, Slug: name})
	if err != nil {
		return "", err
	}
	return s.key(ctx, row)
}

func (s *Secrets) key(ctx context.Context, row store.Secret) (string, error) {
	i, err := s.item(ctx, row)
	defer i.wipe()
	switch {
	case errors.Is(err, ErrNotFound):
		return "", agent.Wrap(agent.CodeProviderAuth, err, fmt.Sprintf("The key %s of %s is not in the keyring any more. Store it again, under Secrets and keys or with parley keys set %[2]s %[1]s.", row.Slug, row.Provider))
	case err != nil:
		return "", agent.Wrap(agent.CodeProviderAuth, err, fmt.Sprintf("The key %s of %s could not be read. %s", row.Slug, row.Provider, agent.AsError(err).Message))
	}
	return string(i.Value), nil
}

// PutKey stores a key of a provider, in place of the one with its name.
func (s *Secrets) PutKey(ctx context.Context, provider, name string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	value = []byte(strings.TrimSpace(string(value)))
	switch {
	case !slices.Contains(s.Providers, provider):
		return agent.Errorf(agent.CodeValidation, "There is no provider %.80q. There are: %s.", provider, strings.Join(s.Providers, ", "))
	case !keyName.MatchString(name) || name == EnvironmentKey:
		return agent.Errorf(agent.CodeValidation, "A key cannot be called %.80q. Use letters, digits, dots, _ and -, at most 64, and not %s.", name, EnvironmentKey)
	case len(value) == 0 || slices.ContainsFunc(value, func(b byte) bool { return b <= ' ' || b > '~' }):
		return agent.Errorf(agent.CodeValidation, "This is no API key: it is empty, or has characters that none has. Copy it again. Nothing was stored.")
	}
	if _, err := checkValue(FormatText, value); err != nil {
		return err
	}
	rows, err := s.rows(ctx, provider)
	if err != nil {
		return err
	}
	id := store.SecretID{Provider: provider, Slug: name}
	row := store.Secret{SecretID: id, Name: name, Created: s.Now()}
	begun, held := row, item{}
	begun.Keeping = store.Going
	if was, err := find(rows, id); err == nil {
		row, begun = was, was
		begun.Keeping = store.Changing
		if held, err = s.item(ctx, was); err != nil && !isLost(err) {
			return notDone(was, "changed", err)
		}
		defer held.wipe()
	}
	held.Format = cmp.Or(held.Format, FormatText)
	return s.keep(ctx, begun, &row, held.replace(value))
}

// RemoveKey forgets a key of a provider.
func (s *Secrets) RemoveKey(ctx context.Context, provider, name string) error {
	return s.Remove(ctx, store.SecretID{Provider: provider, Slug: name})
}

// ChooseKey makes a key the one that runs of a project use, or with an empty project those that have chosen none. An empty name
// takes the choice back.
func (s *Secrets) ChooseKey(ctx context.Context, project agent.ProjectID, provider, name string) error {
	err := s.Store.ChooseKey(ctx, project, provider, name)
	if errors.Is(err, store.ErrNotFound) {
		_, err = find(nil, store.SecretID{Provider: provider, Slug: name})
	}
	return err
}
