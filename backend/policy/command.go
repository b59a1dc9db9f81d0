package policy

import (
	"regexp"
	"slices"
	"strings"
)

// Commands are those that need no approval: command and arguments, joined by one space.
type Commands struct {
	Allowed []string // exactly these: "git" is not "git push"
	Globs   []string // * is any text and ? any character; the whole has to match
}

// Allow reports whether a command may run without anybody being asked.
func (c Commands) Allow(command string, arguments ...string) bool {
	whole := strings.Join(append([]string{command}, arguments...), " ")
	return slices.Contains(c.Allowed, whole) || slices.ContainsFunc(c.Globs, func(glob string) bool {
		expression := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(glob))
		matched, err := regexp.MatchString(`^(?s:`+expression+`)$`, whole) // linear in the command, whatever the glob
		return err == nil && matched
	})
}

// kept are the variables, in upper case, by which what a model starts would be another program than it seems.
var kept = regexp.MustCompile(`^(PATH|HOME|LD_.*|DYLD_.*|GIT_.*|NODE_OPTIONS|PYTHON.*)$`)

// MaySet reports whether a model may set a variable in the environment of a command.
func MaySet(variable string) bool {
	return variable != "" && !strings.ContainsAny(variable, "=\x00") && !kept.MatchString(strings.ToUpper(variable))
}
