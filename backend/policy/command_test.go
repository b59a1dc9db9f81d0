package policy

import (
	"strings"
	"testing"
)

func TestWhichCommandsNeedNoApproval(t *testing.T) {
	c := Commands{Allowed: []string{"git", "go test ./...", "ls -l", "a.b", ""}, Globs: []string{"make *", "npm run ?", "[a]+", `x\*`, "*.sh", "gr?p a*b*c"}}
	for command, want := range map[string]bool{
		"git": true, "git push": false, " git": false, "git ": false, "GIT": false, "gi": false,
		"go test ./...": true, "go test ./... -race": false, "go test": false, "ls -l": true, "ls  -l": false, "a.b": true, "axb": false,
		"make all": true, "make ": true, "make": false, "remake all": false, "make a\nb": true, "make *": true,
		"npm run a": true, "npm run é": true, "npm run ab": false, "npm run ": false, "[a]+": true, "aa": false, `x\*`: true, `x\y`: true, "x*": false,
		"./run.sh": true, ".sh": true, "./run.sh -c": false, "grep abc": true, "grep a b c": true, "grep ac": false, "grep abcd": false, "": true, "rm": false,
	} {
		words := strings.Split(command, " ")
		if got := c.Allow(words[0], words[1:]...); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
	if (Commands{}).Allow("ls") {
		t.Error("nothing is allowed, and ls is")
	}
	// One that is slow to match where a matcher goes back: it would not come to its end.
	hard := Commands{Globs: []string{strings.Repeat("a*", 50) + "b"}}
	if hard.Allow(strings.Repeat("a", 20000)) {
		t.Error("what does not end in b does")
	}
}

func TestVariablesThatAModelMaySet(t *testing.T) {
	for variable, want := range map[string]bool{
		"LANG": true, "TZ": true, "MY_PATH": true, "PATHS": true, "HOMEPAGE": true, "GITHUB": true, "OLD_PATH": true, "LD": true,
		"PATH": false, "path": false, "Path": false, "HOME": false, "LD_PRELOAD": false, "LD_LIBRARY_PATH": false, "ld_preload": false, "DYLD_INSERT_LIBRARIES": false,
		"GIT_DIR": false, "GIT_SSH_COMMAND": false, "NODE_OPTIONS": false, "PYTHONPATH": false, "PYTHONSTARTUP": false, "PYTHON": false, "": false, "A=B": false, "A\x00": false,
	} {
		if MaySet(variable) != want {
			t.Errorf("%q: %v", variable, !want)
		}
	}
}
