package session

import (
	"context"

	"parley/backend/agent"
	"parley/backend/store"
)

// Answer stores the answer to a question and, if it was the last one that the turn waited for, lets the turn go on. The turn
// is nil while other questions are open. A question is answered once: after that, and after a stop, the error says so.
func (s *Sessions) Answer(ctx context.Context, project agent.ProjectID, r agent.InteractionResponse) (*Turn, error) {
	panic("pending")
}

// Continue is Answer for several answers to one paused turn at once, each by the id of its question or, for a client's tool,
// by its call. Those that were stored before are passed over; if that is all of them, the turn that they led to is given.
// It is an error if the turn would still wait.
func (s *Sessions) Continue(ctx context.Context, key agent.SessionKey, message agent.MessageID, answers []agent.InteractionResponse) (*Turn, error) {
	panic("pending")
}

// Enqueue stores a message that is sent when the running or paused turn is done; at once if there is none, and then the turn
// is given. A session that does not exist is made.
func (s *Sessions) Enqueue(ctx context.Context, r Request) (store.Queued, *Turn, error) {
	panic("pending")
}

// ChangeQueued gives a message that waits another text; its files stay.
func (s *Sessions) ChangeQueued(ctx context.Context, key agent.SessionKey, number int64, text string) error {
	panic("pending")
}

// Unqueue removes a message that waits.
func (s *Sessions) Unqueue(ctx context.Context, key agent.SessionKey, number int64) error {
	panic("pending")
}

// Await gives the turn that answers a message which waits, once it begins. It is store.ErrNotFound if the message was
// removed.
func (s *Sessions) Await(ctx context.Context, key agent.SessionKey, message agent.MessageID) (*Turn, error) {
	panic("pending")
}

// SendNow stops what runs, keeps what was said, and sends the first message that waits. It is store.ErrNotFound if none does.
func (s *Sessions) SendNow(ctx context.Context, key agent.SessionKey) (*Turn, error) {
	panic("pending")
}

// Choose shows the branch that goes through a message, to its end.
func (s *Sessions) Choose(ctx context.Context, key agent.SessionKey, message agent.MessageID) error {
	panic("pending")
}

// Fork copies the branch that is shown, up to the turn of a message (all of it if that is empty), into a new session.
func (s *Sessions) Fork(ctx context.Context, key agent.SessionKey, message agent.MessageID) (agent.SessionKey, error) {
	panic("pending")
}

// Standing is what a session is busy with.
type Standing struct {
	Turn    agent.TurnID
	Message agent.MessageID // the answer
	Paused  bool            // it waits for the questions in Open
	Open    []store.Question
}

// Standing gives the turn that runs or is paused; the zero Standing if there is none.
func (s *Sessions) Standing(ctx context.Context, key agent.SessionKey) (Standing, error) {
	panic("pending")
}

// Overlay is what a request says about its agent: it wins over the stored one. Nil fields are inherited.
type Overlay struct {
	Name, Model, Provider, SystemPrompt *string
	Permissions                         *agent.PermissionPolicy
	Tools                               *[]string
	ClientTools                         *[]agent.ClientToolSpec
}
