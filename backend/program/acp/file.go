package acp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/agent"
	"parley/backend/tool"
)

type readRequest struct {
	Path  string `json:"path"`
	Line  int    `json:"line"` // the first one, from 1
	Limit int    `json:"limit"`
}

type writeRequest struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// within opens the session's folder, outside of which nothing is reached, and gives the place of a path in it.
func (s *Speaker) within(path string) (*os.Root, string, *problem) {
	dirs := []string{s.dir}
	if real, err := filepath.EvalSymlinks(s.dir); err == nil {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		place, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsAbs(path) || !filepath.IsLocal(place) {
			continue
		}
		root, err := os.OpenRoot(s.dir)
		if err != nil {
			return nil, "", refusal(err)
		}
		return root, place, nil
	}
	return nil, "", &problem{Code: codeParams, Message: path + " is outside of the folder of this session, which is " + s.dir}
}

// files opens what the agent's policy lets it reach, which its paths have to name from the root.
func (s *Speaker) files(path string) (*tool.Files, *problem) {
	if !filepath.IsAbs(path) {
		return nil, &problem{Code: codeParams, Message: path + " is no absolute path"}
	}
	files, err := tool.OpenFiles(s.policy)
	if err != nil {
		return nil, unusable(err)
	}
	return files.ForProgram(func(e agent.Event) {
		if s.turn != nil {
			s.turn.host.Say(e)
		}
	}), nil
}

// unusable says why a file cannot be used.
func unusable(err error) *problem {
	return &problem{Code: codeParams, Message: agent.AsError(err).Message}
}

func (s *Speaker) readFile(r readRequest) (any, *problem) {
	files, p := s.files(r.Path)
	if p != nil {
		return nil, p
	}
	defer files.Close()
	content, err := files.Content(r.Path)
	if err != nil {
		return nil, unusable(err)
	}
	if content == nil {
		return nil, refusal(fs.ErrNotExist)
	}
	return struct {
		Content string `json:"content"`
	}{cut(string(content), r.Line, r.Limit)}, nil
}

// cut gives some lines of a text: from the first one that is wanted, and as many; all if it is not said.
func cut(text string, from, limit int) string {
	if from <= 1 && limit <= 0 {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	lines = lines[min(max(from, 1)-1, len(lines)):]
	if limit > 0 {
		lines = lines[:min(limit, len(lines))]
	}
	return strings.Join(lines, "")
}

func (s *Speaker) writeFile(r writeRequest) (any, *problem) {
	files, p := s.files(r.Path)
	if p != nil {
		return nil, p
	}
	defer files.Close()
	if err := files.Replace(context.Background(), r.Path, []byte(r.Content)); err != nil {
		return nil, unusable(err)
	}
	return struct{}{}, nil
}

// refusal says why a file cannot be had. Agents know by these words that there is none.
func refusal(err error) *problem {
	if errors.Is(err, fs.ErrNotExist) {
		return &problem{Code: codeMissing, Message: "Resource not found: no such file (ENOENT)"}
	}
	return &problem{Code: codeFailed, Message: err.Error()}
}
