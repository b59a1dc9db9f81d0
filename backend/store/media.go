package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley/backend/agent"
)

// keepUnused is how long media stays that no message refers to: what was uploaded may be sent yet.
const keepUnused = 7 * 24 * time.Hour

// PutMedia stores media that a message of a project will refer to. What is there already is stored once, and stays for as
// long again. For every other project it does not exist.
func (s *Store) PutMedia(ctx context.Context, project agent.ProjectID, m agent.Media) error {
	return s.update(ctx, flushed, func(tx tx) error { return putMedia(ctx, tx, project, m, milliseconds(s.now())) })
}

func putMedia(ctx context.Context, tx tx, project agent.ProjectID, m agent.Media, at int64) error {
	var key int64
	err := tx.row(ctx, `SELECT key FROM media WHERE sha256 = ?`, m.Handle.Sum()).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.row(ctx, `INSERT INTO media (sha256, mime_type, content) VALUES (?, ?, ?) RETURNING key`,
			m.Handle.Sum(), m.MimeType, m.Content).Scan(&key)
	}
	if err != nil {
		return err
	}
	if _, err := tx.exec(ctx, `INSERT OR IGNORE INTO media_project (media, project) VALUES (?, ?)`, key, project); err != nil {
		return err
	}
	return noteUnused(ctx, tx, key, at)
}

// noteUnused lets media be collected after a while if nothing refers to it: no message, neither one that was
// sent nor one that waits, and no change of a file.
func noteUnused(ctx context.Context, tx tx, media, at int64) error {
	_, err := tx.exec(ctx, `INSERT OR REPLACE INTO media_unused (media, since)
		SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM message_media WHERE media = ?1)
			AND NOT EXISTS (SELECT 1 FROM queued_media WHERE media = ?1)
			AND NOT EXISTS (SELECT 1 FROM file_change WHERE before = ?1) AND NOT EXISTS (SELECT 1 FROM file_change WHERE after = ?1)`, media, at)
	return err
}

// refer notes by insert which media a message of a session that was just stored refers to. All of it has to be there, and to
// be known to the session's project.
func refer(ctx context.Context, tx tx, session int64, insert string, message int64, parts []agent.Part) error {
	for _, part := range parts {
		p, ok := part.(agent.MediaPart)
		if !ok {
			continue
		}
		var media int64
		err := tx.row(ctx, `SELECT media.key FROM session JOIN media JOIN media_project
			ON media_project.media = media.key AND media_project.project = session.project
			WHERE session.key = ? AND media.sha256 = ?`, session, p.Handle.Sum()).Scan(&media)
		if errors.Is(err, sql.ErrNoRows) {
			return errNoMedia
		}
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, insert, message, media); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `DELETE FROM media_unused WHERE media = ?`, media); err != nil {
			return err
		}
	}
	return nil
}

var errNoMedia = agent.Errorf(agent.CodeValidation, "A file of this message is not there: it was never uploaded, or too long ago. Attach it again.")

// MediaPart gives what a message says of media that a project knows. If it does not, that is an error for the one who sends.
func (s *Store) MediaPart(ctx context.Context, project agent.ProjectID, handle agent.MediaHandle) (agent.MediaPart, error) {
	p := agent.MediaPart{Handle: handle}
	err := s.read.row(ctx, `SELECT mime_type, length(content) FROM media JOIN media_project ON media_project.media = media.key
		WHERE media.sha256 = ? AND media_project.project = ?`, handle.Sum(), project).Scan(&p.MimeType, &p.ByteLength)
	if errors.Is(err, sql.ErrNoRows) {
		return agent.MediaPart{}, errNoMedia
	}
	return p, err
}

// Media gives media that a project knows, or ErrNotFound.
func (s *Store) Media(ctx context.Context, project agent.ProjectID, handle agent.MediaHandle) (agent.Media, error) {
	m := agent.Media{Handle: handle}
	err := s.read.row(ctx, `SELECT mime_type, content FROM media JOIN media_project ON media_project.media = media.key
		WHERE media.sha256 = ? AND media_project.project = ?`, handle.Sum(), project).Scan(&m.MimeType, &m.Content)
	if errors.Is(err, sql.ErrNoRows) {
		return agent.Media{}, ErrNotFound
	}
	return m, err
}

// collectMedia removes the one that has been unused the longest, if that is long enough, and reports whether it did. One
// at a time, because turns wait meanwhile.
func (s *Store) collectMedia(ctx context.Context, now time.Time) (removed bool, err error) {
	const due = `SELECT media FROM media_unused WHERE since <= ? ORDER BY since LIMIT 1`
	until := milliseconds(now.Add(-keepUnused))
	var media int64
	if err := s.read.row(ctx, due, until).Scan(&media); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return false, err
	}
	err = s.erase(ctx, func(tx tx) error {
		err := tx.row(ctx, `DELETE FROM media_unused WHERE media = (`+due+`) RETURNING media`, until).Scan(&media)
		if errors.Is(err, sql.ErrNoRows) { // sent meanwhile
			return nil
		}
		for _, text := range []string{`DELETE FROM media_project WHERE media = ?`, `DELETE FROM media WHERE key = ?`} {
			if err == nil {
				_, err = tx.exec(ctx, text, media)
			}
		}
		return err
	})
	return err == nil, err
}
