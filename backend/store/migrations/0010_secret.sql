-- What a person keeps in the keyring, which cannot list: everything about it but the value.
CREATE TABLE secret (
  key         INTEGER PRIMARY KEY,
  provider    TEXT    NOT NULL, -- whose key it is; empty: it is a named secret
  project     TEXT    NOT NULL, -- empty: it is for every project
  slug        TEXT    NOT NULL, -- of a key, what the person calls it
  name        TEXT    NOT NULL,
  description TEXT    NOT NULL,
  tags        TEXT    NOT NULL, -- JSON
  format      TEXT    NOT NULL,
  shown       TEXT    NOT NULL, -- JSON: what may be seen of the value
  keeping     TEXT    NOT NULL, -- how far the keyring is
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER,          -- null: never
  used_at     INTEGER           -- null: never
) STRICT;

CREATE UNIQUE INDEX secret_id ON secret (provider, project, slug);
CREATE INDEX secret_unsettled ON secret (keeping) WHERE keeping <> 'kept';

-- What used a secret, and when.
CREATE TABLE secret_use (
  key     INTEGER PRIMARY KEY,
  secret  INTEGER NOT NULL REFERENCES secret (key),
  session INTEGER NOT NULL REFERENCES session (key),
  tool    TEXT    NOT NULL,
  at      INTEGER NOT NULL
) STRICT;

CREATE INDEX secret_use_secret ON secret_use (secret);
CREATE INDEX secret_use_session ON secret_use (session);

-- Which of a provider's keys a project uses.
CREATE TABLE chosen_key (
  key      INTEGER PRIMARY KEY,
  project  TEXT    NOT NULL, -- empty: those that have chosen none
  provider TEXT    NOT NULL,
  secret   INTEGER NOT NULL REFERENCES secret (key)
) STRICT;

CREATE UNIQUE INDEX chosen_key_place ON chosen_key (project, provider);
CREATE INDEX chosen_key_secret ON chosen_key (secret);
