// Package watch tells when files change. A process has one Watcher: the system gives a user a hundred or so.
package watch

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Delay is how long changes are collected before they are told of: one save is several of them.
const Delay = 100 * time.Millisecond

// Watcher watches folders. All methods may be called at once.
type Watcher struct {
	changed func()
	log     *slog.Logger
	system  *fsnotify.Watcher
	ended   chan struct{}

	mu      sync.Mutex
	folders []folder
}

// folder is one that is watched, whether it is there or not.
type folder struct{ above, path string }

// New makes a watcher that watches nothing yet. It calls changed, never twice at once, some time after something changed in
// one of the folders. What it is told does not say what that was, because the system does not always: look at all of them.
func New(changed func(), log *slog.Logger) (*Watcher, error) {
	system, err := fsnotify.NewBufferedWatcher(1024) // so that the system's own queue is emptied while changed is busy
	if err != nil {
		return nil, err
	}
	w := &Watcher{changed: changed, log: log, system: system, ended: make(chan struct{})}
	go w.run()
	return w, nil
}

// Close ends the watching. Once it returns changed is not called any more.
func (w *Watcher) Close() error {
	err := w.system.Close()
	<-w.ended
	return err
}

// Add watches the folder that is called name in another one, which has to be there. The folder itself need not be, nor those
// between; files in it count, and not what is deeper.
func (w *Watcher) Add(above, name string) {
	f := folder{filepath.Clean(above), filepath.Join(above, name)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.folders = append(w.folders, f)
	w.follow(f, f.path)
}

// follow watches every folder on the way, the outermost first, because each may be made, moved or removed. That one is missing
// is no error.
func (w *Watcher) follow(f folder, path string) {
	isFirst := path == f.above || path == filepath.Dir(path)
	if !isFirst {
		w.follow(f, filepath.Dir(path))
	}
	if err := w.system.Add(path); err != nil && isFirst {
		w.log.Warn("changes of files are not seen", "folder", f.path, "error", err)
	}
}

// concerns reports whether a change is on the way to a folder that is watched, or in it.
func (w *Watcher) concerns(name string) bool {
	for _, f := range w.folders {
		if filepath.Dir(name) == f.path || name == f.path || strings.HasPrefix(f.path, name+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

func (w *Watcher) run() {
	defer close(w.ended)
	var due <-chan time.Time
	for {
		select {
		case event, open := <-w.system.Events:
			if !open {
				return
			}
			if due == nil && w.isChange(event) {
				due = time.After(Delay)
			}
		case err, open := <-w.system.Errors:
			if !open {
				return
			}
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.log.Warn("changes of files may not be seen", "error", err)
			}
			if due == nil {
				due = time.After(Delay) // nobody knows what was missed
			}
		case <-due:
			due = nil
			w.again()
			w.changed()
		}
	}
}

func (w *Watcher) isChange(event fsnotify.Event) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return event.Op != fsnotify.Chmod && w.concerns(event.Name)
}

// again follows what may have been made since.
func (w *Watcher) again() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.folders {
		w.follow(f, f.path)
	}
}
