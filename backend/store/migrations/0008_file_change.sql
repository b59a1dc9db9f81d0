-- What was written to files: by the runs of agents, and by the person who took that back. A file that is not there has no
-- content.
CREATE TABLE file_change (
  key       INTEGER PRIMARY KEY,
  turn      TEXT    NOT NULL REFERENCES turn (id), -- whose run it was, or was taken back
  path      TEXT    NOT NULL,                      -- absolute
  before    INTEGER REFERENCES media (key),
  after     INTEGER REFERENCES media (key),
  by_person INTEGER NOT NULL,
  at        INTEGER NOT NULL
) STRICT;

CREATE INDEX file_change_turn ON file_change (turn);
CREATE INDEX file_change_before ON file_change (before) WHERE before IS NOT NULL;
CREATE INDEX file_change_after ON file_change (after) WHERE after IS NOT NULL;
