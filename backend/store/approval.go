package store

import (
	"context"
	"time"

	"parley/backend/agent"
)

// Approval is what a person allowed for longer than once: the calls that a pattern matches.
type Approval struct {
	ID      int64
	Pattern string
	Scope   agent.Scope
	Session agent.SessionID // of the scope session, with its title
	Title   string
	At      time.Time
}

// allow stores what an answer allows for longer than once. What is allowed always is of no project.
func allow(ctx context.Context, tx tx, project agent.ProjectID, session int64, r agent.InteractionResponse, now int64) error {
	var of any
	switch {
	case !r.Approved || r.Rule == "":
		return nil
	case r.Scope == agent.ScopeSession:
		of = session
	case r.Scope == agent.ScopeThisProject:
	case r.Scope == agent.ScopeAlways:
		project = ""
	default:
		return nil
	}
	_, err := tx.exec(ctx, `INSERT OR IGNORE INTO approval (project, session, pattern, at) VALUES (?, ?, ?, ?)`, project, of, r.Rule, now)
	return err
}

// Allowed gives the patterns of the calls that are allowed in a session.
func (s *Store) Allowed(ctx context.Context, key agent.SessionKey) ([]string, error) {
	rows, err := s.read.query(ctx, `SELECT pattern FROM approval WHERE session = (SELECT key FROM session WHERE project = ? AND id = ?)
		UNION SELECT pattern FROM approval WHERE session IS NULL AND project IN (?, '') ORDER BY pattern`, key.Project, key.Session, key.Project)
	return list(rows, err, scanColumn[string])
}

// Approvals lists what is allowed in a project, the newest first.
func (s *Store) Approvals(ctx context.Context, project agent.ProjectID) ([]Approval, error) {
	rows, err := s.read.query(ctx, `SELECT approval.key, approval.pattern,
			CASE WHEN approval.session IS NOT NULL THEN 'session' WHEN approval.project = '' THEN 'always' ELSE 'project' END,
			coalesce(session.id, ''), coalesce(session.title, ''), approval.at
		FROM approval LEFT JOIN session ON session.key = approval.session
		WHERE approval.project IN (?, '') AND session.deleted_at IS NULL ORDER BY approval.at DESC, approval.key DESC`, project)
	return list(rows, err, func(row scanner) (a Approval, err error) {
		var at int64
		err = row.Scan(&a.ID, &a.Pattern, &a.Scope, &a.Session, &a.Title, &at)
		a.At = instant(at)
		return a, err
	})
}

// Revoke takes an approval of a project back. One that is for every project is taken back only if everywhere is set; what is
// not there, or not to be taken back, is ErrNotFound.
func (s *Store) Revoke(ctx context.Context, project agent.ProjectID, id int64, everywhere bool) error {
	return s.update(ctx, flushed, func(tx tx) error {
		return tx.change(ctx, `DELETE FROM approval WHERE key = ? AND (project = ? OR project = '' AND ?)`, id, project, everywhere)
	})
}
