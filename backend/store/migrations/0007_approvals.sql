-- What a person allowed for longer than once: the calls that a pattern matches.
CREATE TABLE approval (
  key     INTEGER PRIMARY KEY,
  project TEXT    NOT NULL,                 -- empty: in every project
  session INTEGER REFERENCES session (key), -- null: in every session
  pattern TEXT    NOT NULL,
  at      INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX approval_place ON approval (project, ifnull(session, 0), pattern);
CREATE INDEX approval_session ON approval (session);

-- The name of a tool is the pattern of all its calls.
INSERT INTO approval (project, session, pattern, at)
  SELECT session.project, allowed_tool.session, allowed_tool.tool, session.updated_at FROM allowed_tool JOIN session ON session.key = allowed_tool.session;
DROP TABLE allowed_tool;

-- How the session treats calls that change something; empty is as its agent does.
ALTER TABLE session ADD COLUMN mode TEXT NOT NULL DEFAULT '';
