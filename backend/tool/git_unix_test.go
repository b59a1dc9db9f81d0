//go:build unix

package tool

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// repository makes the folder of the tools a git repository, and whatever git could be made to run a program that leaves a
// file behind.
func repository(t *testing.T, root string) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	put(t, filepath.Join(root, "../evil"), "#!/bin/sh\ntouch '"+filepath.Dir(root)+"/ran'\n")
	evil := filepath.Join(filepath.Dir(root), "evil")
	for _, line := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"config", "user.name", "A Person"}, {"config", "user.email", "a@example.com"},
		{"config", "core.pager", evil}, {"config", "diff.external", evil}, {"config", "core.fsmonitor", evil}, {"config", "core.editor", evil},
		{"config", "diff.evil.textconv", evil}, {"config", "commit.gpgsign", "true"}, {"config", "gpg.program", evil},
	} {
		git := exec.Command("git", line...)
		git.Dir = root
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", line, err, out)
		}
	}
	put(t, filepath.Join(root, ".gitattributes"), "*.txt diff=evil\n")
	put(t, filepath.Join(root, ".git/hooks/pre-commit"), "#!/bin/sh\n'"+evil+"'\n")
	for _, program := range []string{evil, filepath.Join(root, ".git/hooks/pre-commit")} {
		if err := os.Chmod(program, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGit(t *testing.T) {
	set, root := open(t)
	refused(t, call(t, set, "git_status", given{}), "git says: fatal: not a git repository")
	repository(t, root)
	put(t, filepath.Join(root, "a.txt"), "one\n")
	put(t, filepath.Join(root, ".env"), "KEY=1\n")
	hash := regexp.MustCompile(`\b[0-9a-f]{7}\b|\d{4}-\d\d-\d\d`)
	for _, c := range []struct {
		name      string
		arguments given
		output    string
	}{
		{"git_status", given{}, "## No commits yet on main\n?? .env\n?? .gitattributes\n?? a.txt\n"},
		{"git_commit", given{"message": "First\n\nwith more", "files": []string{"a.txt"}}, "[main (root-commit) #] First\n 1 file changed, 1 insertion(+)\n create mode 100644 a.txt\n"},
		{"git_diff", given{}, "[Nothing has changed.]"},
		{"write_file", given{"path": "a.txt", "content": "two\n"}, "Replaced a.txt: it has 4 bytes now."},
		{"git_diff", given{"paths": []string{"a.txt"}}, "diff --git a/a.txt b/a.txt\nindex #..# 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"},
		{"git_diff", given{"from": "main", "paths": []string{"absent"}}, "[Nothing has changed.]"},
		{"git_diff", given{"staged": true}, "[Nothing has changed.]"},
		{"git_commit", given{"message": "Second", "files": []string{"a.txt", ".gitattributes"}}, "[main #] Second\n 2 files changed, 2 insertions(+), 1 deletion(-)\n create mode 100644 .gitattributes\n"},
		{"git_log", given{}, "# # A Person: Second\n# # A Person: First\n"},
		{"git_log", given{"ref": "main~1", "limit": 5}, "# # A Person: First\n"},
		{"git_log", given{"paths": []string{".gitattributes"}}, "# # A Person: Second\n"},
	} {
		r := call(t, set, c.name, c.arguments)
		if got := hash.ReplaceAllString(r.Output, "#"); r.IsError || got != c.output {
			t.Errorf("%s %v: %q, not %q", c.name, c.arguments, got, c.output)
		}
	}
	refused(t, call(t, set, "git_commit", given{"message": "Third"}), "git says: ")
	refused(t, call(t, set, "git_commit", given{"message": "Third", "files": []string{".git/config"}}), "protected")
	refused(t, call(t, set, "git_diff", given{"from": "--output=/tmp/x"}), "names no commit")
	refused(t, call(t, set, "git_log", given{"ref": "-p"}), "names no commit")
	refused(t, call(t, set, "git_log", given{"ref": "absent"}), "git says: ")
	if out, err := exec.Command("git", "-C", root, "-c", "core.fsmonitor=false", "add", ".env").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if r := call(t, set, "git_diff", given{"staged": true}); strings.Contains(r.Output, "KEY") {
		t.Errorf("what is secret is shown: %s", r.Output)
	}
	if _, err := os.Stat(filepath.Join(root, "../ran")); err == nil {
		t.Error("git ran what the repository told it to")
	}
}

func TestARepositoryAroundTheFolderIsNotFound(t *testing.T) {
	set, root := open(t)
	if out, err := exec.Command("git", "-C", filepath.Dir(root), "init").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	refused(t, call(t, set, "git_log", given{}), "not a git repository")
}

// TestARepositoryIsItsOwn: what an agent puts into one leads git to no other configuration, and so to no program. A worktree, whose history is elsewhere, is one as before.
func TestARepositoryIsItsOwn(t *testing.T) {
	set, root := open(t)
	repository(t, root)
	put(t, filepath.Join(root, "a.txt"), "one\n")
	run := func(arguments ...string) {
		t.Helper()
		git := exec.Command("git", append([]string{"-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false", "-C", root}, arguments...)...)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", arguments, err, out)
		}
	}
	run("add", "a.txt")
	run("commit", "--quiet", "--no-verify", "--message=First")
	run("init", "--quiet", "--bare", "other")
	run("config", "--file", filepath.Join(root, "other/config"), "filter.evil.clean", filepath.Join(root, "../evil"))
	put(t, filepath.Join(root, ".gitattributes"), "*.txt filter=evil\n")
	put(t, filepath.Join(root, ".git/commondir"), "../other\n")
	put(t, filepath.Join(root, "a.txt"), "two\n")
	for _, c := range []struct {
		name      string
		arguments given
	}{{"git_status", given{}}, {"git_diff", given{}}, {"git_log", given{}}, {"git_commit", given{"message": "Second", "files": []string{"a.txt"}}}} {
		refused(t, call(t, set, c.name, c.arguments), ".git/commondir")
	}
	if _, err := os.Stat(filepath.Join(root, "../ran")); err == nil {
		t.Error("git ran what another configuration told it to")
	}
	if err := os.Remove(filepath.Join(root, ".git/commondir")); err != nil {
		t.Fatal(err)
	}
	linked, at := open(t)
	run("worktree", "add", "--quiet", "--force", at, "-b", "linked")
	if r := call(t, linked, "git_log", given{}); r.IsError || !strings.Contains(r.Output, "A Person: First") {
		t.Errorf("in a worktree: %s", r.Output)
	}
}
