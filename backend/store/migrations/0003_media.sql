-- What people attach, once each, named by its content. A row is never changed, so its bytes are written once.
CREATE TABLE media (
  key       INTEGER PRIMARY KEY,
  sha256    TEXT    NOT NULL UNIQUE, -- hexadecimal
  mime_type TEXT    NOT NULL,        -- what the content says
  content   BLOB    NOT NULL
) STRICT;

-- Which messages refer to it: the handles in their content, once more. There is no counter that could go wrong.
CREATE TABLE message_media (
  message INTEGER NOT NULL REFERENCES message (key),
  media   INTEGER NOT NULL REFERENCES media (key),
  PRIMARY KEY (message, media)
) STRICT, WITHOUT ROWID;

CREATE INDEX message_media_media ON message_media (media);

-- What no message refers to, and since when. It is collected later, or referred to again.
CREATE TABLE media_unused (
  media INTEGER PRIMARY KEY REFERENCES media (key),
  since INTEGER NOT NULL
) STRICT;

CREATE INDEX media_unused_since ON media_unused (since);

-- While there may be words in the index that only purged messages had: the last word that was looked at, or below 0 where
-- the work goes on after the words.
CREATE TABLE search_forgetting (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  step INTEGER NOT NULL
) STRICT;

-- A session that is purged takes its turns along; whoever refers to one is looked up, not searched for.
CREATE INDEX turn_parent ON turn (parent) WHERE parent IS NOT NULL;
CREATE INDEX session_head ON session (head) WHERE head IS NOT NULL;

-- What the person chose.
CREATE TABLE setting (
  name  TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
