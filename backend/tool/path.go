package tool

import (
	"fmt"
	"path"
	"strings"
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

// Patterns of path elements, in the form that fold gives: what holds credentials, and what others run or trust unasked.
var (
	neverRead = []string{
		".ssh", ".aws", ".azure", ".gnupg", ".docker", ".dockercfg", ".kube", "kubeconfig", ".env*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials",
	}
	neverWritten = []string{
		".git", "git~[0-9]", ".gitconfig", "autostart", "launchagents", "environment.d", "config.fish", "*profile.ps1", ".profile", ".bashrc", ".bash_*",
		".zshrc", ".zshenv", ".zprofile", ".zlog*", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".xinitrc", ".xprofile", ".xsession*",
		".pam_environment", ".parley", "*.agent.yaml",
	}
)

// protect refuses a place in which some element is protected. The refusal is a protection.
func protect(place, name string, why intent) error {
	for element := range strings.SplitSeq(place, "/") {
		if matchesAny(neverRead, fold(element)) || why == writing && matchesAny(neverWritten, fold(element)) {
			return protection{refusal(fmt.Sprintf("%s may not be %s: %q is protected.", name, why, element))}
		}
	}
	return nil
}

// protection is the refusal of what a person may allow.
type protection struct{ refusal }

func (p protection) Unwrap() error { return p.refusal }

func matchesAny(patterns []string, element string) bool {
	for _, pattern := range patterns {
		if ok, _ := path.Match(pattern, element); ok {
			return true
		}
	}
	return false
}

// fold gives the name that some file system may take element for: other case, trailing dots and spaces, an NTFS stream.
func fold(element string) string {
	element, _, _ = strings.Cut(element, ":")
	return strings.ToLower(strings.ToUpper(strings.TrimRight(element, ". "))) // ſ is an s only in upper case
}
