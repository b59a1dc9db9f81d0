package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"parley/backend/agent"
)

// Rewriting says what becomes of what a session holds. Each of its functions gives back what it leaves as it is.
type Rewriting struct {
	Text   func(string) string
	Parts  func([]agent.Part) []agent.Part
	Events func([]agent.Event) []agent.Event // of one turn, in order; as many come back, since each keeps its number
}

// EverySession gives the keys of all sessions of a project, or of all projects if that is empty; those that were deleted too.
func (s *Store) EverySession(ctx context.Context, project agent.ProjectID) ([]agent.SessionKey, error) {
	rows, err := s.read.query(ctx, `SELECT project, id FROM session WHERE ?1 = '' OR project = ?1 ORDER BY key`, project)
	return list(rows, err, func(row scanner) (key agent.SessionKey, err error) { return key, row.Scan(&key.Project, &key.Session) })
}

// Rewrite changes what was said in a session, and in its log, title, draft and queue, all or nothing, and gives how many of
// these changed. What is replaced is overwritten on the disk, and search forgets its words soon after. The contents of files,
// the agent as it was frozen, and what a person allowed stay as they are.
func (s *Store) Rewrite(ctx context.Context, key agent.SessionKey, r Rewriting) (changed int, err error) {
	err = s.erase(ctx, func(tx tx) error {
		changed = 0
		var session int64
		err := tx.row(ctx, `SELECT key FROM session WHERE project = ? AND id = ?`, key.Project, key.Session).Scan(&session)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		for _, rewrite := range r.steps() {
			n, err := rewrite(ctx, tx, session)
			if err != nil {
				return err
			}
			changed += n
		}
		if changed == 0 {
			return nil
		}
		s.forgotten.Store(true) // the indexer may have read what was there before
		_, err = tx.exec(ctx, `INSERT OR REPLACE INTO search_forgetting (only, step) VALUES (1, 0)`)
		return err
	})
	if err == nil && changed > 0 {
		s.wakeIndex()
		wake(s.uncollected)
	}
	return changed, err
}

func (r Rewriting) steps() []func(context.Context, tx, int64) (int, error) {
	return []func(context.Context, tx, int64) (int, error){r.log, r.questions, r.messages, r.queue, r.texts}
}

// cell is a value of a column, and the row that it is in.
type cell struct {
	row   any
	value string
}

func cells(rows *sql.Rows, err error) ([]cell, error) {
	return list(rows, err, func(row scanner) (c cell, err error) { return c, row.Scan(&c.row, &c.value) })
}

// log rewrites turn by turn: what is said in pieces goes over from row to row.
func (r Rewriting) log(ctx context.Context, tx tx, session int64) (changed int, err error) {
	type part struct {
		first  int64
		turn   string
		events []agent.Event
	}
	rows, err := tx.query(ctx, `SELECT first, coalesce(turn, ''), events FROM log WHERE session = ? ORDER BY first`, session)
	parts, err := list(rows, err, func(row scanner) (p part, err error) {
		var body string
		if err = row.Scan(&p.first, &p.turn, &body); err == nil {
			p.events, err = agent.DecodeLog([]byte(body))
		}
		return p, err
	})
	if err != nil {
		return 0, err
	}
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].turn == parts[0].turn {
			n++
		}
		var events []agent.Event
		for _, p := range parts[:n] {
			events = append(events, p.events...)
		}
		rewritten := r.Events(events)
		if len(rewritten) != len(events) {
			return 0, fmt.Errorf("rewrite the log of %s: %d events became %d", parts[0].turn, len(events), len(rewritten))
		}
		for _, p := range parts[:n] {
			was, err := agent.EncodeLog(p.events)
			if err != nil {
				return 0, err
			}
			body, err := agent.EncodeLog(rewritten[:len(p.events)])
			if err != nil {
				return 0, err
			}
			rewritten = rewritten[len(p.events):]
			if string(body) == string(was) {
				continue
			}
			changed++
			if _, err := tx.exec(ctx, `UPDATE log SET events = ? WHERE session = ? AND first = ?`, string(body), session, p.first); err != nil {
				return 0, err
			}
		}
		parts = parts[n:]
	}
	return changed, nil
}

// questions rewrites what the log says of them, once more.
func (r Rewriting) questions(ctx context.Context, tx tx, session int64) (changed int, err error) {
	for _, column := range []string{"request", "answer"} {
		found, err := cells(tx.query(ctx, `SELECT id, `+column+` FROM question WHERE `+column+` IS NOT NULL AND turn IN (SELECT id FROM turn WHERE session = ?)`, session))
		if err != nil {
			return 0, err
		}
		for _, c := range found {
			event, err := agent.DecodeEvent([]byte(c.value))
			if err != nil {
				return 0, err
			}
			body, err := agent.EncodeEvent(r.Events([]agent.Event{event})[0])
			if err != nil {
				return 0, err
			}
			if string(body) == c.value {
				continue
			}
			if _, err := tx.exec(ctx, `UPDATE question SET `+column+` = ? WHERE id = ?`, string(body), c.row); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil // each was counted as a part of the log
}

// parts rewrites the content of a message; it gives an empty one for what stays as it is.
func (r Rewriting) parts(content string) (string, error) {
	parts, err := agent.DecodeParts([]byte(content))
	if err != nil {
		return "", err
	}
	was, err := agent.EncodeParts(parts)
	if err != nil {
		return "", err
	}
	body, err := agent.EncodeParts(r.Parts(parts))
	if err != nil || string(body) == string(was) {
		return "", err
	}
	return string(body), nil
}

// messages rewrites them, and what search has of them.
func (r Rewriting) messages(ctx context.Context, tx tx, session int64) (changed int, err error) {
	type row struct {
		key            int64
		role           agent.Role
		content, agent string
		project        agent.ProjectID
	}
	rows, err := tx.query(ctx, `SELECT message.key, message.role, message.content, session.project, session.agent
		FROM message JOIN session ON session.key = message.session WHERE session.key = ?`, session)
	found, err := list(rows, err, func(from scanner) (m row, err error) {
		return m, from.Scan(&m.key, &m.role, &m.content, &m.project, &m.agent)
	})
	if err != nil {
		return 0, err
	}
	var indexed int64
	if err := tx.row(ctx, `SELECT message FROM search_progress`).Scan(&indexed); err != nil {
		return 0, err
	}
	var fresh freshWords
	var again []entry
	for _, m := range found {
		content, err := r.parts(m.content)
		if err != nil {
			return 0, err
		}
		if content == "" {
			continue
		}
		changed++
		if _, err := tx.exec(ctx, `UPDATE message SET content = ? WHERE key = ?`, content, m.key); err != nil {
			return 0, err
		}
		if m.key <= indexed {
			again = append(again, messageEntry(&fresh, m.key, m.role, []byte(content), m.project, m.agent))
		}
	}
	if err := indexWords(ctx, tx, fresh.list); err != nil {
		return 0, err
	}
	for _, e := range again {
		if _, err := tx.exec(ctx, `DELETE FROM search WHERE rowid = ?`, e.key); err != nil {
			return 0, err
		}
		if err := indexMessage(ctx, tx, e); err != nil {
			return 0, err
		}
	}
	return changed, nil
}

func (r Rewriting) queue(ctx context.Context, tx tx, session int64) (changed int, err error) {
	found, err := cells(tx.query(ctx, `SELECT key, content FROM queued WHERE session = ?`, session))
	if err != nil {
		return 0, err
	}
	for _, c := range found {
		content, err := r.parts(c.value)
		if err != nil {
			return 0, err
		}
		if content == "" {
			continue
		}
		changed++
		if _, err := tx.exec(ctx, `UPDATE queued SET content = ? WHERE key = ?`, content, c.row); err != nil {
			return 0, err
		}
	}
	return changed, nil
}

// texts rewrites the title and the draft.
func (r Rewriting) texts(ctx context.Context, tx tx, session int64) (changed int, err error) {
	for _, column := range []string{"title", "draft"} {
		var text string
		if err := tx.row(ctx, `SELECT `+column+` FROM session WHERE key = ?`, session).Scan(&text); err != nil {
			return 0, err
		}
		rewritten := r.Text(text)
		if rewritten == text {
			continue
		}
		changed++
		if _, err := tx.exec(ctx, `UPDATE session SET `+column+` = ? WHERE key = ?`, rewritten, session); err != nil {
			return 0, err
		}
	}
	return changed, nil
}
