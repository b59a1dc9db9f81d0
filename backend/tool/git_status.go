package tool

import (
	"context"
	_ "embed"
)

//go:embed git_status.md
var gitStatusText string

var gitStatus = define(Definition{Name: "git_status", Description: gitStatusText}, runGitStatus)

func runGitStatus(ctx context.Context, files *Files, _ struct{}) (string, any, error) {
	text, err := git(ctx, files, "status", "--short", "--branch", "--ignore-submodules=dirty")
	return text, gitData{text}, err
}
