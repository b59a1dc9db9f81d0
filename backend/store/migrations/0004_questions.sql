-- What turns ask and wait for. A question is answered once, and is closed then, or when its turn ends without.
CREATE TABLE question (
  id        TEXT    PRIMARY KEY,
  turn      TEXT    NOT NULL REFERENCES turn (id),
  seq       INTEGER NOT NULL, -- the number of its record in the log
  request   TEXT    NOT NULL, -- agent.EncodeEvent
  asked_at  INTEGER NOT NULL,
  answer    TEXT,             -- agent.EncodeEvent
  closed_at INTEGER
) STRICT;

CREATE INDEX question_turn ON question (turn, seq);
CREATE INDEX question_open ON question (turn) WHERE closed_at IS NULL;

-- Set while the turn waits for answers. A session in which one does is paused, whatever its status says.
ALTER TABLE turn ADD COLUMN paused_at INTEGER;

-- The tools that need no further approval in a session.
CREATE TABLE allowed_tool (
  session INTEGER NOT NULL REFERENCES session (key),
  tool    TEXT    NOT NULL,
  PRIMARY KEY (session, tool)
) STRICT, WITHOUT ROWID;

-- Messages that wait for the running turn to end. They are none of the session's yet: models, search and export do not
-- read them.
CREATE TABLE queued (
  key     INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (key),
  number  INTEGER NOT NULL,
  message TEXT    NOT NULL, -- its id
  content TEXT    NOT NULL, -- parts, as JSON
  at      INTEGER NOT NULL,
  UNIQUE (session, number),
  UNIQUE (session, message)
) STRICT;

ALTER TABLE session ADD COLUMN next_queued INTEGER NOT NULL DEFAULT 1;

-- As message_media, for what waits.
CREATE TABLE queued_media (
  queued INTEGER NOT NULL REFERENCES queued (key),
  media  INTEGER NOT NULL REFERENCES media (key),
  PRIMARY KEY (queued, media)
) STRICT, WITHOUT ROWID;

CREATE INDEX queued_media_media ON queued_media (media);

-- The projects that were given it: for the others it does not exist. Before there were projects, all was in one.
CREATE TABLE media_project (
  media   INTEGER NOT NULL REFERENCES media (key),
  project TEXT    NOT NULL,
  PRIMARY KEY (media, project)
) STRICT, WITHOUT ROWID;

INSERT INTO media_project (media, project)
  SELECT message_media.media, session.project FROM message_media JOIN message ON message.key = message_media.message
    JOIN session ON session.key = message.session
  UNION SELECT media, 'default' FROM media_unused;

-- What begins at the same place, the first turns of a session too, is looked up in its order.
DROP INDEX turn_parent;
CREATE INDEX turn_parent ON turn (parent, session, first_seq);
