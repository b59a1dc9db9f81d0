package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"parley/backend/agent"
)

// remake makes the sessions and turns anew that something else belongs to, and ties up the ends of branches. It gives the
// keys of the sessions.
func remake(ctx context.Context, tx tx) (remade []any, err error) {
	sessions, err := values(tx.query(ctx, `SELECT session FROM message UNION SELECT session FROM log UNION SELECT session FROM turn UNION SELECT session FROM queued EXCEPT SELECT key FROM session`))
	if err != nil {
		return nil, err
	}
	unknown := agent.Spec{ID: "demo", Harness: agent.KindScripted}
	snapshot, err := json.Marshal(unknown)
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		remade = append(remade, s[0])
		_, err := tx.exec(ctx, `INSERT INTO session (key, project, id, agent, agent_snapshot, title, working_dir, status, created_at, updated_at)
			SELECT ?1, ?2, 'salvaged-' || ?1, ?3, ?4, 'Salvaged session ' || ?1, '', 'idle', coalesce(min(at), 0), coalesce(max(at), 0) FROM message WHERE session = ?1`,
			s[0], agent.DefaultProject, unknown.ID, string(snapshot))
		if err != nil {
			return nil, err
		}
	}
	turns, err := values(tx.query(ctx, `SELECT turn, session FROM log WHERE turn IS NOT NULL UNION SELECT turn, session FROM message EXCEPT SELECT id, session FROM turn`))
	for _, t := range turns {
		if err == nil {
			err = remakeTurn(ctx, tx, t[0], t[1])
		}
	}
	for _, text := range []string{
		// What came before a turn is what it most likely went on from.
		`UPDATE turn SET parent = (SELECT id FROM turn AS earlier WHERE earlier.session = turn.session AND earlier.first_seq < turn.first_seq ORDER BY first_seq DESC LIMIT 1)
			WHERE parent NOT IN (SELECT id FROM turn)`,
		`UPDATE session SET head = (SELECT id FROM turn WHERE session = session.key ORDER BY first_seq DESC LIMIT 1)
			WHERE head IS NULL OR head NOT IN (SELECT id FROM turn)`,
		`UPDATE session SET next_seq = max(next_seq, (SELECT coalesce(max(first + count), 0) FROM log WHERE session = session.key)),
			next_message = max(next_message, (SELECT coalesce(max(seq) + 1, 0) FROM message WHERE session = session.key)),
			next_queued = max(next_queued, (SELECT coalesce(max(number) + 1, 0) FROM queued WHERE session = session.key))`,
		`DELETE FROM question WHERE turn NOT IN (SELECT id FROM turn)`,
		`UPDATE question SET closed_at = asked_at WHERE closed_at IS NULL AND turn IN (SELECT id FROM turn WHERE settled_at IS NOT NULL)`,
		`DELETE FROM approval WHERE session NOT IN (SELECT key FROM session)`,
		`DELETE FROM secret_use WHERE session NOT IN (SELECT key FROM session) OR secret NOT IN (SELECT key FROM secret)`,
		`DELETE FROM chosen_key WHERE secret NOT IN (SELECT key FROM secret)`,
		`UPDATE workflow_draft SET session = NULL WHERE session NOT IN (SELECT key FROM session)`,
		// Which media there is may differ from what is referred to, both ways; the messages themselves say what they refer to.
		`DELETE FROM message_media WHERE message NOT IN (SELECT key FROM message) OR media NOT IN (SELECT key FROM media)`,
		`INSERT OR IGNORE INTO message_media (message, media) SELECT message.key, media.key FROM message, json_each(message.content) AS part
			JOIN media ON 'media://sha256-' || media.sha256 = part.value ->> 'handle'`,
		`DELETE FROM queued_media WHERE queued NOT IN (SELECT key FROM queued) OR media NOT IN (SELECT key FROM media)`,
		`INSERT OR IGNORE INTO queued_media (queued, media) SELECT queued.key, media.key FROM queued, json_each(queued.content) AS part
			JOIN media ON 'media://sha256-' || media.sha256 = part.value ->> 'handle'`,
		`DELETE FROM media_project WHERE media NOT IN (SELECT key FROM media)`,
		`INSERT OR IGNORE INTO media_project (media, project) SELECT media, project FROM message_media JOIN message ON message.key = message JOIN session ON session.key = session
			UNION SELECT media, project FROM queued_media JOIN queued ON queued.key = queued JOIN session ON session.key = session`,
		`DELETE FROM file_change WHERE turn NOT IN (SELECT id FROM turn) OR before NOT IN (SELECT key FROM media) OR after NOT IN (SELECT key FROM media)`,
		`DELETE FROM media_unused WHERE media NOT IN (SELECT key FROM media)
			OR media IN (SELECT media FROM message_media UNION SELECT media FROM queued_media UNION SELECT before FROM file_change UNION SELECT after FROM file_change)`,
		`INSERT OR IGNORE INTO media_unused (media, since) SELECT key, unixepoch() * 1000 FROM media
			WHERE key NOT IN (SELECT media FROM message_media UNION SELECT media FROM queued_media
				UNION SELECT before FROM file_change WHERE before IS NOT NULL UNION SELECT after FROM file_change WHERE after IS NOT NULL)`,
		`INSERT OR IGNORE INTO search_retitled (session) SELECT key FROM session WHERE title <> ''`,
	} {
		if err == nil {
			_, err = tx.exec(ctx, text)
		}
	}
	return remade, err
}

// remakeTurn leaves the parent empty. The log says how the turn began, if it is still there.
func remakeTurn(ctx context.Context, tx tx, turn, session any) error {
	var body string
	var started agent.TurnStarted
	err := tx.row(ctx, `SELECT events FROM log WHERE session = ? AND turn = ? ORDER BY first LIMIT 1`, session, turn).Scan(&body)
	if err == nil {
		var events []agent.Event
		if events, err = agent.DecodeLog([]byte(body)); len(events) > 0 {
			started, _ = events[0].(agent.TurnStarted)
		}
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = tx.exec(ctx, `INSERT INTO turn (id, session, parent, user_message, message, first_seq, last_seq, stop_reason, started_at, settled_at)
		SELECT ?1, ?2, '', coalesce(nullif(?3, ''), (SELECT id FROM message WHERE session = ?2 AND turn = ?1 AND role = 'user' ORDER BY seq LIMIT 1), 'salvaged-' || ?1),
			coalesce(nullif(?4, ''), 'salvaged-' || ?1), coalesce(min(first), 0), max(first + count - 1), ?5, coalesce(min(at), 0), coalesce(max(at), 0)
		FROM log WHERE session = ?2 AND turn = ?1`, turn, session, started.UserMessage, started.Message, agent.StopCancelled)
	return err
}

// incomplete lists the sessions that had more than there is: messages and records are numbered without gaps.
func incomplete(ctx context.Context, tx tx, remade []any) ([]Incomplete, error) {
	rows, err := tx.query(ctx, `SELECT key, project, id, title, messages, records FROM (
			SELECT key, project, id, title, updated_at, next_message - (SELECT count(*) FROM message WHERE session = session.key) AS messages,
				next_seq - (SELECT coalesce(sum(count), 0) FROM log WHERE session = session.key) AS records FROM session
		) ORDER BY updated_at DESC`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []Incomplete
	for rows.Next() {
		var key int64
		var i Incomplete
		if err := rows.Scan(&key, &i.Key.Project, &i.Key.Session, &i.Title, &i.Messages, &i.Records); err != nil {
			return nil, err
		}
		i.Remade = slices.Contains(remade, any(key))
		if i.Messages > 0 || i.Records > 0 || i.Remade {
			list = append(list, i)
		}
	}
	return list, rows.Err()
}

// values gives all that a query finds, row by row. With an error it gives what came before it.
func values(rows *sql.Rows, err error) ([][]any, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var list [][]any
	for rows.Next() {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return list, err
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// names are values that are one text a row.
func names(list [][]any) []string {
	texts := make([]string, len(list))
	for i, row := range list {
		texts[i], _ = row[0].(string)
	}
	return texts
}
