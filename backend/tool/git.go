package tool

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"parley/backend/process"
)

// gitTimeout is how long git may take.
const gitTimeout = 30 * time.Second

// git runs one of its commands in the folder that the session is about, and gives what it wrote. What a repository's own
// configuration could make it run is off, and a repository around the folder is not found. One in it whose configuration is elsewhere
// is refused: git makes such ones for worktrees alone, whose .git is a file.
func git(ctx context.Context, files *Files, arguments ...string) (string, error) {
	path, err := process.Find("git")
	if err != nil {
		return "", refuse("git is not installed.")
	}
	if _, err := os.Lstat(filepath.Join(files.about(), ".git", "commondir")); err == nil {
		return "", refuse("There is a .git/commondir, by which git would take its configuration, and programs, from elsewhere. Ask the person to look where it came from, and to remove it.")
	}
	d, err := job{limit: gitTimeout, progress: func(string) {}, Command: process.Command{
		Path: path,
		Args: append([]string{
			"--no-pager", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false",
			"-c", "log.showSignature=false", "-c", "protocol.allow=never", "-c", "color.ui=false", "-c", "core.quotePath=false", "-c", "gc.auto=0",
		}, arguments...),
		Dir: files.about(),
		Env: append(files.environment(), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_EDITOR=true", "GIT_CEILING_DIRECTORIES="+filepath.Dir(files.about())),
	}}.run(ctx)
	switch {
	case err != nil:
		return "", err
	case d.TimedOut:
		return "", refuse("git took too long and was ended.")
	case d.ExitCode != 0:
		return "", refuse("git says: %s", strings.TrimSpace(d.Stderr+d.Stdout))
	}
	return d.Stdout, nil
}

// plainRef is a name of commits that git takes for nothing else.
var plainRef = regexp.MustCompile(`^[A-Za-z0-9_@][A-Za-z0-9_@./{}~^-]*$`)

// refs checks names of commits; an empty one is left out.
func refs(names ...string) (list []string, err error) {
	for _, name := range names {
		if name != "" && !plainRef.MatchString(name) {
			return nil, refuse("%q names no commit. Give a branch, a tag or a hash.", name)
		}
		if name != "" {
			list = append(list, name)
		}
	}
	return list, nil
}

// pathspecs gives what limits a command to some paths, after the "--" that ends everything else.
func pathspecs(files *Files, paths []string, why intent) ([]string, error) {
	list := []string{"--"}
	for _, name := range paths {
		p, err := files.find(name, why)
		if err != nil {
			return nil, explain(err, name)
		}
		p.close()
		list = append(list, ":(literal)"+p.at())
	}
	return list, nil
}

// gitData is what the card of a call shows.
type gitData struct {
	Text string `json:"text"`
}
