package store

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

// TestEveryStatementFindsItsRows: nothing that the app asks reads a table from end to end, or all of a session. Every method of the store has to be called below, and what it prepared is explained.
func TestEveryStatementFindsItsRows(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	called := []string{"StartTurn", "AppendEvents", "SettleTurn", "Close"}                                   // by say, and by the end
	called = append(called, "Backup", "Rekey", "Durable", "Lost", "ReadOnly", "Header", "Summary", "Verify") // about the whole file
	called = append(called, "EverySession", "Rewrite", "RewriteWorkflowDrafts")                              // a sweep reads all that was said
	for _, c := range slices.Concat(everyCall(t, s), exportCalls(t, s), draftCalls(t, s)) {
		if err := c.call(); err != nil {
			t.Fatalf("%s: %v", c.method, err)
		}
		called = append(called, c.method)
	}
	for method := range reflect.TypeFor[*Store]().Methods() {
		if !slices.Contains(called, method.Name) {
			t.Errorf("%s is not called here", method.Name)
		}
	}
	caughtUp(t, s)
	for _, on := range []*statements{s.read, s.write} {
		for text := range on.prepared {
			for _, step := range plan(t, s, text) {
				if readsAll(step) || strings.HasPrefix(text, "SELECT ") && readsSession(step) {
					t.Errorf("%s\n\tin\n%s", step, text)
				}
			}
		}
	}
	for _, step := range plan(t, s, `SELECT id FROM message WHERE model = ?`) {
		if !readsAll(step) {
			t.Errorf("%s is not seen to read all", step)
		}
	}
}

type namedCall struct {
	method string
	call   func() error
}

// everyCall is what the app may ask of a history that has the session home, in an order in which there is something to find.
func everyCall(t *testing.T, s *Store) []namedCall {
	ctx := t.Context()
	head := say(t, s, home, "2", say(t, s, home, "1", "", nil), nil)
	other := agent.SessionKey{Project: home.Project, Session: "other"}
	title := "another title"
	attached := agent.Message{ID: "u3", Role: agent.RoleUser, Parts: []agent.Part{picture.Part("a")}}
	head = say(t, s, home, "3", head, &attached, picture)
	return []namedCall{
		{"CreateSession", func() error { return s.CreateSession(ctx, other, spec, "") }},
		{"ChooseAgent", func() error { return s.ChooseAgent(ctx, other, spec) }},
		{"ChangeSession", func() error { return s.ChangeSession(ctx, other, Change{Title: &title}) }},
		{"DeleteSession", func() error { return s.DeleteSession(ctx, other) }},
		{"RestoreSession", func() error { return s.RestoreSession(ctx, other) }},
		{"PutMedia", func() error { return s.PutMedia(ctx, home.Project, picture) }},
		{"Media", func() error { _, err := s.Media(ctx, home.Project, picture.Handle); return err }},
		{"MediaPart", func() error { _, err := s.MediaPart(ctx, home.Project, picture.Handle); return err }},
		{"SetSetting", func() error { return s.SetSetting(ctx, "lock_after", "5") }},
		{"Setting", func() error { _, err := s.Setting(ctx, "lock_after"); return err }},
		{"PutAgent", func() error { return s.PutAgent(ctx, spec) }},
		{"Agents", func() error { _, err := s.Agents(ctx); return err }},
		{"DeleteAgent", func() error { return s.DeleteAgent(ctx, spec.ID) }},
		{"Trust", func() error { return errors.Join(s.Trust(ctx, home.Project, true), s.Trust(ctx, home.Project, false)) }},
		{"PutSecret", func() error {
			return errors.Join(s.PutSecret(ctx, Secret{SecretID: shed, Keeping: Going}), s.PutSecret(ctx, Secret{SecretID: keyed, Keeping: Kept}))
		}},
		{"UnsettledSecrets", func() error { _, err := s.UnsettledSecrets(ctx); return err }},
		{"UseSecret", func() error { return s.UseSecret(ctx, shed, home, "x") }},
		{"SecretUses", func() error { _, err := s.SecretUses(ctx, shed, 9); return err }},
		{"ChooseKey", func() error {
			return errors.Join(s.ChooseKey(ctx, home.Project, "openai", ""), s.ChooseKey(ctx, home.Project, "openai", "own"))
		}},
		{"ChosenKeys", func() error { _, err := s.ChosenKeys(ctx, home.Project); return err }},
		{"ForgetSecret", func() error { return s.ForgetSecret(ctx, shed) }},
		{"Secrets", func() error { _, err := s.Secrets(ctx); return err }},
		{"Trusts", func() error { _, err := s.Trusts(ctx, home.Project); return err }},
		{"Session", func() error { _, err := s.Session(ctx, home); return err }},
		{"Sessions", func() error { _, err := s.Sessions(ctx, home.Project, Page{}, 10); return err }},
		{"Turn", func() error { _, err := s.Turn(ctx, home, "a1"); return err }},
		{"TurnsFor", func() error { _, err := s.TurnsFor(ctx, home, "u1"); return err }},
		{"Branch", func() error { _, err := s.Branch(ctx, head, 10); return err }},
		{"Unsettled", func() error { _, err := s.Unsettled(ctx); return err }},
		{"Message", func() error { _, err := s.Message(ctx, home, "u1"); return err }},
		{"Path", func() error { _, err := s.Path(ctx, head); return err }},
		{"Search", func() error {
			_, err := s.Search(ctx, Search{Project: home.Project, Text: "nswer", Since: instant(1), Until: instant(1 << 50), Limit: 10})
			return err
		}},
		{"History", func() error { _, err := s.History(ctx, head); return err }},
		{"Log", func() error { _, err := s.Log(ctx, home, 0, 10); return err }},
		{"TurnLog", func() error { _, err := s.TurnLog(ctx, head); return err }},
		{"PauseTurn", func() error { waiting(t, s, home, "4", head); return nil }},
		{"Question", func() error { _, err := s.Question(ctx, home.Project, "q4"); return err }},
		{"Questions", func() error { _, err := s.Questions(ctx, "t4"); return err }},
		{"OpenQuestions", func() error { _, err := s.OpenQuestions(ctx, home.Project); return err }},
		{"AnswerQuestion", func() error {
			_, _, err := s.AnswerQuestion(ctx, home, "t4", agent.InteractionResponse{ID: "q4", Call: "c4", Approved: true, Scope: agent.ScopeSession, Rule: "shell"})
			return err
		}},
		{"Allowed", func() error { _, err := s.Allowed(ctx, home); return err }},
		{"Approvals", func() error { _, err := s.Approvals(ctx, home.Project); return err }},
		{"Revoke", func() error { return s.Revoke(ctx, home.Project, 1, true) }},
		{"ResumeTurn", func() error { _, err := s.ResumeTurn(ctx, home, "t4"); return err }},
		{"Enqueue", func() error { _, err := s.Enqueue(ctx, home, attached, []agent.Media{picture}); return err }},
		{"Queue", func() error { _, err := s.Queue(ctx, home); return err }},
		{"ChangeQueued", func() error { return s.ChangeQueued(ctx, home, 1, attached.Parts) }},
		{"Unqueue", func() error { return s.Unqueue(ctx, home, 1) }},
		{"ChooseHead", func() error { return s.ChooseHead(ctx, home, head) }},
		{"Leaf", func() error { _, err := s.Leaf(ctx, head); return err }},
		{"Siblings", func() error { _, err := s.Siblings(ctx, Turn{ID: head}); return err }},
		{"Editions", func() error { _, err := s.Editions(ctx, home, "u1"); return err }},
		{"AddFileChange", func() error {
			return s.AddFileChange(ctx, home, head, FileChange{Path: "/a", After: []byte("x")})
		}},
		{"FileChanges", func() error { _, err := s.FileChanges(ctx, home, head); return err }},
		{"Fork", func() error { return s.Fork(ctx, home, "t4", "fork", spec) }},
		{"PurgeSession", func() error { return errors.Join(s.DeleteSession(ctx, other), s.PurgeSession(ctx, other)) }},
		{"forget", func() error { _, err := s.forget(ctx); return err }},
		{"collectMedia", func() error { _, err := s.collectMedia(ctx, instant(1<<50)); return err }},
	}
}

// exportCalls are what takes a session out and in again.
func exportCalls(t *testing.T, s *Store) []namedCall {
	ctx := t.Context()
	return []namedCall{
		{"Rows", func() error { _, err := s.Rows(ctx, "t4"); return err }},
		{"Archive", func() error { _, err := s.Archive(ctx, home); return err }},
		{"Import", func() error {
			a, err := s.Archive(ctx, home)
			return errors.Join(err, s.Import(ctx, agent.SessionKey{Project: home.Project, Session: "imported"}, a, []agent.Media{picture}))
		}},
	}
}

// draftCalls are about drafts of workflows.
func draftCalls(t *testing.T, s *Store) []namedCall {
	ctx := t.Context()
	return []namedCall{
		{"PutWorkflowDraft", func() error {
			return s.PutWorkflowDraft(ctx, home.Project, "/", WorkflowDraft{Path: "a.relavium.yaml", Session: home.Session})
		}},
		{"WorkflowDraft", func() error { _, err := s.WorkflowDraft(ctx, home.Project, "/", "a.relavium.yaml"); return err }},
		{"WorkflowDrafts", func() error { _, err := s.WorkflowDrafts(ctx, home.Project, "/"); return err }},
		{"DeleteWorkflowDraft", func() error { return s.DeleteWorkflowDraft(ctx, home.Project, "/", "a.relavium.yaml") }},
	}
}

// readsAll reports whether a step of a plan reads a table of ours without an index. Rows that the statement itself made
// are few, full-text tables look words up, and search_retitled holds what is to be read whole.
func readsAll(step string) bool {
	table, scans := strings.CutPrefix(step, "SCAN ")
	table, _, indexed := strings.Cut(table, " ")
	switch table {
	case "session", "turn", "message", "log", "word", "media", "message_media", "setting",
		"question", "approval", "trusted", "secret_use", "chosen_key", "queued", "queued_media", "media_project", "workflow_draft":
		return scans && !indexed
	}
	return false
}

// readsSession reports whether a step reads all that was said in a session; of turns that run there is one.
func readsSession(step string) bool {
	return (strings.HasPrefix(step, "SEARCH message ") || strings.HasPrefix(step, "SEARCH turn ")) && strings.HasSuffix(step, "(session=?)") &&
		!strings.Contains(step, "turn_running")
}

func plan(t *testing.T, s *Store, text string) []string {
	t.Helper()
	switch verb, _, _ := strings.Cut(text, " "); verb {
	case "BEGIN", "COMMIT", "ROLLBACK":
		return nil
	}
	rows, err := s.writer.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+text, make([]any, strings.Count(text, "?"))...)
	must(t, err)
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		must(t, rows.Scan(&id, &parent, &unused, &step))
		steps = append(steps, step)
	}
	return steps
}
