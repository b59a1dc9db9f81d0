package config

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/watch"
)

// Source says where an agent comes from.
type Source string

// The sources; the enum is closed.
const (
	SourceBuiltIn Source = "builtin"
	SourceMade    Source = "made"    // in the app
	SourceOwn     Source = "own"     // a file of the person
	SourceProject Source = "project" // a file of the project
)

// Entry is an agent that there is.
type Entry struct {
	agent.Spec
	Source    Source
	Path      string // of its file
	Untrusted bool   // it comes with a project that the person does not trust, and cannot be used
}

// List is every agent of a project: the default one first. Of two with one id, the first is.
type List struct {
	Agents  []Entry
	Broken  []File // those with problems
	Own     string // the folder of the person's files
	Project string // the folder of the project's; empty if it has none
	Trusted bool   // the project
}

// Options is what a catalog is made of.
type Options struct {
	BuiltIn Agents
	Known   Known
	Own     string                       // the person's configuration folder, which exists
	Folder  func(agent.ProjectID) string // that a project's sessions are about; empty if none
	Watcher *watch.Watcher
	Log     *slog.Logger
}

// Catalog knows every agent: those that are built in, those that were made in the app, and those in files, which are watched. All
// methods may be called at once.
type Catalog struct {
	Options

	mu      sync.Mutex
	files   map[folder][]File // of the folders that anybody asked for
	changed chan struct{}     // closed with the next change
}

// NewCatalog reads and watches nothing yet.
func NewCatalog(o Options) *Catalog {
	return &Catalog{Options: o, files: map[folder][]File{}, changed: make(chan struct{})}
}

// Changed gives a channel that is closed when there are other agents than now.
func (c *Catalog) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// tell says that there are other agents. The caller holds mu.
func (c *Catalog) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// reload reads a folder again.
func (c *Catalog) reload(f folder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.files[f]
	c.read(f)
	if !reflect.DeepEqual(before, c.files[f]) {
		c.tell()
	}
}

// read reads a folder. The caller holds mu.
func (c *Catalog) read(f folder) {
	files, err := f.read(c.Known, c.files[f])
	if err != nil {
		c.Log.Warn("agent files could not be read", "folder", f.path(), "error", err)
	}
	c.files[f] = files
}

// in gives the agent files of a folder, which is watched from then on.
func (c *Catalog) in(f folder) []File {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.files[f]; !known {
		c.Watcher.Add(func() { c.reload(f) }, agentSuffix, f.above, f.name) // first, or what changes meanwhile is missed
		c.read(f)
	}
	return c.files[f]
}

func (c *Catalog) own() folder { return folder{c.Own, "agents"} }

// of gives the folder of a project's agents; ok is false if the project has no folder.
func (c *Catalog) of(project agent.ProjectID) (f folder, ok bool) {
	dir := c.Folder(project)
	return folder{dir, filepath.Join(".parley", "agents")}, dir != ""
}

// List gives every agent of a project.
func (c *Catalog) List(ctx context.Context, s *store.Store, project agent.ProjectID) (List, error) {
	list := List{Own: c.own().path()}
	for _, spec := range c.BuiltIn {
		list.add(Entry{Spec: spec, Source: SourceBuiltIn})
	}
	made, err := s.Agents(ctx)
	if err != nil {
		return list, err
	}
	for _, spec := range made {
		list.add(Entry{Spec: spec, Source: SourceMade})
	}
	list.addFiles(c.in(c.own()), SourceOwn, false)
	f, ok := c.of(project)
	if !ok {
		return list, nil
	}
	list.Project = f.path()
	if list.Trusted, err = s.Trusts(ctx, agent.ProjectAt(f.above)); err != nil {
		return list, err
	}
	list.addFiles(c.in(f), SourceProject, !list.Trusted)
	return list, nil
}

func (l *List) addFiles(files []File, source Source, untrusted bool) {
	for _, f := range files {
		isTaken := f.Agent.ID != "" && !l.add(Entry{f.Agent, source, f.Path, untrusted})
		if isTaken {
			f.Problems = append(slices.Clip(f.Problems), Problem{1, 1, "id", fmt.Sprintf("There is an agent %q already. Give this one another id.", f.Agent.ID)})
		}
		if len(f.Problems) > 0 {
			l.Broken = append(l.Broken, f)
		}
	}
}

func (l *List) add(e Entry) bool {
	if _, taken := l.Find(e.ID); taken {
		return false
	}
	l.Agents = append(l.Agents, e)
	return true
}

// Find gives the agent with an id.
func (l *List) Find(id string) (Entry, bool) {
	i := slices.IndexFunc(l.Agents, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return Entry{}, false
	}
	return l.Agents[i], true
}

// Find gives the agent of a project with an id, for use; an empty id is the default one.
func (c *Catalog) Find(ctx context.Context, s *store.Store, project agent.ProjectID, id string) (agent.Spec, error) {
	if spec, err := c.BuiltIn.Find(id); err == nil {
		return spec, nil
	}
	list, err := c.List(ctx, s, project)
	if err != nil {
		return agent.Spec{}, err
	}
	found, ok := list.Find(id)
	switch {
	case !ok:
		ids := make([]string, len(list.Agents))
		for i, e := range list.Agents {
			ids[i] = e.ID
		}
		return agent.Spec{}, agent.Errorf(agent.CodeValidation, "There is no agent %q. There are: %s.", id, strings.Join(ids, ", "))
	case found.Untrusted:
		return agent.Spec{}, agent.Errorf(agent.CodeValidation, "The agent %q comes with a project that you do not trust. Look at %s, then trust the project to use it.", id, found.Path)
	}
	return found.Spec, nil
}

// Trust says whether the person trusts a project, and with it the files of its folder.
func (c *Catalog) Trust(ctx context.Context, s *store.Store, project agent.ProjectID, trusted bool) error {
	f, ok := c.of(project)
	if !ok {
		return errNoFolder
	}
	if err := s.Trust(ctx, agent.ProjectAt(f.above), trusted); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell()
	return nil
}

var errNoFolder = agent.Errorf(agent.CodeValidation, "This project has no folder that files could be in.")

// Make keeps an agent that was made in the app, instead of the one with its id that was made there before.
func (c *Catalog) Make(ctx context.Context, s *store.Store, project agent.ProjectID, spec agent.Spec) error {
	text, err := Format(spec)
	if err != nil {
		return err
	}
	spec, problems := c.Known.Parse(text)
	if len(problems) > 0 {
		lines := make([]string, len(problems))
		for i, p := range problems {
			lines[i] = strings.TrimPrefix(p.Key+": "+p.Message, ": ")
		}
		return agent.Errorf(agent.CodeValidation, "%s", strings.Join(lines, "\n"))
	}
	list, err := c.List(ctx, s, project)
	if err != nil {
		return err
	}
	if taken, ok := list.Find(spec.ID); ok && taken.Source != SourceMade {
		return agent.Errorf(agent.CodeValidation, "id: There is an agent %q already. Give this one another id.", spec.ID)
	}
	return c.change(s.PutAgent(ctx, spec))
}

// Remove removes an agent that was made in the app; store.ErrNotFound if there is none.
func (c *Catalog) Remove(ctx context.Context, s *store.Store, id string) error {
	return c.change(s.DeleteAgent(ctx, id))
}

// Save makes a file of an agent that was made in the app, in the person's folder or in the project's, and gives its path. From
// then on it is the file.
func (c *Catalog) Save(ctx context.Context, s *store.Store, project agent.ProjectID, id string, to Source) (string, error) {
	list, err := c.List(ctx, s, project)
	if err != nil {
		return "", err
	}
	found, ok := list.Find(id)
	if !ok || found.Source != SourceMade {
		return "", store.ErrNotFound
	}
	f := c.own()
	switch to {
	case SourceOwn:
	case SourceProject:
		if f, ok = c.of(project); !ok {
			return "", errNoFolder
		}
	default:
		return "", agent.Errorf(agent.CodeValidation, "An agent is saved to own or project, not to %q.", to)
	}
	path, err := f.write(found.Spec)
	if err != nil {
		return "", err
	}
	c.reload(f) // or it would be gone until the watcher tells
	return path, c.change(s.DeleteAgent(ctx, id))
}

// change tells of a change that was stored.
func (c *Catalog) change(err error) error {
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.tell()
	}
	return err
}
