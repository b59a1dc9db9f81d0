package tool

import (
	"fmt"
	"strings"

	"parley/backend/agent"
)

// intent is what a path is wanted for.
type intent string

const (
	reading intent = "read"
	writing intent = "written"
)

func outside(name string) error {
	return refuse("%s is outside the folder that you work in. Use a path relative to that folder.", name)
}

// protect refuses a place in which some element is protected. The refusal is a protection.
func protect(place, name string, why intent) error {
	for element := range strings.SplitSeq(place, "/") {
		if agent.IsUnreadable(element) || why == writing && agent.IsUnwritable(element) {
			return protection{refusal(fmt.Sprintf("%s may not be %s: %q is protected.", name, why, element))}
		}
	}
	return nil
}

// protection is the refusal of what a person may allow.
type protection struct{ refusal }

func (p protection) Unwrap() error { return p.refusal }
