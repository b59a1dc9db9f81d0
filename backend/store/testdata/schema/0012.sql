-- Work on workflows is kept before it is in their files.
-- A history as a Parley of this schema left it. Never changed: a released schema is what people have.

PRAGMA foreign_keys = OFF;
BEGIN;

-- Times are milliseconds since 1970. A session's own number (key) is what other tables refer to, because its id is
-- unique within a project only.

CREATE TABLE session (
  key            INTEGER PRIMARY KEY,
  project        TEXT    NOT NULL,
  id             TEXT    NOT NULL,
  agent          TEXT    NOT NULL,
  agent_snapshot TEXT    NOT NULL, -- the whole agent as JSON, frozen at start
  title          TEXT    NOT NULL DEFAULT '',
  working_dir    TEXT    NOT NULL,
  status         TEXT    NOT NULL CHECK (status IN ('created', 'idle', 'running', 'interrupted')),
  draft          TEXT    NOT NULL DEFAULT '',
  head           TEXT    REFERENCES turn (id), -- the last turn of the branch that is shown
  next_seq       INTEGER NOT NULL DEFAULT 0,   -- of the log
  next_message   INTEGER NOT NULL DEFAULT 0,
  turns          INTEGER NOT NULL DEFAULT 0,   -- in which a provider was reached
  max_turns      INTEGER NOT NULL DEFAULT 50,
  input_tokens   INTEGER NOT NULL DEFAULT 0,
  output_tokens  INTEGER NOT NULL DEFAULT 0,
  created_at     INTEGER NOT NULL,
  updated_at     INTEGER NOT NULL,
  deleted_at     INTEGER,
  UNIQUE (project, id)
) STRICT;

-- Every list of sessions is newest first within a project and leaves out what was deleted.
CREATE INDEX session_list ON session (project, updated_at DESC, key DESC) WHERE deleted_at IS NULL;

-- A turn is one user message and everything until it settles. Turns form a tree: answering the same message again, or
-- a changed one, makes a sibling. One that runs has no settled_at.
CREATE TABLE turn (
  id           TEXT    PRIMARY KEY,
  session      INTEGER NOT NULL REFERENCES session (key),
  parent       TEXT    REFERENCES turn (id),
  user_message TEXT    NOT NULL,
  message      TEXT    NOT NULL, -- the id of the answer
  first_seq    INTEGER NOT NULL,
  last_seq     INTEGER,
  stop_reason  TEXT,
  started_at   INTEGER NOT NULL,
  settled_at   INTEGER,
  UNIQUE (session, message)
) STRICT, WITHOUT ROWID;

CREATE INDEX turn_running ON turn (session) WHERE settled_at IS NULL;
CREATE INDEX turn_user_message ON turn (session, user_message);

-- Durable messages: what models, search and export read. Never edited.
CREATE TABLE message (
  key     INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (key),
  seq     INTEGER NOT NULL,
  id      TEXT    NOT NULL,
  turn    TEXT    NOT NULL REFERENCES turn (id),
  role    TEXT    NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  content TEXT    NOT NULL, -- parts, as JSON
  model   TEXT    NOT NULL DEFAULT '',
  at      INTEGER NOT NULL,
  UNIQUE (session, seq),
  UNIQUE (session, id)
) STRICT;

CREATE INDEX message_turn ON message (turn, seq);

-- The log: what happened, in order, without gaps. A row holds the records that were written together.
CREATE TABLE log (
  session INTEGER NOT NULL REFERENCES session (key),
  first   INTEGER NOT NULL, -- the number of the first record
  count   INTEGER NOT NULL,
  turn    TEXT, -- null outside any turn
  at      INTEGER NOT NULL,
  events  TEXT    NOT NULL, -- agent.EncodeLog
  PRIMARY KEY (session, first)
) STRICT, WITHOUT ROWID;

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

-- The files of what a person is about to say: parts, as JSON. A draft does not keep them. What was uploaded stays for some days
-- without a message.
ALTER TABLE session ADD COLUMN draft_files TEXT NOT NULL DEFAULT '[]';
-- Which files a session's agent reaches. Until now that was its scratch folder, which working_dir named.
ALTER TABLE session ADD COLUMN scope TEXT NOT NULL DEFAULT 'sandboxed' CHECK (scope IN ('sandboxed', 'project', 'full'));
UPDATE session SET working_dir = '';

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

-- How the session treats calls that change something; empty is as its agent does.
ALTER TABLE session ADD COLUMN mode TEXT NOT NULL DEFAULT '';

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

-- The file that a session was saved as last. Empty: there is none.
ALTER TABLE session ADD COLUMN exported_path TEXT NOT NULL DEFAULT '';

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

INSERT INTO session (key, project, id, agent, agent_snapshot, title, working_dir, status, draft, head, next_seq, next_message, turns, max_turns, input_tokens, output_tokens, created_at, updated_at, deleted_at)
  VALUES (1, 'default', 's', 'demo', '{"id":"demo","harness":"scripted"}', 'About the garden', '/work', 'idle', 'half a thought', 't1', 5, 2, 1, 50, 2, 3, 1000, 2000, NULL);
INSERT INTO session (key, project, id, agent, agent_snapshot, title, working_dir, status, draft, head, next_seq, next_message, turns, max_turns, input_tokens, output_tokens, created_at, updated_at, deleted_at)
  VALUES (2, 'default', 'gone', 'demo', '{"id":"demo","harness":"scripted"}', 'Deleted', '/work', 'created', '', NULL, 0, 0, 0, 50, 0, 0, 1000, 1000, 3000);
INSERT INTO turn (id, session, parent, user_message, message, first_seq, last_seq, stop_reason, started_at, settled_at)
  VALUES ('t1', 1, NULL, 'u1', 'a1', 1, 4, 'end_turn', 1500, 2000);
INSERT INTO message (key, session, seq, id, turn, role, content, model, at) VALUES (1, 1, 0, 'u1', 't1', 'user', '[{"type":"text","text":"Which fruit grows here?"},{"type":"media","name":"list.txt","mimeType":"text/plain","handle":"media://sha256-28b3e2baaf822711e28e8abc0228b6970dfe70432b4890dfee92f352959d27e0","byteLength":5}]', '', 1500);
INSERT INTO message (key, session, seq, id, turn, role, content, model, at) VALUES (2, 1, 1, 'a1', 't1', 'assistant', '[{"type":"text","text":"Pears, mostly."}]', 'm', 2000);
INSERT INTO log (session, first, count, turn, at, events) VALUES (1, 0, 1, NULL, 1000, '[{"type":"session_started","model":"m","agent":"demo","workingDir":"/work"}]');
INSERT INTO log (session, first, count, turn, at, events) VALUES (1, 1, 1, 't1', 1500, '[{"type":"turn_started","agent":"demo","turnId":"t1","userMessageId":"u1","messageId":"a1"}]');
INSERT INTO log (session, first, count, turn, at, events) VALUES (1, 2, 2, 't1', 1600, '[{"type":"message_delta","texts":["Pears, ","mostly."]}]');
INSERT INTO log (session, first, count, turn, at, events) VALUES (1, 4, 1, 't1', 2000, '[{"type":"turn_completed","usage":{"input":2,"output":3,"total":5},"stopReason":"end_turn"}]');

INSERT INTO search (rowid, body, facet) VALUES (1, 'which fruit grows here ', 'p64656661756c74 a64656d6f ruser 0e0');
INSERT INTO search_title (rowid, body) VALUES (1, 'about the garden ');
INSERT INTO word (key, text) VALUES (1, 'which'), (2, 'fruit'), (3, 'grows'), (4, 'here'), (5, 'about'), (6, 'garden');
INSERT INTO word_inside (rowid, text) SELECT key, text FROM word;
UPDATE search_progress SET message = 1; -- the answer is to be read yet
DELETE FROM search_retitled WHERE session = 1;

INSERT INTO media (key, sha256, mime_type, content) VALUES (1, '28b3e2baaf822711e28e8abc0228b6970dfe70432b4890dfee92f352959d27e0', 'text/plain', CAST('milk' || char(10) AS BLOB));
INSERT INTO message_media (message, media) VALUES (1, 1);
INSERT INTO media_project (media, project) VALUES (1, 'default'), (1, 'elsewhere');
INSERT INTO setting (name, value) VALUES ('lock_after', '15');

INSERT INTO session (key, project, id, agent, agent_snapshot, title, working_dir, status, draft, head, next_seq, next_message, turns, max_turns, input_tokens, output_tokens, created_at, updated_at, deleted_at, next_queued)
  VALUES (3, 'elsewhere', 's', 'demo', '{"id":"demo","harness":"scripted"}', 'Shopping', '/work', 'idle', '', 't2', 5, 1, 0, 50, 0, 0, 3000, 3600, NULL, 3);
INSERT INTO turn (id, session, parent, user_message, message, first_seq, last_seq, stop_reason, started_at, settled_at, paused_at)
  VALUES ('t2', 3, NULL, 'u1', 'a1', 1, NULL, NULL, 3500, NULL, 3600);
INSERT INTO message (key, session, seq, id, turn, role, content, model, at) VALUES (3, 3, 0, 'u1', 't2', 'user', '[{"type":"text","text":"Buy some."}]', '', 3500);
INSERT INTO log (session, first, count, turn, at, events) VALUES (3, 0, 1, NULL, 3000, '[{"type":"session_started","model":"m","agent":"demo","workingDir":"/work"}]');
INSERT INTO log (session, first, count, turn, at, events) VALUES (3, 1, 1, 't2', 3500, '[{"type":"turn_started","agent":"demo","turnId":"t2","userMessageId":"u1","messageId":"a1"}]');
INSERT INTO log (session, first, count, turn, at, events) VALUES (3, 2, 2, 't2', 3550, '[{"type":"tool_call","id":"c1","name":"buy","input":{"n":2}},{"type":"interaction_request","id":"q1","toolCallId":"c1","kind":"user_approval","payload":{"price":3}}]');
INSERT INTO log (session, first, count, turn, at, events) VALUES (3, 4, 1, 't2', 3600, '[{"type":"turn_paused","usage":{"input":2,"output":3,"total":5},"model":"m"}]');
INSERT INTO question (id, turn, seq, request, asked_at, answer, closed_at)
  VALUES ('q1', 't2', 3, '{"type":"interaction_request","id":"q1","toolCallId":"c1","kind":"user_approval","payload":{"price":3}}', 3550, NULL, NULL);
INSERT INTO approval (key, project, session, pattern, at) VALUES (1, 'elsewhere', 3, 'look', 3500), (2, 'elsewhere', NULL, 'run_command(git status *)', 3501), (3, '', NULL, 'list', 3502);
UPDATE session SET mode = 'accept_edits' WHERE key = 3;
INSERT INTO queued (key, session, number, message, content, at) VALUES (1, 3, 2, 'u2', '[{"type":"media","name":"list.txt","mimeType":"text/plain","handle":"media://sha256-28b3e2baaf822711e28e8abc0228b6970dfe70432b4890dfee92f352959d27e0","byteLength":5}]', 3700);
INSERT INTO queued_media (queued, media) VALUES (1, 1);

UPDATE session SET draft_files = '[{"type":"media","name":"list.txt","mimeType":"text/plain","handle":"media://sha256-28b3e2baaf822711e28e8abc0228b6970dfe70432b4890dfee92f352959d27e0","byteLength":5}]' WHERE key = 1;

UPDATE session SET scope = 'project', working_dir = '/garden' WHERE key = 1;

INSERT INTO file_change (key, turn, path, before, after, by_person, at) VALUES (1, 't1', '/garden/list.txt', NULL, 1, 0, 1500);

INSERT INTO agent (key, id, spec) VALUES (1, 'gardener', '{"id":"gardener","name":"Gardener","harness":"native","provider":"openai","model":"m","system_prompt":"Grow.","permissions":{"mode":"plan"}}');
INSERT INTO trusted (key, project) VALUES (1, 'elsewhere');

INSERT INTO secret (key, provider, project, slug, name, description, tags, format, shown, keeping, created_at, expires_at, used_at)
  VALUES (1, '', 'elsewhere', 'shed-key', 'Shed key', 'for the shed', '["garden"]', 'json', '["user"]', 'kept', 3000, 9000, 3800),
  (2, 'openai', '', 'own', 'own', '', '[]', 'text', '["abcd"]', 'kept', 3001, NULL, NULL);
INSERT INTO secret_use (key, secret, session, tool, at) VALUES (1, 1, 3, 'mcp_shed_open', 3800);
INSERT INTO chosen_key (key, project, provider, secret) VALUES (1, 'elsewhere', 'openai', 2);

INSERT INTO log (session, first, count, turn, at, events) VALUES (3, 5, 1, NULL, 3700, '[{"type":"session_exported","path":"/garden/shopping.md"}]');
UPDATE session SET exported_path = '/garden/shopping.md', next_seq = 6 WHERE key = 3;

INSERT INTO workflow_draft (key, project, folder, path, source, replaces, session, changed_at)
  VALUES (1, 'elsewhere', '/garden', 'workflows/shopping.relavium.yaml', 'half a workflow', '', 3, 3800), (2, 'elsewhere', '/garden', 'sowing.relavium.yaml', '', 'abc', NULL, 3900);

PRAGMA user_version = 12;
COMMIT;
