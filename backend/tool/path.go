package tool

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// intent is what a path is wanted for.
type intent string

const (
	reading intent = "read"
	writing intent = "written"
)

// maxLinks is more symbolic links than an honest path has.
const maxLinks = 40

// locate gives the place that name leads to: slash-separated, relative to root, no element of it a symbolic link. What
// lies outside of root or is protected is refused. The place need not exist.
//
// That nothing outside is reached is held by root, also while others change the tree; locate finds out what root cannot
// know, that a link leads to a protected name.
func locate(root *os.Root, name string, why intent) (string, error) {
	name = path.Clean(filepath.ToSlash(name))
	if !filepath.IsLocal(name) {
		return "", outside(name)
	}
	if err := protect(name, name, why); err != nil {
		return "", err
	}
	place, rest := ".", strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(place, rest[0])
		rest = rest[1:]
		info, err := root.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			place, rest = path.Join(next, path.Join(rest...)), nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			place = next
		default:
			target, err := root.Readlink(next)
			if err != nil {
				return "", err
			}
			whole := path.Join(place, filepath.ToSlash(target))
			if links++; links > maxLinks || path.IsAbs(target) || filepath.IsAbs(target) || !filepath.IsLocal(whole) {
				return "", outside(name)
			}
			place, rest = ".", append(strings.Split(whole, "/"), rest...)
		}
	}
	return place, protect(place, name, why)
}

func outside(name string) error {
	return refuse("%s is outside the folder that you work in. Use a path relative to that folder.", name)
}

// Patterns of path elements, in the form that fold gives: what holds credentials, and what others run or trust unasked.
var (
	neverRead = []string{
		".ssh", ".aws", ".azure", ".gnupg", ".docker", ".kube", ".env*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials",
	}
	neverWritten = []string{
		".git", "git~[0-9]", ".gitconfig", "autostart", "config.fish", "*profile.ps1", ".profile", ".bashrc", ".bash_*",
		".zshrc", ".zshenv", ".zprofile", ".zlog*", ".inputrc", ".xinitrc", ".xprofile", ".xsession*",
	}
)

// protect refuses a place in which some element is protected.
func protect(place, name string, why intent) error {
	for element := range strings.SplitSeq(place, "/") {
		if matchesAny(neverRead, fold(element)) || why == writing && matchesAny(neverWritten, fold(element)) {
			return refuse("%s may not be %s: %q is protected.", name, why, element)
		}
	}
	return nil
}

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
	return strings.ToLower(strings.TrimRight(element, ". "))
}
