package tool

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/backend/agent"
)

// Files is what tools reach of the file system: every path that a tool is given goes through it. Close it.
//
// A sandboxed agent sees two folders as one: its own, which it writes to, and the working folder, which shines through where
// its own has nothing. In the other scopes there is one.
//
// What a path leads to is followed from directory to directory, by their descriptors, so that nobody who changes the tree
// meanwhile can make a tool use another place than the one that was checked.
type Files struct {
	full     bool
	base     string        // where relative paths begin
	mounts   []string      // paths of what is seen there
	layers   layers        // of base
	data     fs.FileInfo   // of Parley's own folder; nil if it is not here
	home     string        // of the programs that run here; empty: the person's
	lent     []string      // variables of the commands that run here, beside those of every program
	search   *agent.Search // that web_search asks; nil if there is none
	approved bool          // a person has allowed to write what is protected
	say      say           // is told what a call writes
}

// layers are the folders that are seen as one: first the one that is written to, then what shines through. Either may be nil.
type layers [2]*os.Root

func (l layers) close() {
	for _, root := range l {
		if root != nil {
			root.Close()
		}
	}
}

// OpenFiles opens what policy lets an agent reach. Its folders must exist.
func OpenFiles(policy agent.Policy) (*Files, error) {
	f := &Files{full: policy.Scope == agent.FilesFull, base: policy.Dir()}
	folders := []string{f.base}
	if f.base == policy.Scratch && policy.Folder != "" {
		folders = append(folders, policy.Folder)
	}
	if _, err := os.ReadDir(os.Getenv("HOME")); err != nil && policy.Private != "" { // a confined runner may not read it
		f.home = filepath.Join(policy.Private, "home")
	}
	if policy.Data != "" {
		f.data, _ = os.Stat(policy.Data)
		if policy.Folder != "" && f.isInData(policy.Folder) {
			return nil, agent.Errorf(agent.CodeValidation, "The session is about a folder where Parley keeps what it has. Choose another.")
		}
	}
	for i, folder := range folders {
		root, err := os.OpenRoot(folder)
		if err != nil {
			f.layers.close()
			return nil, agent.Wrap(agent.CodeSandbox, err, "The folder that the agent's tools work in cannot be opened.")
		}
		f.layers[i] = root
		f.mounts = append(f.mounts, folder)
		if real, err := filepath.EvalSymlinks(folder); err == nil && real != folder {
			f.mounts = append(f.mounts, real)
		}
	}
	return f, nil
}

// Close may be called twice.
func (f *Files) Close() error {
	f.layers.close()
	return nil
}

// during is f for one call.
func (f *Files) during(approved bool, say say) *Files {
	during := *f
	during.approved, during.say = approved, say
	return &during
}

// Protected reports whether it takes a person's approval to write what name leads to.
func (f *Files) Protected(name string) bool {
	p, err := f.find(name, writing)
	if err == nil {
		p.close()
	}
	var protected protection
	return errors.As(err, &protected)
}

// absolute is the path of what was written at a place.
func (f *Files) absolute(at string) string {
	if at = filepath.FromSlash(at); filepath.IsAbs(at) {
		return at
	}
	return filepath.Join(f.base, at)
}

// locate gives the directory that a name begins in, and the way from there, without any "..".
func (f *Files) locate(name string) (start dir, rest string, err error) {
	native := filepath.FromSlash(name)
	if !filepath.IsAbs(native) {
		native = filepath.Join(f.base, native)
	}
	for _, mount := range f.mounts {
		if rest, err := filepath.Rel(mount, native); err == nil && filepath.IsLocal(rest) {
			start, err := f.root()
			return start, filepath.ToSlash(rest), err
		}
	}
	if !f.full {
		return dir{}, "", outside(name)
	}
	top := filepath.VolumeName(native) + string(filepath.Separator)
	root, err := os.OpenRoot(top)
	if err != nil {
		return dir{}, "", err
	}
	rest, err = filepath.Rel(top, native)
	return dir{f, filepath.ToSlash(top), layers{root}}, filepath.ToSlash(rest), err
}

// root is the directory that relative paths begin in.
func (f *Files) root() (dir, error) {
	d := dir{files: f, path: "."}
	for i, root := range f.layers {
		if root == nil {
			continue
		}
		var err error
		if d.layers[i], err = root.OpenRoot("."); err != nil {
			d.close()
			return dir{}, err
		}
	}
	return d, nil
}

// find gives the place that name leads to. What lies outside or is protected is refused. The place need not exist.
func (f *Files) find(name string, why intent) (*place, error) {
	const maxLinks = 40 // more than an honest path has
	at := name
	for range maxLinks {
		d, rest, err := f.locate(at)
		if err != nil {
			return nil, err
		}
		if why != writing || !f.approved {
			err = protect(path.Join(d.path, rest), name, why)
		}
		if err != nil {
			d.close()
			return nil, err
		}
		p, leads, err := d.follow(rest)
		switch {
		case errors.Is(err, errData):
			return nil, refuse("%s is in the folder where Parley keeps what it has. It may not be %s.", name, why)
		case err != nil:
			return nil, err
		case p != nil:
			p.said = name
			return p, nil
		}
		at = leads
	}
	return nil, outside(name)
}

// about is the folder that the session is about; its own if there is none.
func (f *Files) about() string {
	if f.layers[1] != nil {
		return f.layers[1].Name()
	}
	return f.layers[0].Name()
}

// dir opens the directory at a path that leads through no symbolic link.
func (f *Files) dir(at string) (dir, error) {
	d, rest, err := f.locate(at)
	if err != nil || rest == "." {
		return d, err
	}
	return d.descend(rest, dir.sub)
}

// make opens the directory at a path as dir does, made where there is none, so that there is a layer to write to.
func (f *Files) make(at string) (dir, error) {
	d, rest, err := f.locate(at)
	if err != nil || rest == "." {
		return d, err
	}
	return d.descend(rest, func(d dir, name string) (dir, error) {
		if err := d.layers[0].Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return dir{}, err
		}
		return d.sub(name)
	})
}

// folder gives the path of a directory, for programs to run in. In a sandbox it is the session's own, if that has it.
func (f *Files) folder(name string) (string, error) {
	p, err := f.find(name, reading)
	if err != nil {
		return "", err
	}
	defer p.close()
	d, err := p.open()
	if err != nil {
		return "", err
	}
	defer d.close()
	for _, layer := range d.layers {
		if layer != nil {
			return filepath.Clean(layer.Name()), nil
		}
	}
	return "", fs.ErrNotExist
}

// dir is an open directory. Close it.
type dir struct {
	files *Files
	path  string // from where relative paths begin; absolute if it is not there
	layers
}

// descend goes the way that rest says with step, and closes what it leaves.
func (d dir) descend(rest string, step func(dir, string) (dir, error)) (dir, error) {
	for name := range strings.SplitSeq(rest, "/") {
		next, err := step(d, name)
		d.close()
		if err != nil {
			return dir{}, err
		}
		d = next
	}
	return d, nil
}

// follow gives the place that the way rest from d leads to, or, at a symbolic link, the path that it leads on to. It closes d
// if it is not in the place.
func (d dir) follow(rest string) (p *place, leads string, err error) {
	for {
		name, more, further := strings.Cut(rest, "/")
		layer, info, err := d.look(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return &place{dir: d, name: rest}, "", nil
		case err != nil:
			d.close()
			return nil, "", err
		case info.Mode()&fs.ModeSymlink != 0:
			defer d.close()
			target, err := layer.Readlink(name)
			if leads = filepath.ToSlash(target); !filepath.IsAbs(target) {
				leads = path.Join(d.path, leads)
			}
			return nil, path.Join(leads, more), err
		case !further && info.IsDir() && d.files.isData(info):
			d.close()
			return nil, "", errData
		case !further:
			return &place{dir: d, name: name}, "", nil
		}
		next, err := d.sub(name)
		d.close()
		if err != nil {
			return nil, "", err
		}
		d, rest = next, more
	}
}

// look tells what name is in d, and in which layer it is. What is in a directory of d it does not know.
func (d dir) look(name string) (*os.Root, fs.FileInfo, error) {
	if strings.Contains(name, "/") {
		return nil, nil, fs.ErrNotExist
	}
	for _, layer := range d.layers {
		if layer == nil {
			continue
		}
		if info, err := layer.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return layer, info, err
		}
	}
	return nil, nil, fs.ErrNotExist
}

// sub opens a directory of d, which a symbolic link is not.
func (d dir) sub(name string) (dir, error) {
	sub := dir{files: d.files, path: path.Join(d.path, name)}
	found := false
	for i, layer := range d.layers {
		if layer == nil {
			continue
		}
		root, err := d.files.enter(layer, name)
		if errors.Is(err, fs.ErrNotExist) || found && errors.Is(err, errNoDir) {
			continue
		}
		if err != nil {
			sub.close()
			return dir{}, err
		}
		sub.layers[i], found = root, true
	}
	if !found {
		return dir{}, fs.ErrNotExist
	}
	return sub, nil
}

var (
	errNoDir = errors.New("not a directory")
	errSwap  = errors.New("changed meanwhile")
	errData  = errors.New("it is Parley's own folder")
)

// enter opens the directory name in layer, and sees to it that it is the one that has this name there.
func (f *Files) enter(layer *os.Root, name string) (*os.Root, error) {
	info, err := layer.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errNoDir
	}
	if f.isData(info) {
		return nil, errData
	}
	root, err := layer.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := root.Stat(".")
	if err == nil && !os.SameFile(info, now) {
		err = errSwap
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

func (f *Files) isData(info fs.FileInfo) bool { return f.data != nil && os.SameFile(info, f.data) }

// isInData reports whether a folder is Parley's own, or inside it, whatever it is called.
func (f *Files) isInData(folder string) bool {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	for {
		if info, err := os.Stat(folder); err == nil && f.isData(info) {
			return true
		}
		above := filepath.Dir(folder)
		if above == folder {
			return false
		}
		folder = above
	}
}

// entries lists what is in d, sorted by name.
func (d dir) entries() ([]fs.DirEntry, error) {
	open, err := d.folders()
	if err != nil {
		return nil, err
	}
	defer open.close()
	var all []fs.DirEntry
	for _, folder := range open {
		found, err := folder.list()
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return slices.CompactFunc(all, func(a, b fs.DirEntry) bool { return a.Name() == b.Name() }), nil
}

// folders are the layers of a directory, for going through many files. Close them; that may be done twice.
type folders []folder

func (d dir) folders() (open folders, err error) {
	for _, layer := range d.layers {
		if layer == nil {
			continue
		}
		folder, err := openFolder(layer)
		if err != nil {
			open.close()
			return nil, err
		}
		open = append(open, folder)
	}
	return open, nil
}

func (f folders) close() {
	for _, folder := range f {
		folder.Close()
	}
}

// load is folder's, from the first layer that has the file.
func (f folders) load(name string, buffer []byte) (content, grown []byte, err error) {
	grown, err = buffer, fs.ErrNotExist
	for _, folder := range f {
		if content, grown, err = folder.load(name, grown); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return content, grown, err
}
