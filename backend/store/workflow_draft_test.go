package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/backend/agent"
)

const garden = "/garden" // a folder

// drafts is those of a project in a folder, as text.
func drafts(t *testing.T, s *Store, project agent.ProjectID, folder string) string {
	t.Helper()
	list, err := s.WorkflowDrafts(t.Context(), project, folder)
	must(t, err)
	var b strings.Builder
	for _, d := range list {
		whole, err := s.WorkflowDraft(t.Context(), project, folder, d.Path)
		must(t, err)
		if d.Source = whole.Source; d != whole || d.ChangedAt.IsZero() {
			t.Errorf("listed is %+v, and given %+v", d, whole)
		}
		fmt.Fprintf(&b, "%s %q %q %s\n", d.Path, d.Source, d.Replaces, d.Session)
	}
	return b.String()
}

// TestDraftsOfWorkflows: there is one for a path in a folder of a project, and what another project has is unknown, or the same one that
// is in another folder now.
func TestDraftsOfWorkflows(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	put := func(project agent.ProjectID, path, source, replaces string, session agent.SessionID) {
		t.Helper()
		must(t, s.PutWorkflowDraft(t.Context(), project, garden, WorkflowDraft{Path: path, Source: source, Replaces: replaces, Session: session}))
	}
	put(home.Project, "b", "first", "v1", "")
	put(home.Project, "a", "of a session", "", home.Session)
	put(home.Project, "b", "second", "v2", "nothing")
	put("elsewhere", "b", "theirs", "", home.Session)
	must(t, s.PutWorkflowDraft(t.Context(), home.Project, "/", WorkflowDraft{Path: "b", Source: "another file"}))
	mine := "a \"of a session\" \"\" s\nb \"second\" \"v2\" \n"
	if got := drafts(t, s, home.Project, garden); got != mine {
		t.Errorf("the drafts are\n%s", got)
	}
	must(t, s.DeleteWorkflowDraft(t.Context(), home.Project, "/", "b"))
	must(t, s.DeleteWorkflowDraft(t.Context(), "elsewhere", garden, "a"))
	must(t, s.DeleteWorkflowDraft(t.Context(), "elsewhere", garden, "b"))
	if _, err := s.WorkflowDraft(t.Context(), "elsewhere", garden, "b"); !errors.Is(err, ErrNotFound) || drafts(t, s, "elsewhere", garden) != "" {
		t.Errorf("what was removed: %v", err)
	}
	if got := drafts(t, s, home.Project, garden); got != mine {
		t.Errorf("the drafts have become\n%s", got)
	}
}

// TestADraftGoesWithItsSession: it has all that was said there.
func TestADraftGoesWithItsSession(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	for path, session := range map[string]agent.SessionID{"a": home.Session, "b": ""} {
		must(t, s.PutWorkflowDraft(t.Context(), home.Project, garden, WorkflowDraft{Path: path, Session: session, Source: "quinceword" + path}))
	}
	must(t, s.DeleteSession(t.Context(), home))
	if got := drafts(t, s, home.Project, garden); strings.Count(got, "quinceword") != 2 {
		t.Errorf("once it is deleted, but can be restored, there are %s", got)
	}
	must(t, s.PurgeSession(t.Context(), home))
	if got := drafts(t, s, home.Project, garden); got != "b \"quincewordb\" \"\" \n" || pagesWith(t, s, "quinceworda") != 0 {
		t.Errorf("left are %s", got)
	}
}

// TestARewrittenDraftHoldsNothingOfWhatWasThere, and those of other projects stay.
func TestARewrittenDraftHoldsNothingOfWhatWasThere(t *testing.T) {
	s := fresh(t)
	for _, project := range []agent.ProjectID{home.Project, "elsewhere"} {
		must(t, s.PutWorkflowDraft(t.Context(), project, garden, WorkflowDraft{Path: "a", Source: "a: quinceword"}))
		must(t, s.PutWorkflowDraft(t.Context(), project, garden, WorkflowDraft{Path: "b", Source: "b: pear"}))
	}
	for _, c := range []struct {
		project agent.ProjectID
		changed int
	}{{home.Project, 1}, {home.Project, 0}, {"", 1}} {
		if n, err := s.RewriteWorkflowDrafts(t.Context(), c.project, mask); n != c.changed || err != nil {
			t.Errorf("%q: %d changed, not %d (%v)", c.project, n, c.changed, err)
		}
	}
	for _, project := range []agent.ProjectID{home.Project, "elsewhere"} {
		if got := drafts(t, s, project, garden); got != "a \"a: masked\" \"\" \nb \"b: pear\" \"\" \n" {
			t.Errorf("%s has\n%s", project, got)
		}
	}
	if n := pagesWith(t, s, "quinceword"); n != 0 {
		t.Errorf("%d pages hold it", n)
	}
}
