package tool

import (
	"context"
	_ "embed"
	"slices"
	"strings"
)

//go:embed git_commit.md
var gitCommitText string

var gitCommit = alwaysAsked(changing[gitCommitArguments](define(Definition{Name: "git_commit", Description: gitCommitText}, runGitCommit)))

type gitCommitArguments struct {
	Message string   `json:"message" about:"What the commit says."`
	Files   []string `json:"files,omitempty" about:"What goes into it; what is staged if left out." max:"1000"`
}

func (in gitCommitArguments) action() string { return "process" }

func (in gitCommitArguments) preview() string {
	return strings.TrimSpace("git commit: " + in.Message + "  " + strings.Join(in.Files, " "))
}

func runGitCommit(ctx context.Context, files *Files, in gitCommitArguments) (string, any, error) {
	if files.about() != files.base {
		return "", nil, refuse("You may only read the folder that the repository is in. Ask the person to let you write there.")
	}
	limits, err := pathspecs(files, in.Files, writing)
	if err != nil {
		return "", nil, err
	}
	if len(in.Files) > 0 {
		if _, err := git(ctx, files, slices.Concat([]string{"add"}, limits)...); err != nil {
			return "", nil, err
		}
	}
	text, err := git(ctx, files, slices.Concat([]string{"commit", "--no-verify", "--message=" + in.Message}, limits)...)
	return text, gitData{text}, err
}
