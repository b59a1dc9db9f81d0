package workflow

import (
	"sync"

	"parley/backend/agent"
	"parley/backend/watch"
)

// Shelves has the shelf of every project. All methods may be called at once.
type Shelves struct {
	own     string
	folder  func(agent.ProjectID) string
	watcher *watch.Watcher
	saving  sync.Mutex // one for all: a folder of a project may be a project, too

	mu       sync.Mutex
	byFolder map[string]*Shelf
}

// NewShelves takes the person's configuration folder, which exists, and what gives the folder of a project.
func NewShelves(own string, folder func(agent.ProjectID) string, watcher *watch.Watcher) *Shelves {
	return &Shelves{own: own, folder: folder, watcher: watcher, byFolder: map[string]*Shelf{}}
}

// Of gives the shelf of a project. That of the default project is in the person's folder if it has none; another one has none until
// it was opened, and nothing is on its shelf.
func (s *Shelves) Of(project agent.ProjectID) *Shelf {
	folder := s.folder(project)
	s.mu.Lock()
	defer s.mu.Unlock()
	at := folder
	if at == "" && project == agent.DefaultProject {
		at = s.own
	}
	if s.byFolder[at] == nil {
		s.byFolder[at] = &Shelf{Folder: folder, root: at, watcher: s.watcher, saving: &s.saving, changed: make(chan struct{})}
	}
	return s.byFolder[at]
}
