package tool

import (
	"context"
	"errors"
	"io/fs"

	"parley/backend/agent"
)

// ForProgram is f for what a program does that is no tool of ours; say is told what it writes.
func (f *Files) ForProgram(say func(agent.Event)) *Files { return f.during(false, say) }

// ForPerson is f for what a person does with files that an agent wrote: they may write what is protected.
func (f *Files) ForPerson() *Files { return f.during(true, func(agent.Event) {}) }

// Content gives what the file at a path holds; nil if there is no file.
func (f *Files) Content(path string) ([]byte, error) {
	why := reading
	if f.approved {
		why = writing
	}
	p, err := f.find(path, why)
	if err != nil {
		return nil, unusable(err, path)
	}
	defer p.close()
	content, _, err := p.load()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, unusable(err, path)
	}
	return append([]byte{}, content...), nil
}

// Replace puts content into the file at a path, in one step; nil removes the file.
func (f *Files) Replace(ctx context.Context, path string, content []byte) error {
	p, err := f.find(path, writing)
	if err != nil {
		return unusable(err, path)
	}
	defer p.close()
	old, info, err := p.load()
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return unusable(err, path)
	case content != nil:
		_, err = p.save(ctx, content, old, info, true)
	case info != nil:
		err = p.layers[0].Remove(p.name)
	default:
		return nil
	}
	if err != nil {
		return unusable(err, path)
	}
	return nil
}

func unusable(err error, path string) error {
	return agent.Wrap(agent.CodeToolFailed, err, explain(err, path).Error())
}
