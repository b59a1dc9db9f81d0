package store

import (
	"context"
	"time"

	"parley/backend/agent"
)

// Question is something that a turn waits for, or waited for.
type Question struct {
	Key     agent.SessionKey
	Turn    agent.TurnID
	Request agent.InteractionRequest
	Answer  *agent.InteractionResponse // nil while it is open
	AskedAt time.Time
}

// PauseTurn stores that a turn waits for the questions that it asked: its session is free of work and not of the turn.
func (s *Store) PauseTurn(ctx context.Context, key agent.SessionKey, turn agent.TurnID, paused agent.TurnPaused) (agent.Record, error) {
	panic("pending")
}

// Question gives a question of a project's session, or ErrNotFound.
func (s *Store) Question(ctx context.Context, project agent.ProjectID, id agent.InteractionID) (Question, error) {
	panic("pending")
}

// Questions gives those of a turn, in the order in which they were asked.
func (s *Store) Questions(ctx context.Context, turn agent.TurnID) ([]Question, error) {
	panic("pending")
}

// OpenQuestions gives everything that waits for an answer in a project, oldest first.
func (s *Store) OpenQuestions(ctx context.Context, project agent.ProjectID) ([]Question, error) {
	panic("pending")
}

// AnswerQuestion stores an answer, forced to the disk, and says how many questions of the turn are still open. A question is
// answered once, and only while its turn is paused; after that it is ErrExists.
func (s *Store) AnswerQuestion(ctx context.Context, key agent.SessionKey, turn agent.TurnID, r agent.InteractionResponse) (record agent.Record, open int, err error) {
	panic("pending")
}

// ResumeTurn stores, forced to the disk, that a paused turn without an open question goes on. It does so once for each
// pause; else it is ErrExists.
func (s *Store) ResumeTurn(ctx context.Context, key agent.SessionKey, turn agent.TurnID) (agent.Record, error) {
	panic("pending")
}

// AllowedTools gives the names of the tools that were approved for a whole session.
func (s *Store) AllowedTools(ctx context.Context, key agent.SessionKey) ([]string, error) {
	panic("pending")
}

// Queued is a message that waits for the running turn to end. Numbers only grow within a session.
type Queued struct {
	Number  int64
	Message agent.Message
	At      time.Time
}

// Enqueue stores a message that is to be sent later, forced to the disk. One that waits already, by its id, is given again.
func (s *Store) Enqueue(ctx context.Context, key agent.SessionKey, m agent.Message, media []agent.Media) (Queued, error) {
	panic("pending")
}

// Queue gives what waits in a session, in the order in which it will be sent.
func (s *Store) Queue(ctx context.Context, key agent.SessionKey) ([]Queued, error) {
	panic("pending")
}

// ChangeQueued gives a waiting message other parts, or ErrNotFound once it does not wait any more.
func (s *Store) ChangeQueued(ctx context.Context, key agent.SessionKey, number int64, parts []agent.Part) error {
	panic("pending")
}

// Unqueue removes a waiting message, or gives ErrNotFound.
func (s *Store) Unqueue(ctx context.Context, key agent.SessionKey, number int64) error {
	panic("pending")
}

// ChooseHead makes another branch the one that is shown. head must be a turn of the session; else it is ErrNotFound.
func (s *Store) ChooseHead(ctx context.Context, key agent.SessionKey, head agent.TurnID) error {
	panic("pending")
}

// Leaf gives the end of the branch that goes on from a turn: at each fork the way that was begun last.
func (s *Store) Leaf(ctx context.Context, turn agent.TurnID) (agent.TurnID, error) {
	panic("pending")
}

// Siblings gives the turns that begin where t does, t among them, oldest first.
func (s *Store) Siblings(ctx context.Context, t Turn) ([]Turn, error) {
	panic("pending")
}

// Editions gives every message that was sent under an id (see agent.MessageID.Edit), oldest first.
func (s *Store) Editions(ctx context.Context, key agent.SessionKey, shown agent.MessageID) ([]agent.Message, error) {
	panic("pending")
}

// Fork copies the branch that ends in head, with its log and messages, into a new session of the same project. Turns get
// ids of their own; messages keep theirs.
func (s *Store) Fork(ctx context.Context, from agent.SessionKey, head agent.TurnID, to agent.SessionID, workingDir string) error {
	panic("pending")
}
