package agent

import (
	"path"
	"slices"
	"strings"
)

// Patterns of path elements, in the form that FoldName gives: what holds credentials, and what others run or trust unasked.
var (
	unreadable = []string{
		".ssh", ".aws", ".azure", ".gnupg", ".docker", ".dockercfg", ".kube", "kubeconfig", ".env*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials",
	}
	unwritable = []string{
		".git", "git~[0-9]", ".gitconfig", "autostart", "launchagents", "environment.d", "config.fish", "*profile.ps1", ".profile", ".bashrc", ".bash_*",
		".zshrc", ".zshenv", ".zprofile", ".zlog*", ".kshrc", ".cshrc", ".tcshrc", ".login", ".inputrc", ".xinitrc", ".xprofile", ".xsession*",
		".pam_environment", ".parley", "*.agent.yaml",
	}
)

// Unreadable lists the patterns of names that no agent reads or writes, wherever they are, in lower case.
func Unreadable() []string { return slices.Clone(unreadable) }

// IsUnreadable reports whether no agent reads or writes what has this name, wherever it is.
func IsUnreadable(name string) bool { return matches(unreadable, FoldName(name)) }

// IsUnwritable reports whether no agent writes what has this name, or what is below it, without a person who allows it.
func IsUnwritable(name string) bool {
	name = FoldName(name)
	return matches(unwritable, name) || matches(unreadable, name)
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern[0] != '*' && !strings.HasPrefix(name, pattern[:1]) {
			return false // most names, at once: a folder may have many
		}
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

// FoldName gives the name that some file system may take a path element for: other case, trailing dots and spaces, an NTFS stream.
func FoldName(element string) string {
	element, _, _ = strings.Cut(element, ":")
	return strings.ToLower(strings.ToUpper(strings.TrimRight(element, ". "))) // ſ is an s only in upper case
}
