package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/whole"
)

// What a folder of agents may hold: it can come from anybody.
const (
	maxAgentFiles = 256
	maxAgentFile  = 256 << 10
)

// File is an agent file.
type File struct {
	Path     string
	Agent    agent.Spec // as the file said when it was last right; without an id if it never was
	Problems []Problem  // with what it says now
}

// folder is where agent files are: one called name in another. Nothing outside of that other one is read or written, wherever
// a link leads.
type folder struct{ above, name string }

func (f folder) path() string { return filepath.Join(f.above, f.name) }

// read gives the agent files of a folder, sorted by name; before is what it gave last.
func (f folder) read(k Known, before []File) ([]File, error) {
	root, err := os.OpenRoot(f.above)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	entries, err := ReadFolder(root, filepath.ToSlash(f.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []File
	for _, entry := range entries {
		if !isAgentFile(entry.Name()) {
			continue
		}
		if len(files) == maxAgentFiles {
			return files, fmt.Errorf("there are more than %d agent files", maxAgentFiles)
		}
		file := File{Path: filepath.Join(f.path(), entry.Name())}
		src, _, err := ReadFile(root, path.Join(filepath.ToSlash(f.name), entry.Name()), maxAgentFile, errLargeAgent)
		switch {
		case errors.Is(err, fs.ErrNotExist): // it was removed just now
			continue
		case err != nil:
			file.Problems = []Problem{{1, 1, "", agent.AsError(err).Message}}
		default:
			file.Agent, file.Problems = k.Parse(src)
		}
		if len(file.Problems) > 0 {
			file.Agent = agent.Spec{}
			if i := slices.IndexFunc(before, func(b File) bool { return b.Path == file.Path }); i >= 0 {
				file.Agent = before[i].Agent
			}
		}
		files = append(files, file)
	}
	return files, nil
}

// ReadFolder gives what is in a folder that comes from anybody; fs.ErrNotExist if there is none.
func ReadFolder(root *os.Root, name string) ([]fs.DirEntry, error) {
	info, err := root.Stat(name) // before it is opened, as in ReadFile
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "read", Path: name, Err: errors.New("it is no folder")}
	}
	if err != nil {
		return nil, err
	}
	return fs.ReadDir(root.FS(), name)
}

var errLargeAgent = agent.Errorf(agent.CodeValidation, "An agent file has %d KiB at most.", maxAgentFile>>10)

// ReadFile gives the content of a file that comes from anybody; fs.ErrNotExist if there is none.
func ReadFile(root *os.Root, name string, most int, tooLarge error) ([]byte, fs.FileInfo, error) {
	info, err := root.Stat(name) // before it is opened: to open a pipe is to wait for who writes to it
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil, agent.Errorf(agent.CodeValidation, "This cannot be read: it is no file, or a link out of its folder.")
	}
	if info.Size() > int64(most) {
		return nil, nil, tooLarge
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, nil, agent.Errorf(agent.CodeValidation, "This cannot be read. Look at its permissions.")
	}
	defer file.Close()
	src, err := io.ReadAll(io.LimitReader(file, int64(most)+1)) // it may grow
	if err == nil && len(src) > most {
		err = tooLarge
	}
	return src, info, err
}

// write makes the file of an agent, and gives its path. It replaces none.
func (f folder) write(spec agent.Spec) (string, error) {
	text, err := Format(spec)
	if err != nil {
		return "", err
	}
	failed := func(err error) error {
		return agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("The agent could not be saved in %s. Look whether you may write there.", f.path()))
	}
	root, err := os.OpenRoot(f.above)
	if err != nil {
		return "", failed(err)
	}
	defer root.Close()
	if err := root.MkdirAll(f.name, 0o755); err != nil {
		return "", failed(err)
	}
	name := filepath.Join(f.name, spec.ID+agentSuffix)
	err = whole.Create(root, name, text, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return "", agent.Errorf(agent.CodeValidation, "There is a file %s already. Remove it, or give the agent another id.", filepath.Join(f.above, name))
	}
	if err != nil {
		return "", failed(err)
	}
	return filepath.Join(f.above, name), nil
}

// isAgentFile reports whether a file of this name holds an agent.
func isAgentFile(name string) bool {
	return strings.HasSuffix(name, agentSuffix) && !strings.HasPrefix(name, ".")
}

const agentSuffix = ".agent.yaml"
