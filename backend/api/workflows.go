package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/workflow"
)

// WorkflowFile is a file that a workflow of the project is in.
type WorkflowFile struct {
	Path      string `json:"path"` // in the project's folder, with slashes
	Name      string `json:"name"` // of the workflow; empty if it has none
	Version   string `json:"version"`
	ChangedAt int64  `json:"changedAt"` // milliseconds since 1970
	Nodes     int    `json:"nodes"`
	Problems  int    `json:"problems"`
	HasDraft  bool   `json:"hasDraft"`        // work on it is not in it yet
	Error     string `json:"error,omitempty"` // a sentence: why it cannot be read; nothing but the path is known then
}

// WorkflowList is the workflows of the project, by their paths.
type WorkflowList struct {
	Folder string         `json:"folder"` // the project's; empty if it has none
	Files  []WorkflowFile `json:"files"`
}

// OpenedWorkflow is the file of a workflow, and work on it that is not in it yet. There may be such work before there is a file.
type OpenedWorkflow struct {
	Path    string          `json:"path"`
	Version string          `json:"version"` // of the file; empty if there is none, or it cannot be read
	Checked CheckedWorkflow `json:"checked"` // the file
	Draft   *WorkflowDraft  `json:"draft,omitempty"`
}

// WorkflowDraft is work on a workflow that is not in its file yet.
type WorkflowDraft struct {
	Source   string          `json:"source"`            // whatever was typed
	Replaces string          `json:"replaces"`          // the version of the file that it began with; empty if there was none
	Session  agent.SessionID `json:"session,omitempty"` // that it was made of
}

// UnsavedWorkflow is a workflow that has a draft and no file.
type UnsavedWorkflow struct {
	Path      string          `json:"path"`
	Session   agent.SessionID `json:"session,omitempty"`
	ChangedAt int64           `json:"changedAt"`
}

// WorkflowDraftList is the workflows that were not saved yet.
type WorkflowDraftList struct {
	Drafts []UnsavedWorkflow `json:"drafts"`
}

// WorkflowToSave is what a file is to hold.
type WorkflowToSave struct {
	Source   string `json:"source"`
	Replaces string `json:"replaces"` // the version of the file that it takes the place of; empty: there must be none
}

// WorkflowSaved is a file that was saved.
type WorkflowSaved struct {
	Version string `json:"version"`
	Path    string `json:"path"`
}

// WorkflowsNotice is the socket's message that files of workflows were written, made or removed.
type WorkflowsNotice struct {
	Type string `json:"type"` // "workflows"
}

var (
	errNoWorkflow      = &refusal{http.StatusNotFound, "not_found", "There is no such workflow. It may have another name now: look at the list."}
	errWorkflowTaken   = &refusal{http.StatusConflict, "conflict", "The workflow was not saved: there is a file of this name already, or of one that differs in small and capital letters only. Choose another name."}
	errWorkflowChanged = &refusal{http.StatusConflict, "conflict", "The workflow was not saved: its file was changed or removed meanwhile, outside of this page. Look at it as it is now, or save yours under another name."}
)

// describeWorkflow gives the refusal for what the files of workflows say.
func describeWorkflow(err error) error {
	switch {
	case errors.Is(err, workflow.ErrNoFile):
		return errNoWorkflow
	case errors.Is(err, workflow.ErrTaken):
		return errWorkflowTaken
	case errors.Is(err, workflow.ErrChanged):
		return errWorkflowChanged
	}
	return err
}

// workflowPath reads the path in the query.
func workflowPath(r *http.Request) (string, error) {
	path := r.URL.Query().Get("path")
	return path, workflow.CheckPath(path)
}

func (d inside) listWorkflows(r *http.Request) (WorkflowList, error) {
	shelf := d.Workflows.Of(d.project)
	list := WorkflowList{Folder: shelf.Folder, Files: []WorkflowFile{}}
	files, err := shelf.List()
	if err != nil {
		return list, err
	}
	drafts, err := d.Store.WorkflowDrafts(r.Context(), d.project, shelf.Folder)
	for _, f := range files {
		hasDraft := slices.ContainsFunc(drafts, func(draft store.WorkflowDraft) bool { return draft.Path == f.Path })
		file := WorkflowFile{Path: f.Path, Name: f.Name, Version: f.Version, Nodes: f.Nodes, Problems: f.Problems, HasDraft: hasDraft, Error: f.Error}
		if f.Error == "" {
			file.ChangedAt = f.ChangedAt.UnixMilli()
		}
		list.Files = append(list.Files, file)
	}
	return list, err
}

// listWorkflowDrafts gives those of files that are not there: all, if the folder cannot be read, which the other list tells.
func (d inside) listWorkflowDrafts(r *http.Request) (WorkflowDraftList, error) {
	list := WorkflowDraftList{Drafts: []UnsavedWorkflow{}}
	shelf := d.Workflows.Of(d.project)
	files, _ := shelf.List()
	drafts, err := d.Store.WorkflowDrafts(r.Context(), d.project, shelf.Folder)
	for _, draft := range drafts {
		if !slices.ContainsFunc(files, func(f workflow.File) bool { return f.Path == draft.Path }) {
			list.Drafts = append(list.Drafts, UnsavedWorkflow{draft.Path, draft.Session, draft.ChangedAt.UnixMilli()})
		}
	}
	return list, err
}

// openWorkflow gives a file. If there is a draft for it, nothing that is wrong with the file keeps that back.
func (d inside) openWorkflow(r *http.Request) (OpenedWorkflow, error) {
	path, err := workflowPath(r)
	if err != nil {
		return OpenedWorkflow{}, err
	}
	shelf := d.Workflows.Of(d.project)
	draft, noDraft := d.Store.WorkflowDraft(r.Context(), d.project, shelf.Folder, path)
	if noDraft != nil && !errors.Is(noDraft, store.ErrNotFound) {
		return OpenedWorkflow{}, noDraft
	}
	src, version, err := shelf.Read(path)
	if err != nil && noDraft != nil {
		return OpenedWorkflow{}, describeWorkflow(err)
	}
	opened := OpenedWorkflow{Path: path, Version: version, Checked: checkedWorkflow(src)}
	if noDraft == nil {
		opened.Draft = &WorkflowDraft{draft.Source, draft.Replaces, draft.Session}
	}
	return opened, nil
}

// saveWorkflow writes a file. The draft for it stays: the page may have gone on meanwhile.
func (d inside) saveWorkflow(r *http.Request, body WorkflowToSave) (WorkflowSaved, error) {
	path, err := workflowPath(r)
	if err != nil {
		return WorkflowSaved{}, err
	}
	version, err := d.Workflows.Of(d.project).Save(path, []byte(body.Source), body.Replaces)
	return WorkflowSaved{version, path}, describeWorkflow(err)
}

func (d inside) putWorkflowDraft(r *http.Request, draft WorkflowDraft) (noBody, error) {
	path, err := workflowPath(r)
	if err == nil && len(draft.Source)+len(draft.Replaces) > workflow.MaxFile {
		err = workflow.ErrTooLarge
	}
	if err != nil {
		return noBody{}, err
	}
	folder := d.Workflows.Of(d.project).Folder
	return noBody{}, d.Store.PutWorkflowDraft(r.Context(), d.project, folder, store.WorkflowDraft{Path: path, Source: draft.Source, Replaces: draft.Replaces, Session: draft.Session})
}

// removeWorkflowDraft removes a draft; that there is none is no error.
func (d inside) removeWorkflowDraft(r *http.Request) (noBody, error) {
	path, err := workflowPath(r)
	if err != nil {
		return noBody{}, err
	}
	return noBody{}, d.Store.DeleteWorkflowDraft(r.Context(), d.project, d.Workflows.Of(d.project).Folder, path)
}

// workflowNews tells the page when there are other workflows in its project.
func (s *socket) workflowNews(ctx context.Context) {
	shelf := s.door.Workflows.Of(s.caller.project)
	s.newsOf(ctx, shelf.Changed, WorkflowsNotice{"workflows"})
}
