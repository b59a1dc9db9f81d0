package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/backend/agent"
)

// later is the migrations that there are, and some of versions to come.
func later(t *testing.T, more ...string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	must(t, fs.WalkDir(migrations, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = migrations.ReadFile(path)
			files[path] = &fstest.MapFile{Data: text}
		}
		return err
	}))
	for _, text := range more {
		files[fmt.Sprintf("migrations/%04d_more.sql", len(files)+1)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// TestACopyIsMadeBeforeEachMigration: a history goes through five schemas; the last three copies stay, and each opens
// as what it was.
func TestACopyIsMadeBeforeEachMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	must(t, s.CreateSession(t.Context(), home, spec, "/work"))
	now := len(later(t))
	var more []string
	for i := range 4 {
		more = append(more, fmt.Sprintf("CREATE TABLE more%d (x TEXT) STRICT", i))
		must(t, s.migrate(t.Context(), later(t, more...), path, &testKey))
	}
	must(t, s.migrate(t.Context(), later(t, more...), path, &testKey)) // nothing left to do
	copies, err := filepath.Glob(path + ".schema-????")
	must(t, err)
	var want []string
	for i := 1; i <= keptCopies; i++ {
		want = append(want, fmt.Sprintf("%s.schema-%04d", path, now+i))
	}
	if !slices.Equal(copies, want) {
		t.Fatalf("the copies are %v", copies)
	}
	must(t, s.Close())
	f, err := openSealed(copies[0], &testKey, 0)
	must(t, err)
	defer f.Close()
	db, err := connect(copies[0], reading)
	must(t, err)
	defer db.Close()
	var version, sessions int
	must(t, db.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version))
	must(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM session").Scan(&sessions))
	if version != now+1 || sessions != 1 {
		t.Errorf("the copy has schema %d and %d sessions", version, sessions)
	}
}

func TestAMigrationThatLosesRowsChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	must(t, s.CreateSession(t.Context(), home, spec, "/work"))
	before := schemaOf(t, s)
	for _, text := range []string{
		"CREATE TABLE better (x TEXT) STRICT; DELETE FROM log",
		"CREATE TABLE better AS SELECT * FROM log WHERE 0; DROP TABLE log; ALTER TABLE better RENAME TO log",
	} {
		err := s.migrate(t.Context(), later(t, text), path, &testKey)
		var said *agent.Error
		if !errors.As(err, &said) || !strings.Contains(said.Message, "1 rows of its table log") {
			t.Errorf("%s: %v", text, err)
		}
		if records, err := s.Log(t.Context(), home, 0, 10); err != nil || len(records) != 1 || schemaOf(t, s) != before {
			t.Errorf("%s: the log has %d records (%v)", text, len(records), err)
		}
	}
	must(t, s.migrate(t.Context(), later(t, "DROP TABLE media_unused; CREATE TABLE more (x TEXT); INSERT INTO more VALUES (1)"), path, &testKey))
}

// schemaOf is the whole schema as text, with its number.
func schemaOf(t *testing.T, s *Store) string {
	t.Helper()
	var version int
	var text string
	must(t, s.writer.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version))
	must(t, s.writer.QueryRowContext(t.Context(), `SELECT group_concat(sql, char(10)) FROM (SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name)`).Scan(&text))
	return fmt.Sprintf("%s\n%d", text, version)
}

// TestAHistoryOfEveryReleasedSchemaOpens: the dumps in testdata were never changed since their schema was released, and
// so were the migrations that lead to it.
func TestAHistoryOfEveryReleasedSchemaOpens(t *testing.T) {
	files := later(t)
	dumps, err := filepath.Glob("testdata/schema/*.sql")
	must(t, err)
	if len(dumps) != len(files) {
		t.Fatalf("there are %d schemas and %d dumps", len(files), len(dumps))
	}
	latest := schemaOf(t, fresh(t))
	for i, dump := range dumps {
		t.Run(filepath.Base(dump), func(t *testing.T) {
			path := load(t, dump)
			s := open(t, path)
			caughtUp(t, s)
			holdsTheGarden(t, s, i+1)
			for typed, want := range map[string]string{
				"garden": "title of s: About the [garden]\n",
				"ears":   "a1: [Pears], mostly.\n",
				"which":  "u1: [Which] fruit grows here?\n",
			} {
				if got := search(t, s, Search{Text: typed}); !strings.HasPrefix(got, strings.TrimSuffix(want, "\n")) {
					t.Errorf("%s finds:\n%s", typed, got)
				}
			}
			must(t, s.RestoreSession(t.Context(), agent.SessionKey{Project: agent.DefaultProject, Session: "gone"}))
			if got := schemaOf(t, s); got != latest {
				t.Errorf("it has become\n%s\nnot\n%s", got, latest)
			}
			copies, err := filepath.Glob(path + ".schema-*")
			if err != nil || len(copies) != min(1, len(dumps)-1-i) {
				t.Errorf("the copies are %v (%v)", copies, err)
			}
		})
	}
}

// load makes a sealed history of a dump, and gives its path.
func load(t *testing.T, dump string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	text, err := os.ReadFile(dump)
	must(t, err)
	f, err := openSealed(path, &testKey, 0)
	must(t, err)
	db, err := connect(path, writing)
	must(t, err)
	_, err = db.ExecContext(t.Context(), string(text))
	must(t, errors.Join(err, db.Close(), f.Close()))
	return path
}

// holdsTheGarden wants what every dump tells, and what could be told since its schema only.
func holdsTheGarden(t *testing.T, s *Store, schema int) {
	t.Helper()
	list, err := s.Sessions(t.Context(), agent.DefaultProject, Page{}, 10)
	must(t, err)
	if len(list) != 1 || list[0].Title != "About the garden" || list[0].Draft != "half a thought" || list[0].OutputTokens != 3 || list[0].NextSeq != 5 {
		t.Fatalf("the sessions are %+v", list)
	}
	history, err := s.History(t.Context(), list[0].Head)
	must(t, err)
	question := []agent.Part{agent.TextPart{Text: "Which fruit grows here?"}}
	if schema >= 3 {
		milk := media("milk\n")
		question = append(question, milk.Part("list.txt"))
		if got, err := s.Media(t.Context(), home.Project, milk.Handle); err != nil || !reflect.DeepEqual(got, milk) {
			t.Errorf("the file is %+v (%v)", got, err)
		}
		if got, err := s.Setting(t.Context(), "lock_after"); err != nil || got != "15" {
			t.Errorf("the setting is %q (%v)", got, err)
		}
	}
	if schema >= 4 {
		waits, err := s.OpenQuestions(t.Context(), "elsewhere")
		must(t, err)
		if len(waits) != 1 || waits[0].Turn != "t2" || waits[0].Request.Call != "c1" || waits[0].Answer != nil {
			t.Errorf("the questions are %+v", waits)
		}
		queue, err := s.Queue(t.Context(), waits[0].Key)
		if err != nil || len(queue) != 1 || queue[0].Number != 2 || queue[0].Message.ID != "u2" {
			t.Errorf("the queue is %+v (%v)", queue, err)
		}
		allowed, mode := []string{"look"}, agent.ModeAsk
		if schema >= 7 {
			allowed, mode = []string{"list", "look", "run_command(git status *)"}, agent.ModeAcceptEdits
		}
		if got, err := s.Allowed(t.Context(), waits[0].Key); err != nil || !slices.Equal(got, allowed) {
			t.Errorf("allowed are %v (%v)", got, err)
		}
		if session, err := s.Session(t.Context(), waits[0].Key); err != nil || session.Mode != mode {
			t.Errorf("the mode is %s (%v)", session.Mode, err)
		}
	}
	if schema >= 5 {
		milk := media("milk\n")
		if want := []agent.Part{milk.Part("list.txt")}; !reflect.DeepEqual(list[0].DraftFiles, want) {
			t.Errorf("the files of the draft are %+v", list[0].DraftFiles)
		}
	}
	if want := map[bool]string{true: "project /garden", false: "sandboxed "}[schema >= 6]; fmt.Sprint(list[0].Scope, " ", list[0].WorkingDir) != want {
		t.Errorf("it is about %s %q, not %s", list[0].Scope, list[0].WorkingDir, want)
	}
	if schema >= 8 {
		changes, err := s.FileChanges(t.Context(), list[0].Key, "t1")
		if err != nil || len(changes) != 1 || changes[0].Path != "/garden/list.txt" || changes[0].Before != nil || string(changes[0].After) != "milk\n" {
			t.Errorf("the changes of files are %+v (%v)", changes, err)
		}
	}
	if schema >= 9 {
		holdsTheGardener(t, s)
	}
	if schema >= 10 {
		holdsTheShedKey(t, s)
	}
	if schema >= 11 {
		wasExported(t, s)
	}
	if schema >= 12 {
		if got := drafts(t, s, "elsewhere", garden); got != "sowing.relavium.yaml \"\" \"abc\" \nworkflows/shopping.relavium.yaml \"half a workflow\" \"\" s\n" {
			t.Errorf("the drafts are\n%s", got)
		}
	}
	answer := text("a1", agent.RoleAssistant, "Pears, mostly.")
	answer.Model = "m"
	if want := []agent.Message{{ID: "u1", Role: agent.RoleUser, Parts: question}, answer}; !reflect.DeepEqual(history, want) {
		t.Errorf("the messages are %+v", history)
	}
	if records, err := s.TurnLog(t.Context(), "t1"); err != nil || len(records) != 4 {
		t.Errorf("the log is %+v (%v)", records, err)
	}
}

// holdsTheGardener wants the agent that was made in the app, and whom the person trusts.
func holdsTheGardener(t *testing.T, s *Store) {
	t.Helper()
	made, err := s.Agents(t.Context())
	if err != nil || len(made) != 1 || made[0].ID != "gardener" || made[0].Permissions.Mode != agent.ModePlan {
		t.Errorf("the agents are %+v (%v)", made, err)
	}
	if trusted, err := s.Trusts(t.Context(), "elsewhere"); err != nil || !trusted {
		t.Errorf("the project is not trusted (%v)", err)
	}
}

// wasExported wants what a session that was saved as a file tells.
func wasExported(t *testing.T, s *Store) {
	t.Helper()
	key := agent.SessionKey{Project: "elsewhere", Session: "s"}
	session, err := s.Session(t.Context(), key)
	must(t, err)
	records, err := s.Log(t.Context(), key, 5, 1)
	want := agent.Event(agent.SessionExported{Path: "/garden/shopping.md"})
	if err != nil || session.ExportedPath != "/garden/shopping.md" || len(records) != 1 || records[0].Event != want {
		t.Errorf("it was saved as %q, and the log has %+v (%v)", session.ExportedPath, records, err)
	}
}

// TestANewerHistoryIsReadAndNotChanged opens one that a Parley of some later schema left in the middle of its work.
func TestANewerHistoryIsReadAndNotChanged(t *testing.T) {
	path := load(t, "testdata/schema/0003.sql")
	s := open(t, path)
	caughtUp(t, s)
	must(t, s.PutMedia(t.Context(), home.Project, picture)) // to be collected by then
	must(t, s.migrate(t.Context(), later(t, "CREATE TABLE more (x TEXT); UPDATE media_unused SET since = 0; UPDATE search_progress SET message = 1"), path, &testKey))
	must(t, s.Close())
	commits := s.file.Counter().Commits

	s = open(t, path)
	if !s.ReadOnly() {
		t.Fatal("it can be changed")
	}
	holdsTheGarden(t, s, 3)
	if found, err := s.Search(t.Context(), Search{Project: agent.DefaultProject, Text: "fruit", Limit: 9}); err != nil || len(found.Hits) != 1 || found.Behind != 1 {
		t.Errorf("found %+v (%v)", found, err)
	}
	for _, err := range []error{
		s.CreateSession(t.Context(), agent.SessionKey{Project: "default", Session: "new"}, spec, ""),
		s.DeleteSession(t.Context(), home), s.PurgeSession(t.Context(), home), s.PutMedia(t.Context(), home.Project, recording),
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("a write gave %v", err)
		}
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, s.Backup(t.Context(), copied, &testKey))
	must(t, s.Close())
	if n := s.file.Counter().Commits; n != commits {
		t.Errorf("it has %d commits, and had %d", n, commits)
	}
	if !open(t, copied).ReadOnly() {
		t.Error("its copy can be changed")
	}
}
