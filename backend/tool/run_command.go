package tool

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/process"
)

//go:embed run_command.md
var runCommandText string

var runCommand = changing[runCommandArguments](defineSpeaking(Definition{Name: "run_command", Description: runCommandText}, runRunCommand))

type runCommandArguments struct {
	Command   string   `json:"command" about:"The program to run."`
	Args      []string `json:"args,omitempty" about:"Its arguments."`
	Cwd       string   `json:"cwd,omitempty" about:"The directory to run it in, relative to the folder you work in; that folder if left out."`
	TimeoutMS int      `json:"timeout_ms,omitempty" about:"How long it may take, in milliseconds; 30000 if left out." min:"1" max:"600000"`
}

func (in runCommandArguments) action() string { return "process" }

func (in runCommandArguments) preview() string {
	return strings.Join(append([]string{in.Command}, in.Args...), " ")
}

// runCommandData is what the card of a call shows.
type runCommandData struct {
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	ExitCode int    `json:"exitCode"`         // -1 if it did not end by itself
	Signal   string `json:"signal,omitempty"` // what ended it then
	TimedOut bool   `json:"timedOut"`
}

func runRunCommand(ctx context.Context, files *Files, id string, say say, in runCommandArguments) (string, any, error) {
	dir, err := files.folder(in.Cwd)
	if errors.Is(err, errNoDir) {
		return "", nil, refuse("%s is not a directory. cwd has to be one.", in.Cwd)
	} else if err != nil {
		return "", nil, explain(err, in.Cwd)
	}
	path := in.Command
	if strings.ContainsAny(path, `/\`) && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if path, err = process.Find(path); err != nil {
		return "", nil, refuse("There is no program %q that can be run. Give the program alone as command and each of its arguments in args; there is no shell.", in.Command)
	}
	data, err := job{
		Command:  process.Command{Path: path, Args: in.Args, Dir: dir, Env: append(files.environment(), files.lent...)},
		limit:    cmp.Or(time.Duration(in.TimeoutMS)*time.Millisecond, agent.DefaultToolTimeout),
		progress: func(recent string) { say(agent.ToolProgress{ID: id, Output: recent}) },
	}.run(ctx)
	if err != nil {
		return "", nil, err
	}
	return data.text(), data, nil
}

// text is what a model reads.
func (d runCommandData) text() string {
	var out strings.Builder
	part := func(heading, text string) {
		if text != "" {
			out.WriteString(heading + text)
			if !strings.HasSuffix(text, "\n") {
				out.WriteByte('\n')
			}
		}
	}
	part("", d.Stdout)
	part("[stderr]\n", d.Stderr)
	switch {
	case d.TimedOut:
		out.WriteString("[It took too long and was ended, with all that it started.]")
	case d.Signal != "":
		fmt.Fprintf(&out, "[It was ended: %s.]", d.Signal)
	case out.Len() == 0:
		fmt.Fprintf(&out, "[It wrote nothing. Exit code %d.]", d.ExitCode)
	default:
		fmt.Fprintf(&out, "[Exit code %d.]", d.ExitCode)
	}
	return out.String()
}
