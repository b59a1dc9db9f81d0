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

// PutMedia stores media that a message will refer to. What is there already is stored once, and stays for as long again.
func (s *Store) PutMedia(ctx context.Context, m agent.Media) error {
	return s.update(ctx, flushed, func(tx tx) error { return putMedia(ctx, tx, m, milliseconds(s.now())) })
}

func putMedia(ctx context.Context, tx tx, m agent.Media, at int64) error {
	var key int64
	err := tx.row(ctx, `SELECT key FROM media WHERE sha256 = ?`, m.Handle.Sum()).Scan(&key)
	if errors.Is(err, sql.ErrNoRows) {
		err = tx.row(ctx, `INSERT INTO media (sha256, mime_type, content) VALUES (?, ?, ?) RETURNING key`,
			m.Handle.Sum(), m.MimeType, m.Content).Scan(&key)
	}
	if err != nil {
		return err
	}
	return noteUnused(ctx, tx, key, at)
}

// noteUnused lets media be collected after a while if no message refers to it.
func noteUnused(ctx context.Context, tx tx, media, at int64) error {
	_, err := tx.exec(ctx, `INSERT OR REPLACE INTO media_unused (media, since)
		SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM message_media WHERE media = ?1)`, media, at)
	return err
}

// refer notes which media a message that was just stored refers to. All of it has to be there.
func refer(ctx context.Context, tx tx, message int64, m agent.Message) error {
	for _, part := range m.Parts {
		p, ok := part.(agent.MediaPart)
		if !ok {
			continue
		}
		var media int64
		err := tx.row(ctx, `SELECT key FROM media WHERE sha256 = ?`, p.Handle.Sum()).Scan(&media)
		if errors.Is(err, sql.ErrNoRows) {
			return errNoMedia
		}
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `INSERT OR IGNORE INTO message_media (message, media) VALUES (?, ?)`, message, media); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `DELETE FROM media_unused WHERE media = ?`, media); err != nil {
			return err
		}
	}
	return nil
}

var errNoMedia = agent.Errorf(agent.CodeValidation, "A file of this message is not there: it was never uploaded, or too long ago. Attach it again.")

// MediaPart gives what a message says of media that is stored. If it is not, that is an error for the one who sends.
func (s *Store) MediaPart(ctx context.Context, handle agent.MediaHandle) (agent.MediaPart, error) {
	p := agent.MediaPart{Handle: handle}
	err := s.read.row(ctx, `SELECT mime_type, length(content) FROM media WHERE sha256 = ?`, handle.Sum()).Scan(&p.MimeType, &p.ByteLength)
	if errors.Is(err, sql.ErrNoRows) {
		return agent.MediaPart{}, errNoMedia
	}
	return p, err
}

// Media gives stored media, or ErrNotFound.
func (s *Store) Media(ctx context.Context, handle agent.MediaHandle) (agent.Media, error) {
	m := agent.Media{Handle: handle}
	err := s.read.row(ctx, `SELECT mime_type, content FROM media WHERE sha256 = ?`, handle.Sum()).Scan(&m.MimeType, &m.Content)
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
		if err == nil {
			_, err = tx.exec(ctx, `DELETE FROM media WHERE key = ?`, media)
		}
		return err
	})
	return err == nil, err
}
