package vault

import (
	"context"
	"errors"
	"time"

	"parley/backend/redact"
	"parley/backend/store"
)

// Known gives every value that nobody may see: those of the secrets of all projects, those that they had before, and the keys
// of providers. It is read once, and again after a change.
func (s *Secrets) Known(ctx context.Context) (*redact.Known, error) {
	if read := s.loaded.Load(); read != nil {
		return read.known, nil
	}
	s.asking.Lock()
	defer s.asking.Unlock()
	if time.Now().Before(s.refused.until) {
		return nil, s.refused.err
	}
	began := time.Now()
	read, err := s.load(ctx)
	if err != nil {
		if took := time.Since(began); ctx.Err() == nil {
			s.refused = refusal{err, time.Now().Add(2 * took)}
		}
		return nil, err
	}
	return read.known, nil
}

// refusal is why the keyring could not be read. It stands for a while: whoever speaks in a turn asks many times a second, and
// must not wait each time for a keychain that hangs.
type refusal struct {
	err   error
	until time.Time
}

// load reads everything that the keyring keeps, if that was not done since the last change.
func (s *Secrets) load(ctx context.Context) (*loading, error) {
	if read := s.loaded.Load(); read != nil {
		return read, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if read := s.loaded.Load(); read != nil {
		return read, nil
	}
	if err := s.settleAll(ctx); err != nil {
		return nil, err
	}
	rows, err := s.Store.Secrets(ctx)
	if err != nil {
		return nil, err
	}
	read := &loading{}
	var values []redact.Value
	for _, row := range rows {
		i, err := s.item(ctx, row)
		if errors.Is(err, ErrNotFound) {
			read.missing = append(read.missing, row.SecretID)
			continue
		}
		if err != nil {
			return nil, err
		}
		values = append(values, hidden(row.SecretID, i)...)
		i.wipe()
	}
	for _, provider := range s.Providers {
		if _, value := s.Environment(provider); value != "" {
			values = append(values, redact.Value{Name: provider, Text: value})
		}
	}
	read.known = redact.New(values)
	s.loaded.Store(read)
	return read, nil
}

// KnownOf gives the values of one secret, those that it had before too.
func (s *Secrets) KnownOf(ctx context.Context, row store.Secret) (*redact.Known, error) {
	i, err := s.item(ctx, row)
	if err != nil {
		return nil, err
	}
	defer i.wipe()
	return redact.New(hidden(row.SecretID, i)), nil
}

// settleAll brings to an end what the keyring was not done with. A history that can only be read stays as it is.
func (s *Secrets) settleAll(ctx context.Context) error {
	if s.Store.ReadOnly() {
		return nil
	}
	rows, err := s.Store.UnsettledSecrets(ctx)
	for _, row := range rows {
		err = errors.Join(err, s.settle(ctx, row))
	}
	return err
}

// hidden are the texts of an item, under the name that takes their place.
func hidden(id store.SecretID, i item) (values []redact.Value) {
	name := id.Slug
	if id.Provider != "" {
		name = id.Provider
	}
	for _, value := range append(i.Former, i.Value) {
		values = append(values, redact.Value{Name: name, Text: string(value)})
		fields, _ := readFields(value) // a text that looks like JSON has parts as well, and a former value may have been JSON
		for _, f := range fields {
			if !f.isWord && !f.isShort {
				values = append(values, redact.Value{Name: name, Text: f.text})
			}
		}
	}
	return values
}
