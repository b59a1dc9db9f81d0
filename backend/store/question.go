package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"parley/backend/agent"
)

// Question is something that a turn waits for, or waited for.
type Question struct {
	Key     agent.SessionKey
	Title   string // of the session
	Agent   string // its name, or its id
	Turn    agent.TurnID
	Request agent.InteractionRequest
	Answer  *agent.InteractionResponse // nil until it is answered, and for ever if its turn ended before
	AskedAt time.Time
}

// ErrNotPaused is returned for the answer to a question whose turn is still busy with what it can do without.
var ErrNotPaused = errors.New("not paused yet")

// ask stores a request that was just logged.
func ask(ctx context.Context, tx tx, r agent.Record, request agent.InteractionRequest) error {
	body, err := agent.EncodeEvent(request)
	if err == nil {
		_, err = tx.exec(ctx, `INSERT INTO question (id, turn, seq, request, asked_at) VALUES (?, ?, ?, ?, ?)`,
			request.ID, r.Turn, r.Seq, string(body), milliseconds(r.At))
	}
	return err
}

// selectQuestion goes from questions to their sessions, by CROSS JOINs: the other way SQLite would read every turn of a project.
const selectQuestion = `SELECT session.project, session.id, session.title, coalesce(session.agent_snapshot ->> 'name', session.agent), question.turn, question.request, question.answer, question.asked_at
	FROM question CROSS JOIN turn ON turn.id = question.turn CROSS JOIN session ON session.key = turn.session `

func scanQuestion(row scanner) (Question, error) {
	var q Question
	var request string
	var answer sql.NullString
	var asked int64
	if err := row.Scan(&q.Key.Project, &q.Key.Session, &q.Title, &q.Agent, &q.Turn, &request, &answer, &asked); err != nil {
		return Question{}, err
	}
	q.AskedAt = instant(asked)
	event, err := agent.DecodeEvent([]byte(request))
	if err == nil {
		q.Request, _ = event.(agent.InteractionRequest)
	}
	if err == nil && answer.Valid {
		event, err = agent.DecodeEvent([]byte(answer.String))
		response, _ := event.(agent.InteractionResponse)
		q.Answer = &response
	}
	if err != nil {
		return Question{}, fmt.Errorf("question of %s: %w", q.Turn, err)
	}
	return q, nil
}

// Question gives a question of a project's session, or ErrNotFound.
func (s *Store) Question(ctx context.Context, project agent.ProjectID, id agent.InteractionID) (Question, error) {
	q, err := scanQuestion(s.read.row(ctx, selectQuestion+`WHERE question.id = ? AND session.project = ? AND session.deleted_at IS NULL`, id, project))
	if errors.Is(err, sql.ErrNoRows) {
		return Question{}, ErrNotFound
	}
	return q, err
}

// Questions gives those of a turn, in the order in which they were asked.
func (s *Store) Questions(ctx context.Context, turn agent.TurnID) ([]Question, error) {
	return s.listQuestions(ctx, `WHERE question.turn = ? ORDER BY question.seq`, turn)
}

// OpenQuestions gives everything that waits for an answer in a project, oldest first. What a turn asks waits once the turn
// does.
func (s *Store) OpenQuestions(ctx context.Context, project agent.ProjectID) ([]Question, error) {
	return s.listQuestions(ctx, `WHERE question.closed_at IS NULL AND turn.paused_at IS NOT NULL AND session.project = ? AND session.deleted_at IS NULL
		ORDER BY question.asked_at, question.turn, question.seq`, project)
}

func (s *Store) listQuestions(ctx context.Context, which string, args ...any) ([]Question, error) {
	rows, err := s.read.query(ctx, selectQuestion+which, args...)
	return list(rows, err, scanQuestion)
}

// AnswerQuestion stores an answer, forced to the disk, and says how many questions of the turn are still open. A question is
// answered once, and only while its turn is paused: before that it is ErrNotPaused, after that ErrExists. In a session that
// was deleted it is ErrNotFound.
func (s *Store) AnswerQuestion(ctx context.Context, key agent.SessionKey, turn agent.TurnID, r agent.InteractionResponse) (record agent.Record, open int, err error) {
	answer, err := agent.EncodeEvent(r)
	if err != nil {
		return record, 0, err
	}
	err = s.update(ctx, flushed, func(tx tx) error {
		var session int64
		var closed, paused bool
		err := tx.row(ctx, `SELECT session.key, question.closed_at IS NOT NULL, turn.paused_at IS NOT NULL
			FROM question JOIN turn ON turn.id = question.turn JOIN session ON session.key = turn.session
			WHERE question.id = ? AND question.turn = ? AND session.project = ? AND session.id = ? AND session.deleted_at IS NULL`,
			r.ID, turn, key.Project, key.Session).Scan(&session, &closed, &paused)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrNotFound
		case err != nil:
			return err
		case closed:
			return ErrExists
		case !paused:
			return ErrNotPaused
		}
		now := milliseconds(s.now())
		records, err := s.appendLog(ctx, tx, key, turn, now, []agent.Event{r})
		if err != nil {
			return err
		}
		record = records[0]
		if _, err := tx.exec(ctx, `UPDATE question SET answer = ?, closed_at = ? WHERE id = ?`, string(answer), now, r.ID); err != nil {
			return err
		}
		if err := allow(ctx, tx, key.Project, session, r, now); err != nil {
			return err
		}
		return tx.row(ctx, `SELECT count(*) FROM question WHERE turn = ? AND closed_at IS NULL`, turn).Scan(&open)
	})
	return record, open, err
}
