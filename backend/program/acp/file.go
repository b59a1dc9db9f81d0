package acp

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/backend/agent"
)

// maxFile is the largest file that is read for an agent, in bytes.
const maxFile = 16 << 20

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

func (s *Speaker) readFile(r readRequest) (any, *problem) {
	root, place, p := s.within(r.Path)
	if p != nil {
		return nil, p
	}
	defer root.Close()
	if info, err := root.Stat(place); err != nil {
		return nil, refusal(err)
	} else if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, &problem{Code: codeParams, Message: r.Path + " is no file, or too large"}
	}
	f, err := root.Open(place)
	if err != nil {
		return nil, refusal(err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, refusal(err)
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
	root, place, p := s.within(r.Path)
	if p != nil {
		return nil, p
	}
	defer root.Close()
	if info, err := root.Stat(place); err == nil && (!info.Mode().IsRegular() || info.Size() > maxFile) {
		return nil, &problem{Code: codeParams, Message: r.Path + " is no file, or too large"}
	}
	if err := root.MkdirAll(filepath.Dir(place), 0o777); err != nil {
		return nil, refusal(err)
	}
	before, unread := root.ReadFile(place)
	if err := root.WriteFile(place, []byte(r.Content), 0o666); err != nil {
		return nil, refusal(err)
	}
	if s.turn != nil && (unread == nil || errors.Is(unread, fs.ErrNotExist)) {
		s.turn.host.Say(agent.FileWritten{Path: filepath.Join(s.dir, place), Before: before, After: []byte(r.Content), Created: unread != nil})
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
