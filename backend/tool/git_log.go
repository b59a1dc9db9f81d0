package tool

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strconv"
)

//go:embed git_log.md
var gitLogText string

var gitLog = define(Definition{Name: "git_log", Description: gitLogText}, runGitLog)

const defaultCommits = 20

type gitLogArguments struct {
	Ref   string   `json:"ref,omitempty" about:"A branch, a commit or a range; the current branch if left out."`
	Limit int      `json:"limit,omitempty" about:"How many commits; 20 if left out." min:"1" max:"200"`
	Paths []string `json:"paths,omitempty" about:"Only commits that changed these files or directories." max:"100"`
}

func runGitLog(ctx context.Context, files *Files, in gitLogArguments) (string, any, error) {
	commits, err := refs(in.Ref)
	if err != nil {
		return "", nil, err
	}
	limits, err := pathspecs(files, in.Paths, reading)
	if err != nil {
		return "", nil, err
	}
	arguments := []string{"log", "--no-ext-diff", "--format=%h %as %an: %s", "--max-count=" + strconv.Itoa(cmp.Or(in.Limit, defaultCommits))}
	text, err := git(ctx, files, slices.Concat(arguments, commits, limits)...)
	return text, gitData{text}, err
}
