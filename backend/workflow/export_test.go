package workflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
	"parley/backend/redact"
)

// readSession reads a session as the files in testdata/export tell it: prose, then lines of "key: value", then the rows. A row
// begins with "-- role id", and has a part to a paragraph: text, or what a ! says.
func readSession(t testing.TB, path string) (Session, *redact.Known) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := strings.Cut(string(src), "\n-- ")
	_, head, _ = strings.Cut(head, "\n\n")
	start := time.Date(2026, 11, 20, 21, 4, 5, 678_000_000, time.FixedZone("", 3*3600))
	s := Session{ID: "sess_1", AgentSlug: "coder", CreatedAt: start, UpdatedAt: start.Add(time.Hour)}
	var values []redact.Value
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "title":
			s.Title = value
		case "slug":
			s.AgentSlug = value
		case "agent":
			s.Agent = &agent.Spec{}
			if err := json.Unmarshal([]byte(value), s.Agent); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
		case "secret":
			values = append(values, redact.Value{Name: "deploy", Text: value})
		default:
			t.Fatalf("%s: what is %q?", path, line)
		}
	}
	for i, text := range strings.Split(body, "\n-- ") {
		if text == "" {
			break
		}
		s.Rows = append(s.Rows, readRow(t, text, int64(i), start.Add(time.Duration(i)*time.Second)))
	}
	return s, redact.New(values)
}

func readRow(t testing.TB, text string, seq int64, at time.Time) Row {
	t.Helper()
	head, text, _ := strings.Cut(text, "\n")
	words := strings.Fields(head)
	row := Row{Message: agent.Message{Role: agent.Role(words[0]), ID: agent.MessageID(words[1])}, Seq: seq, At: at}
	if len(words) > 2 {
		row.Model = words[2]
	}
	for _, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		kind, rest, _ := strings.Cut(part, " ")
		one, two, _ := strings.Cut(rest, " ")
		switch kind {
		case "":
		case "!call":
			name, args, _ := strings.Cut(two, " ")
			row.Parts = append(row.Parts, agent.ToolCallPart{ID: one, Name: name, Args: json.RawMessage(args)})
		case "!result":
			row.Parts = append(row.Parts, agent.ToolResultPart{ToolCallID: one, Result: json.RawMessage(two)})
		case "!denied":
			row.Parts = append(row.Parts, agent.ToolResultPart{ToolCallID: one, Result: json.RawMessage(two), IsError: true, Denied: true})
		case "!thought":
			row.Parts = append(row.Parts, agent.ReasoningPart{Text: rest})
		case "!media":
			row.Parts = append(row.Parts, agent.MediaOf([]byte(two)).Part(one))
		case "!quoted":
			var text string
			if err := json.Unmarshal([]byte(rest), &text); err != nil {
				t.Fatal(err)
			}
			row.Parts = append(row.Parts, agent.TextPart{Text: text})
		default:
			row.Parts = append(row.Parts, agent.TextPart{Text: part})
		}
	}
	return row
}

// TestFromSession: what a session becomes, for every row of the mapping and every trap in it. Warnings stand above the file.
func TestFromSession(t *testing.T) {
	for _, path := range files(t, "testdata/export/*.txt") {
		s, known := readSession(t, path)
		g, warnings, err := FromSession(s, known)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		file, err := Write(g)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var out bytes.Buffer
		for _, w := range warnings {
			fmt.Fprintf(&out, "# %s\n", w)
		}
		out.Write(file)
		golden(t, strings.TrimSuffix(path, ".txt")+".golden", out.Bytes())
		if again := rewritten(t, path, file); !bytes.Equal(again, file) {
			t.Errorf("%s: read and written again it is\n%s", path, again)
		}
		if crlf := rewritten(t, path, bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n"))); !bytes.Equal(crlf, file) {
			t.Errorf("%s: with Windows line ends it is\n%s", path, crlf)
		}
	}
}
