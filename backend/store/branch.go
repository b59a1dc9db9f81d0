package store

import (
	"context"
	"database/sql"
	"errors"

	"parley/backend/agent"
)

// path is the branch that ends in a turn, walked backwards: its parameters are that turn and how many to walk.
const path = `WITH RECURSIVE path (id, parent, depth) AS (
	SELECT id, parent, 0 FROM turn WHERE id = ?
	UNION ALL
	SELECT turn.id, turn.parent, depth + 1 FROM path JOIN turn ON turn.id = path.parent WHERE depth + 1 < ?
) `

// Branch gives the last turns of the branch that ends in head, oldest first: at most limit, however long the session.
func (s *Store) Branch(ctx context.Context, head agent.TurnID, limit int) ([]Turn, error) {
	return s.listTurns(ctx, path+`SELECT `+turnColumns+` FROM path JOIN turn ON turn.id = path.id ORDER BY depth DESC`, head, limit)
}

// Path gives the turns of the branch that ends in head, oldest first.
func (s *Store) Path(ctx context.Context, head agent.TurnID) ([]agent.TurnID, error) {
	rows, err := s.read.query(ctx, path+`SELECT id FROM path ORDER BY depth DESC`, head, 1<<40)
	return list(rows, err, scanColumn[agent.TurnID])
}

// ChooseHead makes another branch the one that is shown. head must be a turn of the session; else it is ErrNotFound.
func (s *Store) ChooseHead(ctx context.Context, key agent.SessionKey, head agent.TurnID) error {
	return s.updateSession(ctx, `UPDATE session SET head = ?1 WHERE project = ?2 AND id = ?3 AND deleted_at IS NULL
		AND EXISTS (SELECT 1 FROM turn WHERE turn.id = ?1 AND turn.session = session.key)`, head, key.Project, key.Session)
}

// Leaf gives the end of the branch that goes on from a turn: at each fork the way that was begun last.
func (s *Store) Leaf(ctx context.Context, turn agent.TurnID) (leaf agent.TurnID, err error) {
	err = s.read.row(ctx, `WITH RECURSIVE way (id, session, depth) AS (
			SELECT id, session, 0 FROM turn WHERE id = ?
			UNION ALL
			SELECT (SELECT next.id FROM turn AS next WHERE next.parent = way.id AND next.session = way.session ORDER BY next.first_seq DESC LIMIT 1),
				session, depth + 1 FROM way WHERE id IS NOT NULL
		) SELECT id FROM way WHERE id IS NOT NULL ORDER BY depth DESC LIMIT 1`, turn).Scan(&leaf)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return leaf, err
}

// Siblings gives the turns that begin where t does, t among them, oldest first.
func (s *Store) Siblings(ctx context.Context, t Turn) ([]Turn, error) {
	return s.listTurns(ctx, `SELECT `+turnColumns+` FROM turn AS one JOIN turn ON turn.parent IS one.parent AND turn.session = one.session
		WHERE one.id = ? ORDER BY turn.first_seq`, t.ID)
}
