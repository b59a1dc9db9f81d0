package agent

import "context"

// Steering is what a person says in the middle of a turn.
type Steering struct {
	Message MessageID
	Text    string
}

// Steerer is a Conn that takes a Steering while a Prompt runs.
type Steerer interface {
	// Steer hands said over to the turn that runs, and reports whether it was taken. The turn says Steered once its model is
	// told. What it did not say by its end was not heard, and is not going to be: whoever kept it has it still.
	Steer(ctx context.Context, said Steering) (taken bool)
}

// Steered says that the model is told from here on what the person said meanwhile. Text is filled in by the session.
type Steered struct {
	Message MessageID
	Text    string
}

func (Steered) event() {}
