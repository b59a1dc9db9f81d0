-- The agents that were made in the app.
CREATE TABLE agent (
  key  INTEGER PRIMARY KEY,
  id   TEXT NOT NULL UNIQUE,
  spec TEXT NOT NULL -- JSON
) STRICT;

-- The projects whose files may say what an agent is allowed to do.
CREATE TABLE trusted (
  key     INTEGER PRIMARY KEY,
  project TEXT NOT NULL UNIQUE
) STRICT;
