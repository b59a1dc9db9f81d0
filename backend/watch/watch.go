// Package watch tells when files change. A process has one Watcher: the system gives a user a hundred or so.
package watch

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Delay is how long changes are collected before they are told of: one save is several of them.
const Delay = 100 * time.Millisecond

// Watcher watches folders. All methods may be called at once.
type Watcher struct {
	log    *slog.Logger
	system *fsnotify.Watcher // nil if the system gave none
	ended  chan struct{}

	mu   sync.Mutex
	sets []*set
}

// set is folders that are watched together, whether they are there or not.
type set struct {
	above   string
	paths   []string
	ending  string
	changed func()
	due     bool
}

// New makes a watcher that watches nothing yet, or if the system refuses one, never anything.
func New(log *slog.Logger) *Watcher {
	w := &Watcher{log: log, ended: make(chan struct{})}
	system, err := fsnotify.NewBufferedWatcher(1024) // so that the system's own queue is emptied while somebody is told
	if err != nil {
		log.Warn("files are not watched: what changes is seen when Parley starts again", "error", err)
		close(w.ended)
		return w
	}
	w.system = system
	go w.run()
	return w
}

// Close ends the watching. Once it returns nobody is told anything any more.
func (w *Watcher) Close() {
	if w.system == nil {
		return
	}
	if err := w.system.Close(); err != nil {
		w.log.Warn("the watching of files did not end cleanly", "error", err)
	}
	<-w.ended
}

// Add watches the folders that are called by some names in another one, which has to be there. The folders themselves need not be,
// nor those between; files in them count whose names have the ending, and not what is deeper. Some time after something changed in one
// of them it calls changed, never twice at once. What it is told does not say what that was, because the system does not always: look
// at all of them. Once the folder above all was removed, it is watched again from a call of follow on that finds it there anew.
func (w *Watcher) Add(changed func(), ending, above string, names ...string) (follow func()) {
	if w.system == nil {
		return func() {}
	}
	s := &set{above: filepath.Clean(above), ending: ending, changed: changed}
	for _, name := range names {
		s.paths = append(s.paths, filepath.Join(above, name))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sets = append(w.sets, s)
	w.followAll(s)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.followAll(s)
	}
}

func (w *Watcher) followAll(s *set) {
	for _, path := range s.paths {
		w.follow(s, path)
	}
}

// follow watches every folder on the way, the outermost first, because each may be made, moved or removed. That one is missing
// is no error.
func (w *Watcher) follow(s *set, path string) {
	isFirst := path == s.above || path == filepath.Dir(path)
	if !isFirst {
		w.follow(s, filepath.Dir(path))
	}
	if err := w.system.Add(path); err != nil && isFirst {
		w.log.Warn("changes of files are not seen", "folder", path, "error", err)
	}
}

// concerns reports whether a change is on the way to one of the folders, or in it.
func (s *set) concerns(name string) bool {
	return slices.ContainsFunc(s.paths, func(path string) bool {
		return filepath.Dir(name) == path && strings.HasSuffix(name, s.ending) || name == path || strings.HasPrefix(path, name+string(filepath.Separator))
	})
}

func (w *Watcher) run() {
	defer close(w.ended)
	var due <-chan time.Time
	for {
		isChange := false
		select {
		case event, open := <-w.system.Events:
			if !open {
				return
			}
			isChange = event.Op != fsnotify.Chmod && w.note(func(s *set) bool { return s.concerns(event.Name) })
		case err, open := <-w.system.Errors:
			if !open {
				return
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.log.Warn("changes of files may not be seen", "error", err)
			}
			isChange = w.note(func(*set) bool { return true }) // nobody knows what was missed
		case <-due:
			due = nil
			for _, s := range w.again() {
				s.changed()
			}
		}
		if isChange && due == nil {
			due = time.After(Delay)
		}
	}
}

// note keeps which sets a change concerns, and reports whether it does any.
func (w *Watcher) note(concerns func(*set) bool) (any bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sets {
		if concerns(s) {
			s.due, any = true, true
		}
	}
	return any
}

// again gives the sets in which something changed, and follows what may have been made there since.
func (w *Watcher) again() (due []*set) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.sets {
		if s.due {
			s.due, due = false, append(due, s)
			w.followAll(s)
		}
	}
	return due
}
