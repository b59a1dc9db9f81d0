package agent

import (
	"context"
	"iter"
)

// Harness is a kind of agent, as a pure translation.
type Harness interface {
	Kind() Kind
	// Launch translates spec. It touches nothing outside its arguments; what the harness cannot do is an error here,
	// never dropped.
	Launch(spec Spec) (Launch, error)
}

// Backend is an engine that can run harnesses. It is plumbing: it never branches on a harness's name.
type Backend interface {
	// Supports reports whether this backend runs harness by way of name.
	Supports(name BackendName, harness Kind) bool
	// NewSandbox makes a place to run under policy. The caller closes it.
	NewSandbox(ctx context.Context, policy Policy) (Sandbox, error)
}

// Sandbox is where harnesses live: for a runner, one process.
type Sandbox interface {
	// Open makes a harness ready to take turns. The caller closes the Conn.
	Open(ctx context.Context, launch Launch) (Conn, error)
	// Done is closed once the sandbox cannot be used any more, by Close or because it died.
	Done() <-chan struct{}
	// Close ends everything that runs inside, and waits for it. It may be called twice, and while a Conn is in use.
	Close() error
}

// Conn is a harness in a sandbox. It takes one turn at a time.
type Conn interface {
	// Prompt takes a turn. The sequence ends exactly once: with a Finish and no error, or with no event and an error,
	// which is an *Error. Nothing comes after either.
	//
	// When ctx is cancelled the harness is told to stop; what it still says comes through, then Finish with
	// StopCancelled. If the harness does not confirm within StopGrace it is killed, and Finish says so. Leaving the loop
	// early does the same without anyone listening. A second Prompt while one runs is an error at once.
	Prompt(ctx context.Context, prompt Prompt) iter.Seq2[Event, error]
	// Close may be called twice, and in the middle of a Prompt, which then ends with an error.
	Close() error
}
