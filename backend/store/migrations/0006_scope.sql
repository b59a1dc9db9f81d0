-- Which files a session's agent reaches. Until now that was its scratch folder, which working_dir named.
ALTER TABLE session ADD COLUMN scope TEXT NOT NULL DEFAULT 'sandboxed' CHECK (scope IN ('sandboxed', 'project', 'full'));
UPDATE session SET working_dir = '';
