package tool

import (
	"context"
	_ "embed"
	"slices"

	"parley/backend/agent"
)

//go:embed git_diff.md
var gitDiffText string

var gitDiff = define(Definition{Name: "git_diff", Description: gitDiffText}, runGitDiff)

type gitDiffArguments struct {
	Staged bool     `json:"staged,omitempty" about:"Show what is staged."`
	From   string   `json:"from,omitempty" about:"A commit or branch to compare with."`
	To     string   `json:"to,omitempty" about:"Another, to compare from with."`
	Paths  []string `json:"paths,omitempty" about:"Only these files or directories." max:"100"`
}

func runGitDiff(ctx context.Context, files *Files, in gitDiffArguments) (string, any, error) {
	commits, err := refs(in.From, in.To)
	if err != nil {
		return "", nil, err
	}
	limits, err := pathspecs(files, in.Paths, reading)
	if err != nil {
		return "", nil, err
	}
	for _, pattern := range agent.Unreadable() {
		limits = append(limits, ":(exclude,icase,glob)**/"+pattern, ":(exclude,icase,glob)**/"+pattern+"/**")
	}
	arguments := []string{"diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"}
	if in.Staged {
		arguments = append(arguments, "--cached")
	}
	text, err := git(ctx, files, slices.Concat(arguments, commits, limits)...)
	if err == nil && text == "" {
		return "[Nothing has changed.]", gitData{}, nil
	}
	return text, gitData{text}, err
}
