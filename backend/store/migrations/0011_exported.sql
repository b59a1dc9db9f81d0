-- The file that a session was saved as last. Empty: there is none.
ALTER TABLE session ADD COLUMN exported_path TEXT NOT NULL DEFAULT '';
