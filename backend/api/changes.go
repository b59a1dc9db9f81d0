package api

import (
	"net/http"

	"parley/backend/agent"
	"parley/backend/revert"
)

// ChangeList is what the run of an answer wrote to files.
type ChangeList struct {
	Files []ChangedFile `json:"files"`
}

// ChangedFile is one of them. Its diffs are unified; a file that is no text has none, and one that a person changed while the
// run went on has more.
type ChangedFile struct {
	Path     string   `json:"path"`
	Diffs    []string `json:"diffs"`
	Created  bool     `json:"created"`
	Reverted bool     `json:"reverted"`
}

// RevertRequest takes back what a run wrote, or with undo gives it back; of all files, or of those with these paths. With preview
// it only says what that would do.
type RevertRequest struct {
	Paths   []string `json:"paths,omitempty"`
	Undo    bool     `json:"undo,omitempty"`
	Preview bool     `json:"preview,omitempty"`
}

// Reverted is what became of the files, or would.
type Reverted struct {
	Files []RevertedFile `json:"files"`
}

// RevertedFile is one of them. Diff is from how it is, or was, to how it will be, or is; empty if it stays. Where it was
// changed since, it stays: these are its conflicts.
type RevertedFile struct {
	Path      string     `json:"path"`
	Diff      string     `json:"diff"`
	Conflicts []Conflict `json:"conflicts"`
}

// Conflict is a place where a file was changed since. Line is counted from 1; with neither text it is the whole file.
type Conflict struct {
	Line int    `json:"line"`
	Mine string `json:"mine"` // what is there
	Back string `json:"back"` // what would be there
}

func (d inside) listChanges(r *http.Request) (ChangeList, error) {
	key, err := d.key(r)
	if err != nil {
		return ChangeList{}, err
	}
	files, err := d.Revert.Files(r.Context(), key, agent.MessageID(r.PathValue("answer")))
	list := ChangeList{Files: make([]ChangedFile, len(files))}
	for i, f := range files {
		list.Files[i] = ChangedFile{f.Path, append([]string{}, f.Diffs...), f.Created, f.Reverted}
	}
	return list, err
}

func (d inside) revert(r *http.Request, t RevertRequest) (Reverted, error) {
	key, err := d.key(r)
	if err != nil {
		return Reverted{}, err
	}
	do := d.Revert.Apply
	if t.Preview {
		do = d.Revert.Preview
	}
	steps, err := do(r.Context(), revert.Request{Key: key, Answer: agent.MessageID(r.PathValue("answer")), Paths: t.Paths, Undo: t.Undo})
	taken := Reverted{Files: make([]RevertedFile, len(steps))}
	for i, s := range steps {
		taken.Files[i] = RevertedFile{s.Path, s.Diff, make([]Conflict, len(s.Conflicts))}
		for j, c := range s.Conflicts {
			taken.Files[i].Conflicts[j] = Conflict(c)
		}
	}
	return taken, err
}
