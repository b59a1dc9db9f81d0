package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/store/sealed"
)

const (
	turnMessages = 8 // in a turn of the made history
	sessionTurns = 50
	typed        = 60 // queries of each kind
)

// search measures finding what a person types, over a made history: words by Zipf's law, messages of about 1 KB.
func (b *bench) search() error {
	home := b.home()
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	ctx := context.Background()
	s, err := store.Open(ctx, filepath.Join(home, "history.db"), &sealed.Key{1}, 0)
	if err != nil {
		return err
	}
	l := newLanguage()
	begun := time.Now()
	err = l.write(ctx, s, b.messages)
	written := time.Since(begun)
	for err == nil {
		var found store.Found
		if found, err = s.Search(ctx, store.Search{Project: agent.DefaultProject, Limit: 1}); found.Behind == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err != nil {
		return errors.Join(err, s.Close())
	}
	info, err := os.Stat(filepath.Join(home, "history.db"))
	if err != nil {
		return err
	}
	row(fmt.Sprintf("search: %d messages written / all indexed after", b.messages), "%.0f s / %.0f s, %d MB",
		written.Seconds(), time.Since(begun).Seconds(), info.Size()>>20)

	var all sample
	for _, kind := range l.kinds() {
		var took sample
		var hits, partial int
		for range typed {
			text := kind.query()
			begun := time.Now()
			found, err := s.Search(ctx, store.Search{Project: agent.DefaultProject, Text: text, Limit: 40})
			if err != nil {
				return errors.Join(err, s.Close())
			}
			took = append(took, time.Since(begun))
			hits += len(found.Hits)
			if !found.Since.IsZero() {
				partial++
			}
		}
		row("search: "+kind.name, "%s median, %s p99, %s worst; %d hits, %d of %d left out the oldest",
			ms(took.median()), ms(took.at(0.99)), ms(took.at(1)), hits/typed, partial, typed)
		all = append(all, took...)
	}
	row(fmt.Sprintf("search: all %d of them", len(all)), "%s median, %s p99", ms(all.median()), ms(all.at(0.99)))
	return s.Close()
}

// language is a made one: its words, the most common first, and how often each comes.
type language struct {
	random *rand.Rand
	words  []string
	zipf   *rand.Zipf
}

func newLanguage() *language {
	l := &language{random: rand.New(rand.NewPCG(1, 2))}
	onsets := strings.Split("b c d f g h j k l m n p r s t v w st tr pl gr", " ")
	vowels := strings.Split("a e i o u ai ea ou", " ")
	ends := strings.Split(" n r s t l m ck nd", " ")
	known := map[string]bool{}
	for len(l.words) < 200_000 {
		var w strings.Builder
		for range 1 + min(3, len(l.words)/300) + l.random.IntN(2) {
			w.WriteString(onsets[l.random.IntN(len(onsets))] + vowels[l.random.IntN(len(vowels))] + ends[l.random.IntN(len(ends))])
		}
		if !known[w.String()] {
			known[w.String()] = true
			l.words = append(l.words, w.String())
		}
	}
	l.zipf = rand.NewZipf(l.random, 1.07, 4, uint64(len(l.words)-1))
	return l
}

func (l *language) word() string { return l.words[l.zipf.Uint64()] }

func (l *language) text() string {
	some := make([]string, 20+l.random.IntN(280))
	for i := range some {
		some[i] = l.word()
	}
	return strings.Join(some, " ")
}

// kind is a way to ask.
type kind struct {
	name  string
	query func() string
}

func (l *language) kinds() []kind {
	between := func(from, to int) string { return l.words[from+l.random.IntN(to-from)] }
	rare := func() string { return between(20_000, 150_000) }
	common := func() string { return between(0, 40) }
	middle := func() string { return between(200, 4_000) }
	begin := func(word string) string { return word[:min(len(word), 2+l.random.IntN(5))] }
	return []kind{
		{"a rare word", rare},
		{"a common word", common},
		{"two words", func() string { return middle() + " " + middle() }},
		{"two words, one of them common", func() string { return common() + " " + rare() }},
		{"a phrase", func() string { return `"` + common() + " " + middle() + `"` }},
		{"a phrase of common words", func() string { return `"` + common() + " " + common() + `"` }},
		{"a phrase of three common words", func() string { return `"` + common() + " " + common() + " " + common() + `"` }},
		{"the beginning of a rare word", func() string { return begin(rare()) }},
		{"the beginning of a common word", func() string { return begin(common()) }},
		{"the inside of a word", func() string { w := middle(); return w[1:] }},
	}
}

func (l *language) write(ctx context.Context, s *store.Store, messages int) error {
	for n := 0; n*turnMessages < messages; n++ {
		key := agent.SessionKey{Project: agent.DefaultProject, Session: agent.SessionID(fmt.Sprint("s", n/sessionTurns))}
		if n%sessionTurns == 0 {
			if err := s.CreateSession(ctx, key, agent.Spec{ID: "demo", Harness: agent.KindScripted}, ""); err != nil {
				return err
			}
		}
		turn, question := agent.TurnID(fmt.Sprint("t", n)), agent.MessageID(fmt.Sprint("u", n))
		user := agent.Message{ID: question, Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: l.text()}}}
		started := agent.TurnStarted{Turn: turn, UserMessage: question, Message: agent.MessageID(fmt.Sprint("a", n))}
		parent := agent.TurnID("")
		if n%sessionTurns > 0 {
			parent = agent.TurnID(fmt.Sprint("t", n-1))
		}
		if _, err := s.StartTurn(ctx, key, store.NewTurn{Started: started, Parent: parent, User: &user, Title: l.word() + " " + l.word()}); err != nil {
			return err
		}
		rows := make([]agent.Message, turnMessages-1)
		for i := range rows {
			rows[i] = agent.Message{ID: agent.MessageID(fmt.Sprint("a", n, ".", i)), Role: agent.RoleAssistant, Parts: []agent.Part{agent.TextPart{Text: l.text()}}}
		}
		if _, err := s.SettleTurn(ctx, key, turn, agent.TurnCompleted{StopReason: agent.StopEndTurn}, rows, store.Idle, true); err != nil {
			return err
		}
	}
	return nil
}
