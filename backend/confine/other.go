//go:build !linux

package confine

import (
	"errors"
	"time"

	"parley/backend/agent"
)

var errNoKernel = errors.New("there is nothing here to confine with")

// Enforce is agent.Unenforced.
func Enforce(func() error) agent.Enforcement {
	return agent.Unenforced("Parley does not know yet how to let this system hold anything")
}

// Prepare fails.
func Prepare(Bounds) (*Start, error) { return nil, errNoKernel }

// Enter fails.
func Enter() error { return errNoKernel }

// Finish is never reached.
func (*Start) Finish(time.Duration) (Ways, error) { return Ways{}, errNoKernel }

// Cancel is never reached.
func (*Start) Cancel() {}
