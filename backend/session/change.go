package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"parley/backend/agent"
	"parley/backend/store"
)

// Change changes what a person may change about a session. A draft, a mode and the choice of files may come before the session's
// first message: then they make the session, so that nothing that was typed or chosen is lost.
func (s *Sessions) Change(ctx context.Context, key agent.SessionKey, c store.Change) (store.Session, error) {
	attached := agent.Message{Parts: c.DraftFiles}
	if err := s.lookUpMedia(ctx, key.Project, &attached); err != nil {
		return store.Session{}, err
	}
	c.DraftFiles = attached.Parts
	if err := s.checkFiles(ctx, key, &c); err != nil {
		return store.Session{}, err
	}
	session, err := s.Store.Session(ctx, key)
	if errors.Is(err, store.ErrNotFound) && (c.Draft != nil || c.DraftFiles != nil || c.Mode != nil || c.Scope != nil || c.WorkingDir != nil) {
		session, err = s.create(ctx, key, "", agent.Overlay{})
	}
	if err == nil && c.Mode != nil {
		_, err = s.launch(session.Agent, *c.Mode)
	}
	if err == nil {
		err = s.Store.ChangeSession(ctx, key, c)
	}
	if err == nil {
		session, err = s.Store.Session(ctx, key)
	}
	if err != nil {
		return store.Session{}, err
	}
	if c.Mode != nil {
		s.follow(ctx, session)
	}
	s.changes.publish(Change{Key: key})
	return session, nil
}

// checkFiles refuses a choice of files that cannot be had. The working folder is kept by its path without symbolic links.
func (s *Sessions) checkFiles(ctx context.Context, key agent.SessionKey, c *store.Change) error {
	if c.WorkingDir != nil && *c.WorkingDir != "" {
		dir, err := filepath.EvalSymlinks(*c.WorkingDir)
		if info, _ := os.Stat(dir); err != nil || !filepath.IsAbs(dir) || info == nil || !info.IsDir() {
			return agent.Errorf(agent.CodeValidation, "The session cannot work in this folder: there is none at this path, or it cannot be read. Give the absolute path of one.")
		}
		if s.Data != "" && agent.Within(dir, s.Data) {
			return agent.Errorf(agent.CodeValidation, "The session cannot work in this folder: Parley keeps there what it has. Choose another.")
		}
		c.WorkingDir = &dir
	}
	if c.Scope == nil {
		return nil
	}
	if !c.Scope.Valid() {
		return agent.Errorf(agent.CodeValidation, "%q is no scope; there are sandboxed, project and full.", *c.Scope)
	}
	folder := s.Folder(key.Project)
	switch session, err := s.Store.Session(ctx, key); {
	case c.WorkingDir != nil:
		folder = *c.WorkingDir
	case err == nil:
		folder = session.WorkingDir
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	if *c.Scope == agent.FilesProject && folder == "" {
		return agent.Errorf(agent.CodeValidation, "The session is about no folder yet, so it cannot work in one. Choose a folder first.")
	}
	return nil
}

// Delete stops what the session is doing and hides it; Restore undoes that.
func (s *Sessions) Delete(ctx context.Context, key agent.SessionKey) error {
	if _, err := s.Stop(ctx, key); err != nil {
		return err
	}
	s.Environment.Evict(key)
	for _, server := range s.sides.forget(key) {
		s.Sides.Evict(sideKey(key, server))
	}
	if err := s.Store.DeleteSession(ctx, key); err != nil {
		return err
	}
	s.changes.publish(Change{Key: key})
	return nil
}

// Restore brings a deleted session back.
func (s *Sessions) Restore(ctx context.Context, key agent.SessionKey) error {
	if err := s.Store.RestoreSession(ctx, key); err != nil {
		return err
	}
	s.changes.publish(Change{Key: key})
	return nil
}
