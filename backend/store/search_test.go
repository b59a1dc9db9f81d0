package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

// caughtUp brings the index up to date without waiting for the indexer.
func caughtUp(t *testing.T, s *Store) {
	t.Helper()
	s.stopIndex()
	s.indexing.Wait()
	for more := true; more; {
		var err error
		more, err = s.indexBatch(t.Context(), mostInBatch, map[string]bool{})
		must(t, err)
	}
}

// tell stores a session in which each message is said in turn, by the person and by the agent.
func tell(t *testing.T, s *Store, key agent.SessionKey, title string, messages ...string) {
	t.Helper()
	must(t, s.CreateSession(t.Context(), key, spec, ""))
	var parent agent.TurnID
	for i := 0; i < len(messages); i += 2 {
		name := fmt.Sprint(key.Session, i)
		turn, user := agent.TurnID("t"+name), text(agent.MessageID("u"+name), agent.RoleUser, messages[i])
		started := agent.TurnStarted{Turn: turn, UserMessage: user.ID, Message: agent.MessageID("a" + name)}
		_, err := s.StartTurn(t.Context(), key, NewTurn{Started: started, Parent: parent, User: &user, Title: title})
		must(t, err)
		var answers []agent.Message
		if i+1 < len(messages) {
			answers = append(answers, text(started.Message, agent.RoleAssistant, messages[i+1]))
		}
		_, err = s.SettleTurn(t.Context(), key, turn, agent.TurnCompleted{StopReason: agent.StopEndTurn}, answers, Idle, true)
		must(t, err)
		parent = turn
	}
}

func at(project agent.ProjectID, session agent.SessionID) agent.SessionKey {
	return agent.SessionKey{Project: project, Session: session}
}

// search gives what is found, one hit to a line: where, and the excerpt with what was hit in brackets.
func search(t *testing.T, s *Store, o Search) string {
	t.Helper()
	if o.Limit == 0 {
		o.Limit = 20
	}
	if o.Project == "" {
		o.Project = agent.DefaultProject
	}
	found, err := s.Search(t.Context(), o)
	must(t, err)
	if found.Behind != 0 {
		t.Errorf("the index is behind by %d", found.Behind)
	}
	return lines(found.Hits)
}

func lines(hits []Hit) string {
	var b strings.Builder
	for _, h := range hits {
		where := string(h.Message)
		if where == "" {
			where = "title of " + string(h.Session)
		}
		fmt.Fprintf(&b, "%s: %s\n", where, marked(h.Excerpt))
	}
	return b.String()
}

func marked(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Hit {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestSearchFindsWhatAPersonTypes(t *testing.T) {
	s := fresh(t)
	tell(t, s, home, "Trip to Köln",
		"We met at the conference in Łódź.", "A café near the naïve Straße, said Ångström.",
		"東京都の天気を教えてください", "明日の東京は晴れ、コンピューターは不要です。",
		"한국어로 대답해 주세요", "the quick brown fox, and no fox at all",
		"see session_id in OpenSession.go", "conferring is not a conference, said the brown dog quick as ever",
		"สวัสดีครับ", "ﬁnal ＦＵＬＬ width; e\u0301clair; don't",
	)
	caughtUp(t, s)
	for _, c := range []struct{ typed, want string }{
		{"conference", "as6: conferring is not a [conference], said the brown dog quick as ever\nus0: We met at the [conference] in Łódź.\n"},
		{"confer", "as6: [conferring] is not a [conference], said the brown dog quick as ever\nus0: We met at the [conference] in Łódź.\n"},
		{"nference", "as6: conferring is not a [conference], said the brown dog quick as ever\nus0: We met at the [conference] in Łódź.\n"},
		{"LODZ", "us0: We met at the conference in [Łódź].\n"},
		{"strasse cafe", "as0: A [café] near the naïve [Straße], said Ångström.\n"},
		{"koln", "title of s: Trip to [Köln]\n"},
		{"öln", "title of s: Trip to [Köln]\n"},
		{"東京", "as2: 明日の[東京]は晴れ、コンピューターは不要です。\nus2: [東京]都の天気を教えてください\n"},
		{"都", "us2: 東京[都]の天気を教えてください\n"},
		{"い", "us2: 東京都の天気を教えてくださ[い]\n"},
		{"ﾋﾟｭｰﾀｰ", ""}, // half a letter each: nobody types them
		{"ピューター", "as2: 明日の東京は晴れ、コン[ピューター]は不要です。\n"},
		{"天気 教えて", "us2: 東京都の[天気]を[教えて]ください\n"},
		{"국어", "us4: 한[국어]로 대답해 주세요\n"},
		{"วัสดี", "us8: ส[วัสดี]ครับ\n"},
		{"brown fox", "as4: the quick [brown fox], and no fox at all\n"},
		{"quick brown", "as4: the [quick brown] fox, and no fox at all\nas6: conferring is not a conference, said the [brown] dog [quick] as ever\n"},
		{`"brown quick"`, ""},
		{`"quick bro`, "as4: the [quick brown] fox, and no fox at all\n"},
		{"quick -fox", "as6: conferring is not a conference, said the brown dog [quick] as ever\n"},
		{`brown -"quick as"`, "as4: the quick [brown] fox, and no fox at all\n"},
		{"-fox", ""},
		{"brown f", "as6: conferring is not a conference, said the [brown] dog quick as ever\nas4: the quick [brown] fox, and no fox at all\n"},
		{"session_id", "us6: see [session_id] in OpenSession.go\n"},
		{"session", "us6: see [session]_id in OpenSession.go\n"},
		{"pensess", "us6: see session_id in [OpenSession].go\n"},
		{"final full eclair", "as8: [ﬁnal] [ＦＵＬＬ] width; [éclair]; don't\n"},
		{"don't", "as8: ﬁnal ＦＵＬＬ width; éclair; [don't]\n"},
		{"", ""}, {"   ", ""}, {`"`, ""}, {"-", ""}, {"***", ""}, {`body : "x" OR NEAR(`, ""},
	} {
		if got := search(t, s, Search{Text: c.typed}); got != c.want {
			t.Errorf("%q:\n%swant:\n%s", c.typed, got, c.want)
		}
	}
}

func TestSearchReadsWhatWentIntoToolsAndCameOut(t *testing.T) {
	s := fresh(t)
	must(t, s.CreateSession(t.Context(), home, spec, ""))
	say(t, s, home, "0", "", nil)
	user := text("u", agent.RoleUser, "go")
	_, err := s.StartTurn(t.Context(), home, NewTurn{Started: agent.TurnStarted{Turn: "t", UserMessage: "u", Message: "a"}, User: &user})
	must(t, err)
	rows := []agent.Message{
		{ID: "a", Role: agent.RoleAssistant, Parts: []agent.Part{agent.ReasoningPart{Text: "perhaps pondering"},
			agent.ToolCallPart{ID: "c", Name: "read_file", Args: []byte(`{"path":"deep\nnested.txt","depth":417}`)}}},
		{ID: "a.1", Role: agent.RoleTool, Parts: []agent.Part{agent.ToolResultPart{ToolCallID: "c", Result: []byte(`{"lines":["first\tfound","second"]}`)}}},
	}
	_, err = s.SettleTurn(t.Context(), home, "t", agent.TurnCompleted{}, rows, Idle, true)
	must(t, err)
	caughtUp(t, s)
	for typed, want := range map[string]string{
		"read_file": "a: perhaps pondering [read_file] 417 deep nested.txt\n",
		"nested":    "a: perhaps pondering read_file 417 deep [nested].txt\n",
		"417":       "a: perhaps pondering read_file [417] deep nested.txt\n",
		"found":     "a: first [found] second\n",
		"ponder":    "a: perhaps [pondering] read_file 417 deep nested.txt\n",
		"lines":     "",
	} {
		if got := search(t, s, Search{Text: typed}); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

func TestSearchFilters(t *testing.T) {
	s := fresh(t)
	clock := time.UnixMilli(1_000_000)
	s.now = func() time.Time { clock = clock.Add(time.Minute); return clock }
	tell(t, s, home, "", "word asked", "word answered")
	middle := clock.Add(time.Second)
	tell(t, s, at(agent.DefaultProject, "later"), "", "word later")
	tell(t, s, at("p_other", "far"), "", "word elsewhere")
	caughtUp(t, s)
	for name, c := range map[string]struct {
		o    Search
		want string
	}{
		"everything":      {Search{}, "ulater0 as0 us0"},
		"another project": {Search{Project: "p_other"}, "ufar0"},
		"the agent":       {Search{Agent: "demo"}, "ulater0 as0 us0"},
		"another agent":   {Search{Agent: "nobody"}, ""},
		"one role":        {Search{Role: agent.RoleAssistant}, "as0"},
		"since":           {Search{Since: middle}, "ulater0"},
		"until":           {Search{Until: middle}, "as0 us0"},
		"an empty time":   {Search{Since: middle, Until: middle}, ""},
	} {
		c.o.Text = "word"
		var got []string
		for line := range strings.Lines(search(t, s, c.o)) {
			id, _, _ := strings.Cut(line, ":")
			got = append(got, id)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

func TestSearchPagesHoldWhileMoreIsSaid(t *testing.T) {
	s := fresh(t)
	tell(t, s, home, "", "word 1", "word 2", "word 3", "word 4", "word 5")
	caughtUp(t, s)
	var got []string
	var after Place
	for page := 0; ; page++ {
		found, err := s.Search(t.Context(), Search{Project: agent.DefaultProject, Text: "word", After: after, Limit: 2})
		must(t, err)
		for _, h := range found.Hits {
			got = append(got, string(h.Message))
		}
		if found.Next == (Place{}) {
			break
		}
		after, err = ParsePlace(found.Next.String())
		must(t, err)
		tell(t, s, at(agent.DefaultProject, agent.SessionID(fmt.Sprint("more", page))), "", "word more")
		caughtUp(t, s)
	}
	if strings.Join(got, " ") != "us4 as2 us2 as0 us0" {
		t.Errorf("got %v", got)
	}
	for _, wrong := range []string{"x", "1", "1.-1", "01.1", "1.1 "} {
		if _, err := ParsePlace(wrong); agent.AsError(err).Code != agent.CodeValidation {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

func TestASearchThatTakesTooLongLeavesOutWhatIsOldest(t *testing.T) {
	s := fresh(t)
	s.stopIndex()
	s.indexing.Wait()
	clock, step := time.UnixMilli(1_000_000), time.Minute
	s.now = func() time.Time { clock = clock.Add(step); return clock }
	tell(t, s, home, "", "two words", "words, two")
	tell(t, s, at(agent.DefaultProject, "new"), "", "two words", "words, not one but two", "other words, two")
	_, err := s.writer.ExecContext(t.Context(), `UPDATE message SET key = key + ? WHERE key > 2`, (firstEras+1)*eraSize)
	must(t, err)
	caughtUp(t, s)
	var since int64
	must(t, s.read.row(t.Context(), `SELECT max(at) + 1 FROM message WHERE key <= ?`, eraSize).Scan(&since))
	all, few := "unew0 us0 unew2 anew0 as0", "unew0 unew2 anew0"
	for _, c := range []struct {
		call  time.Duration // that the clock takes
		limit int
		whole bool
		want  string
		since time.Time
	}{
		{patience / 100, 2, false, all, time.Time{}},
		{patience / 6, 2, false, all, time.Time{}},    // the first page is full in time, and those that follow take theirs
		{patience / 6, 4, false, few, instant(since)}, // time is up after the exact ones were found, us0 among them
		{patience, 1, false, few, instant(since)},
		{patience, 5, false, few, instant(since)},
		{patience, 5, true, all, time.Time{}},
	} {
		step = c.call
		var got []string
		for o := (Search{Project: agent.DefaultProject, Text: "two words", Limit: c.limit, Whole: c.whole}); len(got) == 0 || o.After != (Place{}); {
			found, err := s.Search(t.Context(), o)
			must(t, err)
			if o.After = found.Next; found.Since != c.since {
				t.Errorf("%v: all since %v, want %v", c, found.Since, c.since)
			}
			for _, h := range found.Hits {
				got = append(got, string(h.Message))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v: got %v", c, got)
		}
	}
}

func TestADeletedSessionIsNotFoundAndARestoredOneIs(t *testing.T) {
	s := fresh(t)
	tell(t, s, home, "Moonlight", "moonlight")
	caughtUp(t, s)
	const both = "title of s: [Moonlight]\nus0: [moonlight]\n"
	for _, step := range []struct {
		do   func(context.Context, agent.SessionKey) error
		want string
	}{{s.RestoreSession, both}, {s.DeleteSession, ""}, {s.RestoreSession, both}} {
		must(t, step.do(t.Context(), home))
		if got := search(t, s, Search{Text: "moon"}); got != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
}

func TestARenamedSessionIsFoundByItsNewTitle(t *testing.T) {
	s := fresh(t)
	tell(t, s, home, "before", "x")
	caughtUp(t, s)
	after := "after"
	must(t, s.ChangeSession(t.Context(), home, Change{Title: &after}))
	found, err := s.Search(t.Context(), Search{Project: agent.DefaultProject, Text: "after", Limit: 1})
	must(t, err)
	if found.Behind != 1 || len(found.Hits) != 0 {
		t.Errorf("before the index was told: %+v", found)
	}
	caughtUp(t, s)
	if got := search(t, s, Search{Text: "before"}) + search(t, s, Search{Text: "after"}); got != "title of s: [after]\n" {
		t.Errorf("got %q", got)
	}
}

func TestTheIndexFollowsOnItsOwnAndGoesOnAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	s := open(t, path)
	s.stopIndex()
	s.indexing.Wait()
	tell(t, s, home, "", "left behind")
	found, err := s.Search(t.Context(), Search{Project: agent.DefaultProject, Text: "left", Limit: 1})
	must(t, err)
	if found.Behind != 2 && found.Behind != 1 {
		t.Errorf("behind by %d", found.Behind)
	}
	must(t, s.Close())

	s = open(t, path) // as after a crash: nothing tells the index
	follows(t, s, "left")
	tell(t, s, at(agent.DefaultProject, "next"), "", "said now")
	follows(t, s, "said")
}

// follows waits until the indexer, which runs by itself, has come up.
func follows(t *testing.T, s *Store, typed string) {
	t.Helper()
	for {
		found, err := s.Search(t.Context(), Search{Project: agent.DefaultProject, Text: typed, Limit: 1})
		must(t, err)
		if found.Behind == 0 {
			if len(found.Hits) != 1 {
				t.Errorf("%q is not found", typed)
			}
			return
		}
	}
}

func TestAPurgedMessageTakesItsWordsAlongAndItsNumberIsIndexedAnew(t *testing.T) {
	s := fresh(t)
	tell(t, s, home, "", "kept", "purged")
	caughtUp(t, s)
	_, err := s.writer.ExecContext(t.Context(), `DELETE FROM message WHERE content LIKE '%purged%'`)
	must(t, err)
	tell(t, s, at(agent.DefaultProject, "next"), "", "reused")
	caughtUp(t, s)
	if got := search(t, s, Search{Text: "purged"}) + search(t, s, Search{Text: "reused"}); got != "unext0: [reused]\n" {
		t.Errorf("got %q", got)
	}
}

// TestACancelledSearchStops: the driver interrupts a statement that has not given its first row yet, and no other. A
// search is made of such statements.
func TestACancelledSearchStops(t *testing.T) {
	s := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	var n int
	err := s.read.row(ctx, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`).Scan(&n)
	if err == nil {
		t.Error("a query without an end came to one")
	}
	if _, err := s.Search(ctx, Search{Project: agent.DefaultProject, Text: "x", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v", err)
	}
}
