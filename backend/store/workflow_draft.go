package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley/backend/agent"
)

// WorkflowDraft is work on a workflow that is not in its file yet.
type WorkflowDraft struct {
	Path      string // of the file, in a folder
	Source    string
	Replaces  string          // the version of the file that it began with; empty if there was none
	Session   agent.SessionID // that it was made of; empty if of none
	ChangedAt time.Time
}

// WorkflowDrafts gives the drafts of a project for the files in a folder, without their sources, sorted by their paths. A project has
// one folder at a time; the default one has that in which Parley was started.
func (s *Store) WorkflowDrafts(ctx context.Context, project agent.ProjectID, folder string) ([]WorkflowDraft, error) {
	rows, err := s.read.query(ctx, `SELECT path, '', replaces, (SELECT id FROM session WHERE key = workflow_draft.session), changed_at FROM workflow_draft
		WHERE project = ? AND folder = ? ORDER BY path`, project, folder)
	return list(rows, err, scanWorkflowDraft)
}

// WorkflowDraft gives the draft for a file, or ErrNotFound.
func (s *Store) WorkflowDraft(ctx context.Context, project agent.ProjectID, folder, path string) (WorkflowDraft, error) {
	d, err := scanWorkflowDraft(s.read.row(ctx, `SELECT path, source, replaces, (SELECT id FROM session WHERE key = workflow_draft.session), changed_at FROM workflow_draft
		WHERE project = ? AND folder = ? AND path = ?`, project, folder, path))
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return d, err
}

func scanWorkflowDraft(row scanner) (d WorkflowDraft, err error) {
	var session sql.NullString
	var changed int64
	err = row.Scan(&d.Path, &d.Source, &d.Replaces, &session, &changed)
	d.Session, d.ChangedAt = agent.SessionID(session.String), instant(changed)
	return d, err
}

// PutWorkflowDraft keeps a draft, instead of the one for its file. When it changed is now. A session that the project does not have
// is left out: the work is kept even if what it was made of has gone.
func (s *Store) PutWorkflowDraft(ctx context.Context, project agent.ProjectID, folder string, d WorkflowDraft) error {
	return s.update(ctx, written, func(tx tx) error {
		_, err := tx.exec(ctx, `INSERT INTO workflow_draft (project, folder, path, source, replaces, session, changed_at)
			VALUES (?1, ?2, ?3, ?4, ?5, (SELECT key FROM session WHERE project = ?1 AND id = ?6), ?7)
			ON CONFLICT (project, folder, path) DO UPDATE SET source = excluded.source, replaces = excluded.replaces, session = excluded.session, changed_at = excluded.changed_at`,
			project, folder, d.Path, d.Source, d.Replaces, d.Session, milliseconds(s.now()))
		return err
	})
}

// DeleteWorkflowDraft removes the draft for a file; that there is none is no error.
func (s *Store) DeleteWorkflowDraft(ctx context.Context, project agent.ProjectID, folder, path string) error {
	return s.update(ctx, written, func(tx tx) error {
		_, err := tx.exec(ctx, `DELETE FROM workflow_draft WHERE project = ? AND folder = ? AND path = ?`, project, folder, path)
		return err
	})
}

// RewriteWorkflowDrafts changes the sources of a project's drafts, of all if that is empty, and gives how many changed. What is
// replaced is overwritten on the disk.
func (s *Store) RewriteWorkflowDrafts(ctx context.Context, project agent.ProjectID, text func(string) string) (changed int, err error) {
	err = s.erase(ctx, func(tx tx) error {
		changed = 0
		found, err := cells(tx.query(ctx, `SELECT key, source FROM workflow_draft WHERE ?1 = '' OR project = ?1`, project))
		if err != nil {
			return err
		}
		for _, c := range found {
			rewritten := text(c.value)
			if rewritten == c.value {
				continue
			}
			changed++
			if _, err := tx.exec(ctx, `UPDATE workflow_draft SET source = ? WHERE key = ?`, rewritten, c.row); err != nil {
				return err
			}
		}
		return nil
	})
	return changed, err
}
