package store

import (
	"context"
	"fmt"

	"parley/backend/agent"
)

// Fork copies the branch that ends in head, with its log and messages, into a new session of the same project and another
// agent, or the same. Turns get
// ids of their own; messages keep theirs. What a turn says that is not settled yet is not copied, and neither is what was
// approved for the whole session: the new one asks again. A head that is no turn of the session is ErrNotFound, an id that
// is taken ErrExists.
func (s *Store) Fork(ctx context.Context, from agent.SessionKey, head agent.TurnID, to agent.SessionID, spec agent.Spec) error {
	err := s.update(ctx, flushed, func(tx tx) error {
		// Nobody else writes meanwhile, so what readers find is what there is.
		original, err := s.Session(ctx, from)
		if err != nil {
			return err
		}
		if _, err := scanTurn(s.read.row(ctx, `SELECT `+turnColumns+` FROM turn WHERE id = ? AND session = ?`, head, original.row)); err != nil {
			return err
		}
		turns, err := s.Branch(ctx, head, 1<<40)
		if err != nil {
			return err
		}
		f := fork{store: s, tx: tx, from: original.row, key: agent.SessionKey{Project: from.Project, Session: to}, nextSeq: 1, sent: map[agent.MessageID]bool{}}
		if f.row, err = s.createSession(ctx, tx, f.key, spec, original.WorkingDir); err != nil {
			return err
		}
		for _, t := range turns {
			if t.SettledAt.IsZero() {
				continue
			}
			if err := f.copy(ctx, t); err != nil {
				return fmt.Errorf("copy turn %s: %w", t.ID, err)
			}
		}
		return f.finish(ctx, original)
	})
	s.wakeIndex()
	return err
}

// fork is a session that turns are copied into.
type fork struct {
	store     *Store
	tx        tx
	from, row int64 // the sessions, by their own numbers
	key       agent.SessionKey
	head      agent.TurnID // the last turn so far
	sent      map[agent.MessageID]bool
	nextSeq   int64
	messages  int64
	turns     int64
	usage     agent.Usage
}

// copy copies one turn, which goes on from the one before it.
func (f *fork) copy(ctx context.Context, t Turn) error {
	id := agent.NewTurnID()
	first, last, err := f.copyLog(ctx, t.ID, id)
	if err != nil {
		return err
	}
	_, err = f.tx.exec(ctx, `INSERT INTO turn (id, session, parent, user_message, message, first_seq, last_seq, stop_reason, started_at, settled_at)
		SELECT ?, ?, nullif(?, ''), user_message, message, ?, ?, stop_reason, started_at, settled_at FROM turn WHERE id = ?`,
		id, f.row, f.head, first, last, t.ID)
	if err != nil {
		return err
	}
	f.head = id
	user := t.UserMessage
	if f.sent[user] { // twice on one branch, which only salvage leaves
		user = ""
	}
	f.sent[user] = true
	result, err := f.tx.exec(ctx, `INSERT INTO message (session, seq, id, turn, role, content, model, at)
		SELECT ?1, ?2 + row_number() OVER (ORDER BY id <> ?5, seq), id, ?3, role, content, model, at FROM message
		WHERE session = ?4 AND id = ?5 OR turn = ?6 AND id <> ?7`, f.row, f.messages-1, id, f.from, user, t.ID, t.UserMessage)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	f.messages += n
	return err
}

// copyLog copies what is logged of a turn, and adds up what it used. It gives the numbers of the first and the last record.
func (f *fork) copyLog(ctx context.Context, from, to agent.TurnID) (first, last int64, err error) {
	records, err := f.store.TurnLog(ctx, from)
	if err != nil {
		return 0, 0, err
	}
	return f.writeLog(ctx, records, to)
}

// writeLog stores the log of a turn under the turn's new id.
func (f *fork) writeLog(ctx context.Context, records []agent.Record, to agent.TurnID) (first, last int64, err error) {
	if len(records) > 2 { // more than a beginning and an end
		f.turns++
	}
	first = f.nextSeq
	for len(records) > 0 {
		at := records[0].At
		var events []agent.Event
		for len(records) > 0 && records[0].At.Equal(at) {
			events = append(events, f.copied(records[0].Event, to))
			records = records[1:]
		}
		if _, err := f.store.appendLog(ctx, f.tx, f.key, to, milliseconds(at), events); err != nil {
			return 0, 0, err
		}
		f.nextSeq += int64(len(events))
	}
	return first, f.nextSeq - 1, nil
}

func (f *fork) copied(e agent.Event, turn agent.TurnID) agent.Event {
	switch e := e.(type) {
	case agent.TurnStarted:
		e.Turn = turn
		return e
	case agent.TurnCompleted:
		f.usage.Input += e.Usage.Input
		f.usage.Output += e.Usage.Output
	}
	return e
}

// finish gives the copy what its turns add up to.
func (f *fork) finish(ctx context.Context, original Session) error {
	_, err := f.tx.exec(ctx, `INSERT INTO message_media (message, media) SELECT copy.key, message_media.media
		FROM message AS copy JOIN message AS original ON original.session = ? AND original.id = copy.id
		JOIN message_media ON message_media.message = original.key WHERE copy.session = ?`, f.from, f.row)
	if err != nil {
		return err
	}
	title, status := original.Title, Created
	if title != "" {
		title += " (fork)"
	}
	if f.head != "" {
		status = Idle
	}
	return f.tx.change(ctx, `UPDATE session SET title = ?, scope = ?, status = ?, head = nullif(?, ''), max_turns = ?, next_message = ?,
		turns = ?, input_tokens = ?, output_tokens = ? WHERE key = ?`,
		title, original.Scope, status, f.head, original.MaxTurns, f.messages, f.turns, f.usage.Input, f.usage.Output, f.row)
}
