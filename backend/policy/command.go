package policy

import (
	"regexp"
	"slices"
	"strings"

	"parley/backend/agent"
)

// runs reports whether the rules name a command among those that may be run. What could be several commands is none of a glob.
func runs(command string, r agent.Rules) bool {
	return slices.Contains(r.Commands, command) || !strings.ContainsAny(command, shell) && slices.ContainsFunc(r.CommandGlobs, func(glob string) bool {
		expression := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(glob))
		matched, err := regexp.MatchString(`^(?s:`+expression+`)$`, command) // linear in the command, whatever the glob
		return err == nil && matched
	})
}
