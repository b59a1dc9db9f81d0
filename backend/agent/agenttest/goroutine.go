package agenttest

import (
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// census counts goroutines by where they were started.
type census map[string]int

var startedAt = regexp.MustCompile(`created by ((?:parley/backend/|os/exec)\S+) in goroutine \d+\n\t(\S+)`)

// goroutines counts those that code of the backend started: not the tests, and not the model that they talk to.
func goroutines() census {
	stacks := make([]byte, 16<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	found := census{}
	for stack := range strings.SplitSeq(string(stacks), "\n\n") {
		by := startedAt.FindStringSubmatch(stack)
		if by != nil && !strings.Contains(stack, "parley/backend/modelserver") && !strings.Contains(stack, "agenttest") && !strings.Contains(by[2], "_test.go:") {
			found[by[1]+" at "+by[2]]++
		}
	}
	return found
}

// checkGone fails the test if there are more goroutines now. One may be on its way out still: it is given a moment.
func (before census) checkGone(t *testing.T) {
	for deadline := time.After(2 * time.Second); ; {
		left := ""
		for where, n := range goroutines() {
			if n > before[where] {
				left += "\n" + where
			}
		}
		if left == "" {
			return
		}
		select {
		case <-deadline:
			t.Errorf("goroutines outlived Close, started by%s", left)
			return
		case <-time.After(time.Millisecond):
		}
	}
}
