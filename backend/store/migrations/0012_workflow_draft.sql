-- Work on workflows that is not in their files yet.
CREATE TABLE workflow_draft (
  key        INTEGER PRIMARY KEY,
  project    TEXT    NOT NULL,
  folder     TEXT    NOT NULL,                 -- of the project, which may have another one next time; empty: it has none
  path       TEXT    NOT NULL,                 -- of the file, in that folder
  source     TEXT    NOT NULL,
  replaces   TEXT    NOT NULL,                 -- the version of the file that it began with; empty: there was none
  session    INTEGER REFERENCES session (key), -- that it was made of; null: of none
  changed_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX workflow_draft_place ON workflow_draft (project, folder, path);
CREATE INDEX workflow_draft_session ON workflow_draft (session) WHERE session IS NOT NULL;
