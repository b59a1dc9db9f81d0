// Package revert takes back what the runs of agents wrote to files, and gives it back. It touches only what a run wrote,
// needs no version control, and leaves what a person has changed since.
package revert

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/tool"
)

// Revert works on the files of one store's sessions. All methods may be called at once.
type Revert struct {
	store  *store.Store
	policy func(store.Session) agent.Policy // what a session's agent may touch

	mu sync.Mutex // held while files are written
}

// New makes a Revert.
func New(s *store.Store, policy func(store.Session) agent.Policy) *Revert {
	return &Revert{store: s, policy: policy}
}

// File is what a turn's run did to a file.
type File struct {
	Path     string
	Diffs    []string // what the run changed, each from where a person had changed the file in between; of what is no text none
	Created  bool     // by the run
	Reverted bool
	changes  []store.FileChange // in order
}

// Files lists what the run of an answer wrote, in the order in which it began to.
func (r *Revert) Files(ctx context.Context, key agent.SessionKey, answer agent.MessageID) ([]File, error) {
	turn, err := r.store.Turn(ctx, key, answer)
	if err != nil {
		return nil, err
	}
	changes, err := r.store.FileChanges(ctx, key, turn.ID)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, c := range changes {
		i := slices.IndexFunc(files, func(f File) bool { return f.Path == c.Path })
		if i < 0 {
			files, i = append(files, File{Path: c.Path, Created: c.Before == nil}), len(files)
		}
		f := &files[i]
		f.changes = append(f.changes, c)
		f.Reverted = c.ByPerson && !f.Reverted
	}
	for i := range files {
		for _, w := range files[i].writes() {
			if d := diff(w.Path, w.Before, w.After); d != "" {
				files[i].Diffs = append(files[i].Diffs, d)
			}
		}
	}
	return files, nil
}

// writes are those of the run, each from where a person had changed the file in between, or had not.
func (f File) writes() (list []store.FileChange) {
	for _, c := range f.changes {
		last := len(list) - 1
		switch {
		case c.ByPerson:
		case last >= 0 && same(list[last].After, c.Before):
			list[last].After = c.After
		default:
			list = append(list, c)
		}
	}
	return list
}

// Step is what taking a file back, or giving it back, does to it.
type Step struct {
	Path      string
	Diff      string // from how the file is to how it will be, or was made; empty if it stays as it is
	Conflicts []Conflict
}

// Request names what is to be taken back, or given back.
type Request struct {
	Key    agent.SessionKey
	Answer agent.MessageID
	Paths  []string // of some files; empty is all that the answer's run wrote
	Undo   bool     // give back what is taken back; otherwise take back what is not
}

// Preview says what Apply would do.
func (r *Revert) Preview(ctx context.Context, q Request) ([]Step, error) {
	return r.each(ctx, q, func(*tool.Files, agent.TurnID, store.FileChange) error { return nil })
}

// Apply takes back what a run wrote to files, or undoes that.
func (r *Revert) Apply(ctx context.Context, q Request) ([]Step, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx = context.WithoutCancel(ctx) // half of it would be worse than all or nothing
	return r.each(ctx, q, func(files *tool.Files, turn agent.TurnID, c store.FileChange) error {
		if err := files.Replace(ctx, c.Path, c.After); err != nil {
			return err
		}
		err := r.store.AddFileChange(ctx, q.Key, turn, c)
		if err != nil { // what is not remembered could not be undone
			err = errors.Join(err, files.Replace(ctx, c.Path, c.Before))
		}
		return err
	})
}

// each finds out what is to be done to each file, and does it.
func (r *Revert) each(ctx context.Context, q Request, do func(*tool.Files, agent.TurnID, store.FileChange) error) ([]Step, error) {
	session, err := r.store.Session(ctx, q.Key)
	if err != nil {
		return nil, err
	}
	turn, err := r.store.Turn(ctx, q.Key, q.Answer)
	if err != nil {
		return nil, err
	}
	written, err := r.Files(ctx, q.Key, q.Answer)
	if err != nil {
		return nil, err
	}
	steps := []Step{}
	for _, f := range written {
		if f.Reverted != q.Undo || len(q.Paths) > 0 && !slices.Contains(q.Paths, f.Path) {
			continue
		}
		files, err := r.open(session, f.Path)
		if err != nil {
			return steps, err
		}
		step, change, err := f.step(files)
		if err == nil && change != nil {
			err = do(files, turn.ID, *change)
		}
		files.Close()
		if err != nil {
			return steps, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// step says what comes next for a file, and which change of it that is; nil if it stays as it is.
func (f File) step(files *tool.Files) (Step, *store.FileChange, error) {
	now, err := files.Content(f.Path)
	if err != nil {
		return Step{}, nil, err
	}
	back := f.writes()
	if f.Reverted {
		back = f.changes[len(f.changes)-1:]
	}
	merged := now
	var conflicts []Conflict
	for _, c := range slices.Backward(back) {
		var met []Conflict
		merged, met = merge(c.After, c.Before, merged)
		conflicts = append(conflicts, met...)
	}
	step := Step{Path: f.Path, Conflicts: conflicts}
	if same(merged, now) {
		return step, nil, nil
	}
	step.Diff = diff(f.Path, now, merged)
	return step, &store.FileChange{Path: f.Path, Before: now, After: merged, ByPerson: true}, nil
}

// open gives the files among which one is that a session's run wrote: those of the session's own folder, of its working
// folder, or all if it reaches them. What else is said to be written was not, or is not the session's any more.
func (r *Revert) open(session store.Session, path string) (*tool.Files, error) {
	policy := r.policy(session)
	switch {
	case agent.Within(path, policy.Scratch):
		policy.Scope, policy.Folder = agent.FilesSandboxed, ""
	case policy.Folder != "" && agent.Within(path, policy.Folder):
		policy.Scope = agent.FilesProject
	case policy.Scope != agent.FilesFull:
		return nil, agent.Errorf(agent.CodeValidation, "%s is outside of what this session reaches now. Let the session reach it again, then retry.", path)
	}
	files, err := tool.OpenFiles(policy)
	if err != nil {
		return nil, err
	}
	return files.ForPerson(), nil
}

// diff is a unified one; empty if there is nothing to be seen as text.
func diff(path string, before, after []byte) string {
	if !isText(before) || !isText(after) {
		return ""
	}
	name := func(prefix string, content []byte) string {
		if content == nil {
			return "/dev/null"
		}
		return prefix + strings.TrimPrefix(filepath.ToSlash(path), "/")
	}
	return udiff.Unified(name("a/", before), name("b/", after), string(before), string(after))
}
