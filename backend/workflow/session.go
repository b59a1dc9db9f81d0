package workflow

import (
	"time"

	"parley/backend/agent"
	"parley/backend/redact"
)

// Session is a session as it is exported: the branch that is shown.
type Session struct {
	ID        agent.SessionID
	AgentSlug string
	Agent     *agent.Spec // as it was frozen; nil if it was not
	Title     string
	CreatedAt time.Time
	UpdatedAt time.Time
	Rows      []Row
}

// Row is a durable message, and its place in the session.
type Row struct {
	agent.Message
	Seq int64
	At  time.Time
}

// Redacted is the session without the values that are known to be secret. Every export begins with it.
func (s Session) Redacted(known *redact.Known) Session {
	if known == nil {
		return s
	}
	rows := s.Rows
	s.Title, s.Rows = known.Text(s.Title), make([]Row, len(rows))
	for i, row := range rows {
		row.Parts = agent.RewriteParts(row.Parts, known.Text, known.JSON)
		s.Rows[i] = row
	}
	return s
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
