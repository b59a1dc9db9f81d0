-- The files of what a person is about to say: parts, as JSON. A draft does not keep them. What was uploaded stays for some days
-- without a message.
ALTER TABLE session ADD COLUMN draft_files TEXT NOT NULL DEFAULT '[]';
