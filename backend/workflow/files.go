package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/backend/agent"
	"parley/backend/config"
	"parley/backend/watch"
	"parley/backend/whole"
)

// Extension is what the name of a workflow's file ends in.
const Extension = ".relavium.yaml"

const (
	maxName  = 255  // as file systems have it
	maxFiles = 1000 // in a folder that a list reads: it can come from anybody
)

// folders are where the workflows of a project are.
var folders = []string{".", "workflows", ".parley/workflows"}

// Why a file is not read or written.
var (
	ErrNoFile  = errors.New("there is no such file")
	ErrTaken   = errors.New("there is such a file already")
	ErrChanged = errors.New("the file is not what it was")
)

// File is a file that a workflow is in.
type File struct {
	Path      string // in the project's folder, with slashes
	Version   string // of its content
	ChangedAt time.Time
	Name      string // of the workflow; empty if it has none
	Nodes     int
	Problems  int    // that it has as a workflow
	Error     string // a sentence: why it cannot be read; nothing but Path is known then
}

// Shelf has the workflows of one project, in files that others write, too. All methods may be called at once.
type Shelf struct {
	Folder string // of the project; empty if it has none

	root    string // the folder that the files are in; empty if nobody knows it
	watcher *watch.Watcher

	saving  *sync.Mutex // of all shelves: held while a file is compared with what it should be, and written
	reading sync.Mutex  // held while all files are looked at
	seen    map[string]glance

	mu      sync.Mutex
	changed chan struct{} // closed with the next change
	follow  func()        // what the watcher gave for it; nil before somebody asked for a file
}

// glance is a file as it was when it was read.
type glance struct {
	info fs.FileInfo
	at   time.Time
	File
}

// settled is how long after a change a file's time may still be the same after another one.
const settled = 2 * time.Second

// isOf reports whether nothing was written to a file since.
func (g glance) isOf(info fs.FileInfo) bool {
	return g.info != nil && os.SameFile(g.info, info) && g.info.Size() == info.Size() && g.info.ModTime().Equal(info.ModTime()) &&
		info.ModTime().Add(settled).Before(g.at)
}

// Changed gives a channel that is closed when somebody wrote, made or removed one of the files, or a folder of theirs. That is not
// noticed before one was asked for.
func (s *Shelf) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// tell tells of a change. It looks at no file: the watcher waits for it, and others for the watcher.
func (s *Shelf) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
}

// open gives the project's folder, which is watched from then on.
func (s *Shelf) open() (*os.Root, error) {
	if s.root == "" {
		return nil, agent.Errorf(agent.CodeValidation, "Nobody knows the folder of this project. Open the project first.")
	}
	s.watch()
	root, err := os.OpenRoot(s.root)
	if err != nil {
		return nil, agent.Wrap(agent.CodeValidation, err, "The folder of this project cannot be opened. Look whether it is still there, and at its permissions.")
	}
	return root, nil
}

// watch begins to watch, and goes on with a folder that is not the one that there was.
func (s *Shelf) watch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.follow == nil {
		s.follow = s.watcher.Add(s.tell, Extension, s.root, folders...)
	} else {
		s.follow()
	}
}

// List gives the files, sorted by their paths. It reads only what changed.
func (s *Shelf) List() ([]File, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var files []File
	seen := map[string]glance{}
	for _, folder := range folders {
		files = append(files, s.listIn(root, folder, seen)...)
	}
	s.seen = seen
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// listIn gives the files of a folder, and adds them to seen. What is wrong with one of them, or with the folder, it tells in its place.
func (s *Shelf) listIn(root *os.Root, folder string, seen map[string]glance) (files []File) {
	entries, err := config.ReadFolder(root, folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []File{{Path: folder, Error: "This folder cannot be read: it is none, or a link out of the project, or its permissions forbid it."}}
	}
	for _, entry := range entries {
		if !isWorkflow(entry.Name()) {
			continue
		}
		if len(files) == maxFiles {
			return append(files, File{Path: folder, Error: fmt.Sprintf("This folder has more than %d workflows, and the others are not listed. Move some to another project.", maxFiles)})
		}
		name := path.Join(folder, entry.Name())
		g, err := glanceAt(root, name, s.seen[name])
		if errors.Is(err, ErrNoFile) {
			continue // it was removed just now
		}
		if err != nil {
			g.File = File{Path: strings.ToValidUTF8(name, "\uFFFD"), Error: agent.AsError(err).Message}
		}
		seen[name] = g
		files = append(files, g.File)
	}
	return files
}

// glanceAt reads a file, and the workflow in it, unless nothing was written to it since before.
func glanceAt(root *os.Root, name string, before glance) (glance, error) {
	if err := checkName(path.Base(name)); err != nil {
		return glance{}, err
	}
	if info, err := root.Stat(name); err == nil && before.isOf(info) {
		return before, nil
	}
	now := time.Now()
	content, info, err := read(root, name)
	if err != nil {
		return glance{}, err
	}
	p := Parse(content)
	file := File{Path: name, Version: version(content), ChangedAt: info.ModTime(), Problems: len(p.Problems)}
	if p.Graph != nil {
		file.Nodes = len(p.Graph.Nodes)
	}
	if p.Graph != nil && p.Graph.Name != nil {
		file.Name = *p.Graph.Name
	}
	return glance{info, now, file}, nil
}

// Read gives the content of a file, and its version; ErrNoFile if there is none.
func (s *Shelf) Read(name string) (content []byte, at string, err error) {
	if err := CheckPath(name); err != nil {
		return nil, "", err
	}
	root, err := s.open()
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	if content, _, err = read(root, name); err != nil {
		return nil, "", err
	}
	return content, version(content), nil
}

// Save writes a file, whole or not at all, and gives its new version. It makes it if replaces is empty, else ErrTaken; and otherwise
// takes the place of that version of it only, else ErrChanged. Of those who save at once through Parley, one does; another program
// may write between the comparison and the moment that the file has its place, and loses what it wrote.
func (s *Shelf) Save(name string, content []byte, replaces string) (at string, err error) {
	if err := CheckPath(name); err != nil {
		return "", err
	}
	if len(content) > MaxFile {
		return "", ErrTooLarge
	}
	root, err := s.open()
	if err != nil {
		return "", err
	}
	defer root.Close()
	s.saving.Lock()
	defer s.saving.Unlock()
	if replaces == "" {
		err = create(root, name, content)
	} else {
		err = replace(root, name, content, replaces)
	}
	if err != nil {
		return "", err
	}
	whole.Tidy(root, path.Dir(name))
	return version(content), nil
}

func create(root *os.Root, name string, content []byte) error {
	folder, base := path.Split(name)
	if err := root.MkdirAll(path.Clean(folder), 0o755); err != nil {
		return notWritten(err)
	}
	entries, err := fs.ReadDir(root.FS(), path.Clean(folder))
	if err != nil {
		return notWritten(err)
	}
	// Where small and capital letters are the same, the two would be one file.
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), base) }) {
		return ErrTaken
	}
	err = whole.Create(root, name, content, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return ErrTaken
	}
	return notWritten(err)
}

func replace(root *os.Root, name string, content []byte, replaces string) error {
	if info, err := root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return agent.Errorf(agent.CodeValidation, "The workflow was not saved: the file is a link to another one. Open that one, or save it under another name.")
	}
	now, _, err := read(root, name)
	if errors.Is(err, ErrNoFile) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	if version(now) != replaces {
		return ErrChanged
	}
	return notWritten(whole.Write(root, name, content, 0o644))
}

func notWritten(err error) error {
	if err == nil {
		return nil
	}
	return agent.Wrap(agent.CodeValidation, err, "The workflow was not saved: its folder cannot be written to, is a link out of the project, or the disk is full. Save it in another folder, or look at the permissions.")
}

// ErrTooLarge says so of a file, and of what is to be one.
var ErrTooLarge = agent.Errorf(agent.CodeValidation, "A workflow has %d MiB at most, and this is larger. Take something out of it.", MaxFile>>20)

func read(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	content, info, err := config.ReadFile(root, name, MaxFile, ErrTooLarge)
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoFile
	}
	return content, info, err
}

func version(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// CheckPath refuses what is no path of a workflow, in the folder of any project.
func CheckPath(name string) error {
	if path.Clean(name) != name || !slices.Contains(folders, path.Dir(name)) || !isWorkflow(path.Base(name)) {
		return agent.Errorf(agent.CodeValidation, "A workflow is in the project's folder, in workflows or in .parley/workflows, and the name of its file ends in %s.", Extension)
	}
	return checkName(path.Base(name))
}

// checkName refuses a name that not every system can have.
func checkName(name string) error {
	odd := func(r rune) bool { return unicode.IsControl(r) || strings.ContainsRune(`\:*?"<>|`, r) }
	if len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, odd) || !filepath.IsLocal(name) {
		return agent.Errorf(agent.CodeValidation, "The name of the file is too long, or has a character that not every system can have in one. Give it another name.")
	}
	return nil
}

func isWorkflow(name string) bool {
	return strings.HasSuffix(name, Extension) && !strings.HasPrefix(name, ".")
}
