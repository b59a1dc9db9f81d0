package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"parley/backend/agent"
)

// Search is what to look for in a project's sessions. Empty fields do not narrow it.
type Search struct {
	Project      agent.ProjectID
	Text         string // as a person typed it
	Agent        string
	Role         agent.Role
	Since, Until time.Time
	After        Place
	Limit        int
	Whole        bool // looks at everything, however long that takes
}

// Hit is a message, or a title, that was found.
type Hit struct {
	Session agent.SessionID
	Title   string
	Message agent.MessageID // that of the turn's answer for all that the agent said and did; empty: the title was found
	Role    agent.Role      // empty with Message
	At      time.Time
	Excerpt []Piece // of the message, or of the title

	key hitKey
}

// Found is a page of hits.
type Found struct {
	Hits   []Hit
	Next   Place // the zero Place if nothing follows
	Behind int64 // how many messages and titles of the project are not in the index yet; of very many, some
	// Since is not zero if looking at everything would have taken too long: what was said before it was left out.
	Since time.Time
}

// Place is a place in a list of hits. What is said meanwhile does not move it. The zero Place is the start.
type Place struct{ newest, oldest, skip int64 }

// String is the place in a form that ParsePlace reads; empty for the zero Place.
func (p Place) String() string {
	if p == (Place{}) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", p.newest, p.oldest, p.skip)
}

// ParsePlace reads what String wrote.
func ParsePlace(text string) (Place, error) {
	var p Place
	if text == "" {
		return p, nil
	}
	n, err := fmt.Sscanf(text, "%d.%d.%d", &p.newest, &p.oldest, &p.skip)
	if n != 3 || err != nil || p.String() != text || p.newest < 0 || p.oldest < 0 || p.skip < 0 || p.skip > mostHits {
		return Place{}, agent.Errorf(agent.CodeValidation, "%q is no place in a list of hits. Use the value of next.", text)
	}
	return p, nil
}

const (
	mostHits      = 2_000 // that a search gives, over all its pages
	mostTitles    = 20    // that come before the messages
	mostInside    = 32    // words that hold the same letters
	mostBeginning = 32    // words that begin alike; fewer
	mostInRow     = 8     // if they stand after others
	fewestInside  = 3     // letters to look for inside of words

	patience   = 50 * time.Millisecond // after which no further messages are looked at
	mostBehind = 1000                  // messages that are counted
	firstEras  = 4                     // that are looked at before that is asked: one costs hardly less
)

// Search finds what a person typed. What matches more exactly comes first: titles, then messages with the same words in
// a row, then those with all words, of which the last may go on, and last, if there is room, those with words that hold
// what was typed somewhere inside. What matches alike comes newest first: so a word that is everywhere costs no more
// than one that is rare. Common words that seldom come in a row could take longer than a person waits while they type:
// then the oldest messages are left out, and Found says so. It stops soon after ctx ends.
func (s *Store) Search(ctx context.Context, o Search) (Found, error) {
	var found Found
	var last int64
	var oneProject bool
	err := s.read.row(ctx, `SELECT coalesce((SELECT max(key) FROM message), 0),
		(SELECT count(*) FROM (SELECT 1 FROM message CROSS JOIN session ON session.key = message.session
			WHERE message.key > search_progress.message AND session.project = ?1 LIMIT ?2))
		+ (SELECT count(*) FROM search_retitled CROSS JOIN session ON session.key = search_retitled.session WHERE session.project = ?1),
		(SELECT min(project) FROM session) IS (SELECT max(project) FROM session) FROM search_progress`, o.Project, mostBehind).Scan(&last, &found.Behind, &oneProject)
	if err != nil {
		return found, err
	}
	q := parseQuery(o.Text)
	if len(q.terms) == 0 {
		return found, nil
	}
	if o.After != (Place{}) {
		last = min(last, o.After.newest)
	}
	f := finder{store: s, Search: o, began: s.now(), seen: map[hitKey]bool{}, facets: facets(o.Project, o.Agent, o.Role)}
	if oneProject { // then a word that all messages have narrows nothing, and costs a third of the time
		f.facets = f.facets[1:]
	}
	if f.first, f.newest, err = s.keysBetween(ctx, o.Since, o.Until, last); err != nil {
		return found, err
	}
	f.leaveOut(o.After.oldest)
	if err := f.run(ctx, q); err != nil {
		return found, err
	}
	found.Hits = f.hits
	if f.more && int64(len(f.seen)) < mostHits {
		found.Next = Place{last, f.oldest, o.After.skip + int64(len(f.hits))}
	}
	if f.oldest > 0 {
		var at int64
		err = s.read.row(ctx, `SELECT coalesce((SELECT at FROM message WHERE key < ? ORDER BY key DESC LIMIT 1), 0)`, f.oldest).Scan(&at)
		found.Since = instant(at + 1)
	}
	return found, err
}

// keysBetween gives the first and the last key of the messages of a time. Keys grow with time, so it is found by halving;
// where the clock was set back the rows themselves are asked once more.
func (s *Store) keysBetween(ctx context.Context, since, until time.Time, last int64) (first, newest int64, err error) {
	after := func(at time.Time) int64 {
		return int64(sort.Search(int(last)+1, func(key int) bool {
			var was int64
			e := s.read.row(ctx, `SELECT coalesce((SELECT at FROM message WHERE key >= ? ORDER BY key LIMIT 1), ?)`, key, math.MaxInt64).Scan(&was)
			if e != nil {
				err = e
			}
			return was >= milliseconds(at)
		}))
	}
	first, newest = 0, last
	if !since.IsZero() {
		first = after(since)
	}
	if !until.IsZero() {
		newest = after(until) - 1
	}
	return first, newest, err
}

// finder is one search on its way.
type finder struct {
	Search
	store         *Store
	began         time.Time
	first, newest int64 // of the messages that are looked at
	oldest        int64 // first, if older ones are left out for want of time; else 0
	facets        []string
	seen          map[hitKey]bool
	hits          []Hit
	more          bool // there is a hit after the last
}

// hitKey is the number of a message, or of a session whose title was found.
type hitKey struct {
	key     int64
	isTitle bool
}

func (f *finder) run(ctx context.Context, q query) error {
	tiers := []query{q}
	if exact, ok := q.exactly(); ok {
		tiers = []query{exact, q}
	}
	for _, tier := range tiers {
		if err := f.store.complete(ctx, tier); err != nil {
			return err
		}
	}
	for _, look := range []func(context.Context, query) error{f.titles, f.messages} {
		for _, tier := range tiers {
			if err := look(ctx, tier); err != nil || f.more {
				return err
			}
		}
	}
	wide, err := f.store.widen(ctx, q)
	if err != nil || wide == nil {
		return err
	}
	if err := f.titles(ctx, *wide); err != nil || f.more {
		return err
	}
	return f.messages(ctx, *wide)
}

// complete names the words that an open term may become. FTS5 could find them by itself, but it would read all of their
// rows before it gives the first; for two or three letters it has an index.
func (s *Store) complete(ctx context.Context, q query) error {
	for i := range q.terms {
		t := &q.terms[i]
		begin := t.words[len(t.words)-1]
		if !t.open || len(begin) <= fewestInside || isUnspaced(begin) {
			continue
		}
		most := mostBeginning
		if len(t.words) > 1 {
			most = mostInRow
		}
		var list string
		err := s.read.row(ctx, `SELECT coalesce(group_concat(text, ' '), '') FROM (
			SELECT text FROM word WHERE text >= ? AND text < ? ORDER BY key LIMIT ?)`, begin, begin+"\U0010ffff", most).Scan(&list)
		if err != nil {
			return err
		}
		// What is not in that table is long and rare, and cheap to find.
		t.others = strings.Fields(list)
		t.open = len(t.others) == 0
	}
	return nil
}

// widen lets words stand for what is typed that hold it inside; nil if there are none.
func (s *Store) widen(ctx context.Context, q query) (*query, error) {
	wide := query{without: q.without}
	widened := false
	for _, t := range q.terms {
		if len(t.words) == 1 && !t.quoted && len(t.words[0]) >= fewestInside && !isUnspaced(t.words[0]) {
			around, err := s.wordsAround(ctx, t.words[0])
			if err != nil {
				return nil, err
			}
			t.others = slices.Concat(t.others, around)
			widened = widened || len(around) > 0
		}
		wide.terms = append(wide.terms, t)
	}
	if !widened {
		return nil, nil
	}
	return &wide, nil
}

// wordsAround gives words that hold some letters after their first: of many those that came up first.
func (s *Store) wordsAround(ctx context.Context, letters string) ([]string, error) {
	var list string
	err := s.read.row(ctx, `SELECT coalesce(group_concat(text, ' '), '') FROM (SELECT text FROM word_inside WHERE text GLOB ? LIMIT ?)`,
		"*?"+letters+"*", mostInside).Scan(&list)
	return strings.Fields(list), err
}

// titles looks through the titles of sessions. A title has no role.
func (f *finder) titles(ctx context.Context, q query) error {
	if f.Role != "" || len(f.seen) >= mostTitles {
		return nil
	}
	since, until := f.span()
	rows, err := f.store.read.query(ctx, `SELECT session.key, session.id, session.title, session.updated_at
		FROM search_title CROSS JOIN session ON session.key = search_title.rowid
		WHERE search_title MATCH ? AND project = ? AND deleted_at IS NULL AND (? = '' OR agent = ?) AND updated_at BETWEEN ? AND ?
		ORDER BY search_title.rowid DESC LIMIT ?`, q.match(nil, nil), f.Project, f.Agent, f.Agent, since, until, mostTitles)
	if err != nil {
		return err
	}
	defer rows.Close()
	for !f.more && len(f.seen) < mostTitles && rows.Next() {
		var key, at int64
		var h Hit
		if err := rows.Scan(&key, &h.Session, &h.Title, &at); err != nil {
			return err
		}
		h.At = instant(at)
		f.found(hitKey{key, true}, h, func() []Piece { return q.excerpt(h.Title) })
	}
	return rows.Err()
}

// messages looks through the messages, the newest first: some eras at a time, until it is clear that what is left will not
// take too long. What was left out before, by the page before or of what matches more exactly, is left out here.
func (f *finder) messages(ctx context.Context, q query) error {
	if f.Whole || f.After != (Place{}) || f.oldest > 0 {
		return f.some(ctx, q, f.first, f.newest, nil)
	}
	began := f.store.now()
	for newest := f.newest; newest >= f.first && !f.more && len(f.seen) < mostHits; {
		oldest, of := f.first, []string(nil)
		now, looked := f.store.now(), f.newest-newest
		pace, left := float64(now.Sub(began))/float64(max(looked, 1)), float64(patience-now.Sub(f.began))
		switch {
		case looked == 0 || pace*float64(newest-oldest+1) > left && pace*eraSize <= left:
			some := int64(firstEras)
			if looked > 0 { // as many as take half of what is left
				some = int64(left/(2*pace*eraSize)) + 1
			}
			oldest = max(oldest, (newest/eraSize-some+1)*eraSize)
			of = eras(oldest, newest)
		case pace*eraSize > left:
			f.leaveOut(newest + 1)
			return nil
		}
		if err := f.some(ctx, q, oldest, newest, of); err != nil {
			return err
		}
		newest = oldest - 1
	}
	return nil
}

// some looks through some of the messages, those of the given eras, if any. All that takes time is in the first step of
// one statement, because that is what the driver interrupts when ctx ends.
func (f *finder) some(ctx context.Context, q query, oldest, newest int64, of []string) error {
	var array string
	err := f.store.read.row(ctx, `SELECT json_group_array(key) FROM (
			SELECT message.key FROM search CROSS JOIN message ON message.key = search.rowid CROSS JOIN session ON session.key = message.session
			WHERE search MATCH ? AND search.rowid BETWEEN ? AND ? AND session.project = ? AND deleted_at IS NULL
			ORDER BY search.rowid DESC LIMIT ?)`,
		q.match(f.facets, of), oldest, newest, f.Project, f.After.skip+int64(len(f.seen)+f.Limit+1)).Scan(&array)
	if err != nil {
		return err
	}
	var keys []int64
	if err := json.Unmarshal([]byte(array), &keys); err != nil {
		return err
	}
	for _, key := range keys {
		if f.more || len(f.seen) >= mostHits {
			return nil
		}
		if f.seen[hitKey{key, false}] {
			continue
		}
		if err := f.message(ctx, q, key); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut narrows the search to the messages from one on. What was found of older ones goes, too, or the pages that
// follow would count otherwise.
func (f *finder) leaveOut(before int64) {
	if before <= f.first {
		return
	}
	f.first, f.oldest = before, before
	f.hits = slices.DeleteFunc(f.hits, func(h Hit) bool {
		isOut := !h.key.isTitle && h.key.key < before
		if isOut {
			delete(f.seen, h.key)
		}
		return isOut
	})
}

func (f *finder) message(ctx context.Context, q query, key int64) error {
	var h Hit
	var at int64
	var content []byte
	err := f.store.read.row(ctx, `SELECT session.id, session.title, CASE message.id WHEN turn.user_message THEN message.id ELSE turn.message END,
			message.role, message.at, message.content
		FROM message JOIN session ON session.key = message.session JOIN turn ON turn.id = message.turn WHERE message.key = ?`, key).
		Scan(&h.Session, &h.Title, &h.Message, &h.Role, &at, &content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // purged meanwhile
	}
	if since, until := f.span(); err != nil || at < since || at > until {
		return err
	}
	h.At = instant(at)
	f.found(hitKey{key, false}, h, func() []Piece { return q.excerpt(searchText(content)) })
	return nil
}

// found takes a hit, unless it was found before or belongs to an earlier page.
func (f *finder) found(key hitKey, h Hit, excerpt func() []Piece) {
	switch {
	case f.seen[key]:
		return
	case int64(len(f.seen)) < f.After.skip:
	case len(f.hits) == f.Limit:
		f.more = true
		return
	default:
		h.key, h.Excerpt = key, excerpt()
		f.hits = append(f.hits, h)
	}
	f.seen[key] = true
}

// span is the time that is looked at, in milliseconds.
func (f *finder) span() (since, until int64) {
	until = math.MaxInt64
	if !f.Since.IsZero() {
		since = milliseconds(f.Since)
	}
	if !f.Until.IsZero() {
		until = milliseconds(f.Until) - 1
	}
	return since, until
}
