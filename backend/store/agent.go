package store

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/backend/agent"
)

// Agents gives the agents that were made in the app, the oldest first.
func (s *Store) Agents(ctx context.Context) ([]agent.Spec, error) {
	rows, err := s.read.query(ctx, `SELECT spec FROM agent ORDER BY key`)
	return list(rows, err, func(row scanner) (spec agent.Spec, err error) {
		var text string
		if err = row.Scan(&text); err != nil {
			return spec, err
		}
		if err = json.Unmarshal([]byte(text), &spec); err != nil {
			err = fmt.Errorf("an agent that was made in the app: %w", err)
		}
		return spec, err
	})
}

// PutAgent keeps an agent, instead of the one with its id.
func (s *Store) PutAgent(ctx context.Context, spec agent.Spec) error {
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	return s.update(ctx, flushed, func(tx tx) error {
		_, err := tx.exec(ctx, `INSERT INTO agent (id, spec) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET spec = excluded.spec`, spec.ID, string(text))
		return err
	})
}

// DeleteAgent removes an agent, or gives ErrNotFound.
func (s *Store) DeleteAgent(ctx context.Context, id string) error {
	return s.update(ctx, flushed, func(tx tx) error { return tx.change(ctx, `DELETE FROM agent WHERE id = ?`, id) })
}

// Trusts reports whether the person trusts the files of a project.
func (s *Store) Trusts(ctx context.Context, project agent.ProjectID) (trusted bool, err error) {
	err = s.read.row(ctx, `SELECT EXISTS (SELECT 1 FROM trusted WHERE project = ?)`, project).Scan(&trusted)
	return trusted, err
}

// Trust keeps whether the person trusts the files of a project.
func (s *Store) Trust(ctx context.Context, project agent.ProjectID, trusted bool) error {
	text := `DELETE FROM trusted WHERE project = ?`
	if trusted {
		text = `INSERT OR IGNORE INTO trusted (project) VALUES (?)`
	}
	return s.update(ctx, flushed, func(tx tx) error {
		_, err := tx.exec(ctx, text, project)
		return err
	})
}
