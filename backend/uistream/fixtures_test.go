package uistream

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"parley/backend/agent"
)

var update = flag.Bool("update", false, "rewrite what the fixtures expect")

const fixtureSession = "sess_1"

// TestFixtures holds the wire. testdata/README.md says what is in a fixture.
func TestFixtures(t *testing.T) {
	paths, err := filepath.Glob("testdata/turns/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures (%v)", err)
	}
	pinned := pinnedVersion(t)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			f := readFixture(t, path)
			records := f.records(t)
			chunks := encode(records)
			if err := checkRules(chunks); err != nil {
				t.Error(err)
			}
			f.golden(t, "ai", pinned+"\n")
			sse := string(stream(chunks, -1, false, V7))
			f.golden(t, "sse", sse)
			f.other(t, "coalesced", sse, string(stream(chunks, -1, true, V7)))
			f.other(t, "common", sse, string(stream(chunks, -1, false, Common)))
			f.other(t, "responses", sse, string(responses(chunks)))
			f.golden(t, "message", string(view(t, records))+"\n")
			f.golden(t, "rows", rowsText(t, Durable(records)))
			if f.has("cuts") {
				f.golden(t, "cuts", cutsText(t, records))
			}
			if f.has("socket") {
				f.golden(t, "socket", socketText(chunks))
			}
			if *update {
				f.write(t, path)
			}
		})
	}
}

// pinnedVersion is the version of the AI SDK that the page is built with.
func pinnedVersion(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../frontend/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Dependencies map[string]string }
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	return manifest.Dependencies["ai"]
}

func encode(records []agent.Record) []Chunk {
	var chunks []Chunk
	e := NewEncoder(fixtureSession)
	for _, rec := range records {
		chunks = e.Encode(chunks, rec)
	}
	return chunks
}

// ends reports whether chunks are a whole turn.
func ends(chunks []Chunk) bool {
	if len(chunks) == 0 {
		return false
	}
	switch chunks[len(chunks)-1].(type) {
	case finishChunk, abortChunk, pauseChunk:
		return true
	}
	return false
}

// stream is a response to a client that has the chunks up to the one with the index after.
func stream(chunks []Chunk, after int, merge bool, d Dialect) []byte {
	f := NewFramer(after, merge, d)
	sse := f.Append(nil, chunks)
	if ends(chunks) {
		sse = f.Done(sse)
	}
	return sse
}

// responses are what the clients got that asked for the turn and answered its questions, one after another.
func responses(chunks []Chunk) []byte {
	var all []byte
	after := -1
	for i, c := range chunks {
		if _, pause := c.(pauseChunk); pause || i == len(chunks)-1 {
			all = append(all, stream(chunks[:i+1], after, false, V7)...)
			after = i
		}
	}
	return all
}

func view(t *testing.T, records []agent.Record) []byte {
	t.Helper()
	b, err := View(fixtureSession, records)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func rowsText(t *testing.T, rows []agent.Message) string {
	t.Helper()
	var b strings.Builder
	for _, row := range rows {
		parts, err := agent.EncodeParts(row.Parts)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s %s %s\n", row.ID, row.Role, cmp.Or(row.Model, "-"), parts)
	}
	return b.String()
}

// cutsText is the message after each record that had chunks, with the index of its last chunk.
func cutsText(t *testing.T, records []agent.Record) string {
	t.Helper()
	var b strings.Builder
	seen := 0
	for i := range records {
		if n := len(encode(records[:i+1])); n > seen {
			seen = n
			fmt.Fprintf(&b, "%d %s\n", n-1, view(t, records[:i+1]))
		}
	}
	return b.String()
}

func socketText(chunks []Chunk) string {
	s := NewSocket("r1")
	lines := [][]byte{bytes.Clone(s.Start(-1))}
	for frame := range s.Chunks(chunks) {
		lines = append(lines, bytes.Clone(frame))
	}
	for frame := range s.End() {
		lines = append(lines, bytes.Clone(frame))
	}
	return string(bytes.Join(append(lines, nil), []byte("\n")))
}

// fixture is a text file: prose, then sections that begin with a line like "-- name --".
type fixture struct {
	prose    string
	sections map[string]string
}

var sectionOrder = []string{"ai", "events", "sse", "coalesced", "common", "responses", "message", "rows", "cuts", "socket"}

var marker = regexp.MustCompile(`(?m)^-- (\w+) --\n`)

func readFixture(t *testing.T, path string) *fixture {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	marks := marker.FindAllSubmatchIndex(b, -1)
	if len(marks) == 0 || strings.TrimSpace(string(b[:marks[0][0]])) == "" {
		t.Fatalf("%s: a fixture is prose, then sections", path)
	}
	f := &fixture{prose: string(b[:marks[0][0]]), sections: map[string]string{}}
	for i, m := range marks {
		end := len(b)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		name := string(b[m[2]:m[3]])
		if !slices.Contains(sectionOrder, name) {
			t.Fatalf("%s: unknown section %s", path, name)
		}
		f.sections[name] = expand(string(b[m[1]:end]))
	}
	return f
}

func (f *fixture) has(name string) bool { _, ok := f.sections[name]; return ok }

// golden compares a section with what was got or, with -update, takes it over.
func (f *fixture) golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		f.sections[name] = got
		return
	}
	if want := f.sections[name]; got != want {
		t.Errorf("%s differs\n--- got\n%s\n--- want\n%s", name, shorten(got), shorten(want))
	}
}

// other is golden for what a fixture tells only where it is not the same as what it told before.
func (f *fixture) other(t *testing.T, name, before, got string) {
	t.Helper()
	if got != before {
		f.golden(t, name, got)
	} else if f.has(name) {
		t.Errorf("%s says nothing new", name)
	}
}

func (f *fixture) write(t *testing.T, path string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(f.prose)
	for _, name := range sectionOrder {
		if f.has(name) {
			fmt.Fprintf(&b, "-- %s --\n%s", name, shorten(f.sections[name]))
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// records reads the events: one JSON object per line, as on the runner's wire, with the time in milliseconds as "at".
func (f *fixture) records(t *testing.T) []agent.Record {
	t.Helper()
	var records []agent.Record
	lines := bufio.NewScanner(strings.NewReader(f.sections["events"]))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var stamp struct{ At int64 }
		if err := json.Unmarshal(lines.Bytes(), &stamp); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		event, err := agent.DecodeEvent(lines.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		records = append(records, agent.Record{Seq: int64(len(records)), Turn: "turn_1", At: time.UnixMilli(stamp.At), Event: event})
	}
	return records
}

var repeated = regexp.MustCompile(`\{\{(\d+)\*(.)\}\}`)

// expand writes out {{1000*x}}, which stands for a thousand x.
func expand(s string) string {
	return repeated.ReplaceAllStringFunc(s, func(token string) string {
		m := repeated.FindStringSubmatch(token)
		n, _ := strconv.Atoi(m[1])
		return strings.Repeat(m[2], n)
	})
}

// shorten is the opposite of expand.
func shorten(s string) string {
	const long = 200
	var b strings.Builder
	for len(s) > 0 {
		r, _ := utf8.DecodeRuneInString(s)
		n := len(s) - len(strings.TrimLeft(s, string(r)))
		if n < long {
			b.WriteString(s[:n])
		} else {
			fmt.Fprintf(&b, "{{%d*%c}}", n/utf8.RuneLen(r), r)
		}
		s = s[n:]
	}
	return b.String()
}
