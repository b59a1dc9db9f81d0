package tool

import (
	"context"
	_ "embed"
	"os"
)

//go:embed git_status.md
var gitStatusText string

var gitStatus = define(Definition{Name: "git_status", Description: gitStatusText}, runGitStatus)

func runGitStatus(ctx context.Context, root *os.Root, _ struct{}) (string, any, error) {
	text, err := git(ctx, root, "status", "--short", "--branch", "--ignore-submodules=dirty")
	return text, gitData{text}, err
}
