package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"parley/backend/agent"
)

// Status is where a session stands.
type Status string

// The statuses; the enum is closed.
const (
	Created     Status = "created" // nothing was sent yet
	Idle        Status = "idle"
	Running     Status = "running"
	Paused      Status = "paused"      // its last turn waits for answers
	Interrupted Status = "interrupted" // the app ended in the middle of its last turn
)

// Session is a session as its row tells it.
type Session struct {
	Key          agent.SessionKey
	Agent        agent.Spec // frozen at start
	Title        string
	WorkingDir   string // empty if there is none
	ExportedPath string // the file that it was saved as last, or its name; empty if there is none
	Scope        agent.FileScope
	Status       Status
	Mode         agent.Mode // that was chosen, else the agent's
	Draft        string
	DraftFiles   []agent.Part // of it
	Head         agent.TurnID // the last turn of the branch that is shown; empty before the first
	Turns        int64        // in which a provider was reached
	MaxTurns     int64
	InputTokens  int64
	OutputTokens int64
	NextSeq      int64 // the number of the log's next record
	CreatedAt    time.Time
	UpdatedAt    time.Time
	row          int64
}

const sessionColumns = `key, project, id, agent_snapshot, title, working_dir, exported_path, scope,
	CASE WHEN EXISTS (SELECT 1 FROM turn WHERE turn.session = session.key AND turn.settled_at IS NULL AND turn.paused_at IS NOT NULL)
		THEN 'paused' ELSE status END, mode, draft, draft_files, coalesce(head, ''),
	turns, max_turns, input_tokens, output_tokens, next_seq, created_at, updated_at`

func scanSession(row scanner) (Session, error) {
	var s Session
	var snapshot, files string
	var created, updated int64
	err := row.Scan(&s.row, &s.Key.Project, &s.Key.Session, &snapshot, &s.Title, &s.WorkingDir, &s.ExportedPath, &s.Scope, &s.Status, &s.Mode, &s.Draft, &files, &s.Head,
		&s.Turns, &s.MaxTurns, &s.InputTokens, &s.OutputTokens, &s.NextSeq, &created, &updated)
	if errors.Is(err, sql.ErrNoRows) {
		return Session{}, ErrNotFound
	}
	if err != nil {
		return Session{}, err
	}
	if err := json.Unmarshal([]byte(snapshot), &s.Agent); err != nil {
		return Session{}, fmt.Errorf("agent snapshot of %s: %w", s.Key.Session, err)
	}
	s.Mode = cmp.Or(s.Mode, s.Agent.Permissions.Mode, agent.ModeAsk)
	if s.DraftFiles, err = agent.DecodeParts([]byte(files)); err != nil {
		return Session{}, fmt.Errorf("draft of %s: %w", s.Key.Session, err)
	}
	s.CreatedAt, s.UpdatedAt = instant(created), instant(updated)
	return s, nil
}

// CreateSession stores a new session and opens its log. If the id is taken, also by a deleted session, it is ErrExists.
func (s *Store) CreateSession(ctx context.Context, key agent.SessionKey, spec agent.Spec, workingDir string) error {
	return s.update(ctx, flushed, func(tx tx) error {
		_, err := s.createSession(ctx, tx, key, spec, workingDir)
		return err
	})
}

// createSession gives the session's own number.
func (s *Store) createSession(ctx context.Context, tx tx, key agent.SessionKey, spec agent.Spec, workingDir string) (row int64, err error) {
	snapshot, err := json.Marshal(spec)
	if err != nil {
		return 0, err
	}
	now := milliseconds(s.now())
	err = tx.row(ctx, `INSERT INTO session (project, id, agent, agent_snapshot, working_dir, status, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING key`, key.Project, key.Session, spec.ID, string(snapshot), workingDir, Created, now, now).Scan(&row)
	if isUniqueViolation(err) {
		return 0, ErrExists
	}
	if err != nil {
		return 0, err
	}
	_, err = s.appendLog(ctx, tx, key, "", now, []agent.Event{agent.SessionStarted{Agent: spec.ID, Model: spec.Model, WorkingDir: workingDir}})
	return row, err
}

// Session gives one session, or ErrNotFound.
func (s *Store) Session(ctx context.Context, key agent.SessionKey) (Session, error) {
	return scanSession(s.read.row(ctx, `SELECT `+sessionColumns+` FROM session
		WHERE project = ? AND id = ? AND deleted_at IS NULL`, key.Project, key.Session))
}

// Page is a place in a list of sessions. The zero Page is the start.
type Page struct{ updated, row int64 }

// After is the place that follows s in a list.
func (s Session) After() Page { return Page{milliseconds(s.UpdatedAt), s.row} }

// String is the place in a form that ParsePage reads.
func (p Page) String() string { return fmt.Sprintf("%d.%d", p.updated, p.row) }

// ParsePage reads what String wrote; an empty text is the start.
func ParsePage(text string) (Page, error) {
	var p Page
	if text == "" {
		return p, nil
	}
	if n, err := fmt.Sscanf(text, "%d.%d", &p.updated, &p.row); n != 2 || err != nil || p.String() != text {
		return Page{}, agent.Errorf(agent.CodeValidation, "%q is no place in a list of sessions. Use the value of next.", text)
	}
	return p, nil
}

// Sessions lists a project's sessions, newest first. A session in which nothing was said or written yet is no entry.
func (s *Store) Sessions(ctx context.Context, project agent.ProjectID, after Page, limit int) ([]Session, error) {
	if after == (Page{}) {
		after = Page{math.MaxInt64, math.MaxInt64}
	}
	rows, err := s.read.query(ctx, `SELECT `+sessionColumns+` FROM session
		WHERE project = ? AND deleted_at IS NULL AND (updated_at, key) < (?, ?) AND (head IS NOT NULL OR draft <> '' OR draft_files <> '[]')
		ORDER BY updated_at DESC, key DESC LIMIT ?`, project, after.updated, after.row, limit)
	return list(rows, err, scanSession)
}

// Change is what a person may change about a session. Nil fields stay as they are.
type Change struct {
	Title        *string
	Draft        *string
	MaxTurns     *int64
	Mode         *agent.Mode
	Scope        *agent.FileScope
	WorkingDir   *string
	ExportedPath *string           // it was saved as this file just now, which its log tells too
	Options      map[string]string // of the agent's program; the others stay as they are
	DraftFiles   []agent.Part      // all of them
}

// ChangeSession changes a session, or gives ErrNotFound. A draft does not move the session up in its list.
func (s *Store) ChangeSession(ctx context.Context, key agent.SessionKey, c Change) error {
	defer s.wakeIndex()
	patch, err := json.Marshal(struct {
		Options map[string]string `json:"options,omitempty"` // as agent.Spec has them
	}{c.Options})
	if err != nil {
		return err
	}
	var files *string
	if c.DraftFiles != nil {
		encoded, err := agent.EncodeParts(c.DraftFiles)
		if err != nil {
			return err
		}
		files = new(string(encoded))
	}
	return s.update(ctx, written, func(tx tx) error {
		err := tx.change(ctx, `UPDATE session SET title = coalesce(?, title), draft = coalesce(?, draft), draft_files = coalesce(?, draft_files),
			max_turns = coalesce(?, max_turns), mode = coalesce(?, mode), scope = coalesce(?, scope), working_dir = coalesce(?, working_dir), exported_path = coalesce(?, exported_path), agent_snapshot = json_patch(agent_snapshot, ?)
			WHERE project = ? AND id = ? AND deleted_at IS NULL`, c.Title, c.Draft, files, c.MaxTurns, c.Mode, c.Scope, c.WorkingDir, c.ExportedPath, string(patch), key.Project, key.Session)
		if err == nil && c.ExportedPath != nil {
			_, err = s.appendLog(ctx, tx, key, "", milliseconds(s.now()), []agent.Event{agent.SessionExported{Path: *c.ExportedPath}})
		}
		return err
	})
}

// ChooseAgent gives another agent to a session in which nothing was sent yet; after that it is ErrExists.
func (s *Store) ChooseAgent(ctx context.Context, key agent.SessionKey, spec agent.Spec) error {
	snapshot, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	err = s.updateSession(ctx, `UPDATE session SET agent = ?, agent_snapshot = ?
		WHERE project = ? AND id = ? AND head IS NULL`, spec.ID, string(snapshot), key.Project, key.Session)
	if errors.Is(err, ErrNotFound) {
		return ErrExists
	}
	return err
}

// DeleteSession hides a session; RestoreSession brings it back.
func (s *Store) DeleteSession(ctx context.Context, key agent.SessionKey) error {
	return s.updateSession(ctx, `UPDATE session SET deleted_at = ? WHERE project = ? AND id = ? AND deleted_at IS NULL`,
		milliseconds(s.now()), key.Project, key.Session)
}

// RestoreSession undoes DeleteSession.
func (s *Store) RestoreSession(ctx context.Context, key agent.SessionKey) error {
	return s.updateSession(ctx, `UPDATE session SET deleted_at = NULL WHERE project = ? AND id = ?`, key.Project, key.Session)
}

func (s *Store) updateSession(ctx context.Context, query string, args ...any) error {
	return s.update(ctx, written, func(tx tx) error { return tx.change(ctx, query, args...) })
}
