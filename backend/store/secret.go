package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/backend/agent"
)

// SecretID names a secret, or the key of a provider.
type SecretID struct {
	Provider string          // whose key it is; empty for a named secret
	Project  agent.ProjectID // empty: it is for every project
	Slug     string
}

// Secret is what the history knows of something in the keyring: everything but the value.
type Secret struct {
	SecretID
	Name        string
	Description string
	Tags        []string
	Format      string
	Shown       []string // what may be seen of the value
	Keeping     Keeping
	Created     time.Time
	Expires     time.Time // zero: never
	Used        time.Time // zero: never
}

// Keeping says how far the keyring is with a value.
type Keeping string

// The ways; the enum is closed.
const (
	Kept     Keeping = "kept"
	Changing Keeping = "changing" // the value is as it was, or the new one
	Going    Keeping = "going"    // the value may be there still, or already
)

const selectSecrets = `SELECT provider, project, slug, name, description, tags, format, shown, keeping, created_at, expires_at, used_at FROM secret`

// Secrets gives everything that the keyring keeps, by its names.
func (s *Store) Secrets(ctx context.Context) ([]Secret, error) {
	rows, err := s.read.query(ctx, selectSecrets+` ORDER BY provider, slug, project`)
	return list(rows, err, scanSecret)
}

// UnsettledSecrets gives those that the keyring was not done with.
func (s *Store) UnsettledSecrets(ctx context.Context) ([]Secret, error) {
	rows, err := s.read.query(ctx, selectSecrets+` WHERE keeping <> 'kept'`)
	return list(rows, err, scanSecret)
}

func scanSecret(row scanner) (one Secret, err error) {
	var tags, shown string
	var created int64
	var expires, used sql.NullInt64
	if err := row.Scan(&one.Provider, &one.Project, &one.Slug, &one.Name, &one.Description, &tags, &one.Format, &shown, &one.Keeping, &created, &expires, &used); err != nil {
		return one, err
	}
	one.Created = instant(created)
	if expires.Valid {
		one.Expires = instant(expires.Int64)
	}
	if used.Valid {
		one.Used = instant(used.Int64)
	}
	if err := errors.Join(json.Unmarshal([]byte(tags), &one.Tags), json.Unmarshal([]byte(shown), &one.Shown)); err != nil {
		return one, fmt.Errorf("the secret %s: %w", one.Slug, err)
	}
	return one, nil
}

// PutSecret keeps what is known of a secret, instead of what was; when it was used stays.
func (s *Store) PutSecret(ctx context.Context, one Secret) error {
	tags, err := json.Marshal(append([]string{}, one.Tags...))
	if err != nil {
		return err
	}
	shown, err := json.Marshal(append([]string{}, one.Shown...))
	if err != nil {
		return err
	}
	var expires any
	if !one.Expires.IsZero() {
		expires = milliseconds(one.Expires)
	}
	return s.update(ctx, flushed, func(tx tx) error {
		_, err := tx.exec(ctx, `INSERT INTO secret (provider, project, slug, name, description, tags, format, shown, keeping, created_at, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (provider, project, slug) DO UPDATE SET name = excluded.name, description = excluded.description,
			tags = excluded.tags, format = excluded.format, shown = excluded.shown, keeping = excluded.keeping, created_at = excluded.created_at, expires_at = excluded.expires_at`,
			one.Provider, one.Project, one.Slug, one.Name, one.Description, string(tags), one.Format, string(shown), one.Keeping, milliseconds(one.Created), expires)
		return err
	})
}

// secretOf is the key of a secret's row.
const secretOf = `(SELECT key FROM secret WHERE provider = ? AND project = ? AND slug = ?)`

// ForgetSecret removes what is known of a secret, with its uses, or gives ErrNotFound.
func (s *Store) ForgetSecret(ctx context.Context, id SecretID) error {
	return s.erase(ctx, func(tx tx) error {
		for _, table := range []string{"secret_use", "chosen_key"} {
			if _, err := tx.exec(ctx, `DELETE FROM `+table+` WHERE secret = `+secretOf, id.Provider, id.Project, id.Slug); err != nil {
				return err
			}
		}
		return tx.change(ctx, `DELETE FROM secret WHERE provider = ? AND project = ? AND slug = ?`, id.Provider, id.Project, id.Slug)
	})
}

// SecretUse is one use of a secret.
type SecretUse struct {
	Session agent.SessionID
	Title   string // of that session
	Tool    string
	At      time.Time
}

// UseSecret notes that a tool of a session uses a secret, or gives ErrNotFound.
func (s *Store) UseSecret(ctx context.Context, id SecretID, key agent.SessionKey, tool string) error {
	now := milliseconds(s.now())
	return s.update(ctx, written, func(tx tx) error {
		if err := tx.change(ctx, `UPDATE secret SET used_at = ? WHERE provider = ? AND project = ? AND slug = ?`, now, id.Provider, id.Project, id.Slug); err != nil {
			return err
		}
		return tx.change(ctx, `INSERT INTO secret_use (secret, session, tool, at) SELECT `+secretOf+`, key, ?, ? FROM session WHERE project = ? AND id = ?`,
			id.Provider, id.Project, id.Slug, tool, now, key.Project, key.Session)
	})
}

// SecretUses gives the last uses of a secret, the newest first.
func (s *Store) SecretUses(ctx context.Context, id SecretID, most int) ([]SecretUse, error) {
	rows, err := s.read.query(ctx, `SELECT session.id, session.title, secret_use.tool, secret_use.at FROM secret_use JOIN session ON session.key = secret_use.session
		WHERE secret_use.secret = `+secretOf+` ORDER BY secret_use.key DESC LIMIT ?`, id.Provider, id.Project, id.Slug, most)
	return list(rows, err, func(row scanner) (u SecretUse, err error) {
		var at int64
		err = row.Scan(&u.Session, &u.Title, &u.Tool, &at)
		u.At = instant(at)
		return u, err
	})
}

// ChooseKey keeps which of a provider's keys a project uses, or with an empty project those that have chosen none. An empty
// name takes the choice back; ErrNotFound if there is no such key.
func (s *Store) ChooseKey(ctx context.Context, project agent.ProjectID, provider, name string) error {
	return s.update(ctx, flushed, func(tx tx) error {
		if name == "" {
			_, err := tx.exec(ctx, `DELETE FROM chosen_key WHERE project = ? AND provider = ?`, project, provider)
			return err
		}
		return tx.change(ctx, `INSERT OR REPLACE INTO chosen_key (project, provider, secret) SELECT ?, provider, key FROM secret WHERE provider = ? AND project = '' AND slug = ?`,
			project, provider, name)
	})
}

// ChosenKeys gives the names of the keys that a project uses, by their providers.
func (s *Store) ChosenKeys(ctx context.Context, project agent.ProjectID) (map[string]string, error) {
	rows, err := s.read.query(ctx, `SELECT chosen_key.provider, secret.slug FROM chosen_key JOIN secret ON secret.key = chosen_key.secret
		WHERE chosen_key.project IN (?, '') ORDER BY chosen_key.project`, project)
	chosen := map[string]string{}
	_, err = list(rows, err, func(row scanner) (none struct{}, err error) {
		var provider, name string
		err = row.Scan(&provider, &name)
		chosen[provider] = name // the project's own comes after the one of all
		return none, err
	})
	return chosen, err
}
