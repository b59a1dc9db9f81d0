-- What search reads. The store itself folds text into words (words.go) and hands them over with spaces between them, so
-- that the tokenizer has nothing to decide. The text is stored once, where it was: here are only its words.

CREATE VIRTUAL TABLE search USING fts5 (
  body,
  facet, -- project, agent, role and era, as words: a filter is one more word to look for
  content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '2 3'
);

CREATE VIRTUAL TABLE search_title USING fts5 (
  body,
  content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '2 3'
);

-- Every word, once, in the order in which they came up first, which is about that of how common they are. With it, words
-- are found by what is inside of them at a small part of what such an index over all text would take.
CREATE TABLE word (
  key  INTEGER PRIMARY KEY,
  text TEXT    NOT NULL UNIQUE
) STRICT;

CREATE VIRTUAL TABLE word_inside USING fts5 (
  text,
  content = 'word', content_rowid = 'key', tokenize = 'trigram case_sensitive 1', detail = none, columnsize = 0
);

-- How far the index is: the last message that it has, and the sessions whose title it has yet to read.
CREATE TABLE search_progress (
  only    INTEGER PRIMARY KEY CHECK (only = 1),
  message INTEGER NOT NULL
) STRICT;

INSERT INTO search_progress (only, message) VALUES (1, 0);

CREATE TABLE search_retitled (session INTEGER PRIMARY KEY) STRICT;

INSERT INTO search_retitled (session) SELECT key FROM session WHERE title <> '';

CREATE TRIGGER session_retitled AFTER UPDATE OF title ON session WHEN new.title <> old.title BEGIN
  INSERT OR IGNORE INTO search_retitled (session) VALUES (new.key);
END;

-- A message that is purged takes its words along. Its number may be given out again, so the index goes back behind it.
CREATE TRIGGER message_purged AFTER DELETE ON message BEGIN
  DELETE FROM search WHERE rowid = old.key;
  UPDATE search_progress SET message = min(message, coalesce((SELECT max(key) FROM message), 0));
END;
