package workflow

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"

	"parley/backend/agent"
	"parley/backend/redact"
)

var sessions = flag.Int("sessions", 300, "how many sessions TestAnySession makes up")

const knownSecret = "correct-horse-battery"

// nasty are pieces of texts that writers and readers of YAML, templates and ids get wrong.
var nasty = []string{
	"a", "word", " ", "  ", "\n", "\n\n", "\t", "\r\n", "\r", "{{", "}}", "{", "{{ inputs.x }}", "{{ secrets.k | json }}", "|", ">", "- ", ": ", "#", " #",
	"&a", "*a", "!!str", "<<", "%", "@", "`", "\"", "'", "\\", "\\n", "null", "~", "true", "no", "0755", "0o17", "1e3", ".inf", "2026-11-20", "---", "...",
	"İ", "ı", "\u212a", "é", "日本", "😀", "\U0001f469\u200d\U0001f4bb", "\u2028", "\u0085", "\ufeff", "\u202e", "\u0000", "\u0007", "\xff", "\ufffe", "\U0010ffff",
	knownSecret, "Key", "A long line of plain words that goes on and on, so that somebody might want to break it.", strings.Repeat("x", 1100),
}

type maker struct{ *rand.Rand }

func (m maker) text() string {
	var b strings.Builder
	for range m.IntN(8) {
		b.WriteString(nasty[m.IntN(len(nasty))])
	}
	return b.String()
}

func (m maker) of(list ...string) string { return list[m.IntN(len(list))] }

func (m maker) value(depth int) any {
	switch n := m.IntN(9); {
	case n < 3 || depth > 4:
		return m.text()
	case n == 3:
		return m.NormFloat64() * 1e6
	case n == 4:
		return m.Int64()
	case n == 5:
		return []any{nil, true, false, json.Number("1E400"), json.Number("-0.0")}[m.IntN(5)]
	case n == 6:
		list := []any{}
		for range m.IntN(4) {
			list = append(list, m.value(depth+1))
		}
		return list
	}
	object := map[string]any{}
	for range m.IntN(4) {
		object[m.text()] = m.value(depth + 1)
	}
	return object
}

func (m maker) json(t *testing.T) json.RawMessage {
	b, err := json.Marshal(m.value(0))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (m maker) part(t *testing.T) agent.Part {
	switch m.IntN(6) {
	case 0:
		return agent.ReasoningPart{Text: m.text()}
	case 1:
		return agent.ToolCallPart{ID: "c", Name: m.of("read_file", "run_command", "bash", ""), Args: m.json(t)}
	case 2:
		return agent.ToolResultPart{ToolCallID: "c", Result: m.json(t), IsError: m.IntN(2) == 0}
	case 3:
		return agent.MediaOf([]byte("content")).Part(m.text())
	}
	return agent.TextPart{Text: m.text()}
}

func (m maker) session(t *testing.T) Session {
	start := time.UnixMilli(m.Int64N(4e12)).In(time.FixedZone("", m.IntN(24)*3600))
	s := Session{ID: "sess_1", AgentSlug: m.of("coder", "a", "Not Kebab", "", "1"), Title: m.text(), CreatedAt: start, UpdatedAt: start}
	if m.IntN(4) > 0 {
		s.Agent = &agent.Spec{
			ID: s.AgentSlug, Name: m.text(), Harness: agent.KindNative, Provider: m.of("openai", "gemini", "ollama", ""), Model: m.of("m", "", m.text()),
			SystemPrompt: m.text(), Options: map[string]string{m.text(): m.text()},
		}
		for _, tool := range []string{"read_file", "run_command"} {
			if m.IntN(2) == 0 {
				s.Agent.Tools = append(s.Agent.Tools, tool)
			}
		}
		if m.IntN(4) == 0 {
			s.Agent.MCPServers = []string{"notes"}
		}
	}
	for i := range m.IntN(12) {
		row := Row{Message: agent.Message{ID: agent.MessageID(fmt.Sprint("m", i)), Role: agent.Role(m.of("user", "user", "assistant", "assistant", "assistant", "tool", "system"))}}
		row.Seq, row.At = int64(i), start.Add(time.Duration(i)*time.Second)
		for range m.IntN(4) {
			row.Parts = append(row.Parts, m.part(t))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// TestAnySession: whatever a session holds, what it becomes is valid for us and for others, the same each time, and tells no
// secret.
func TestAnySession(t *testing.T) {
	t.Setenv("LC_ALL", "tr_TR.UTF-8")
	known := redact.New([]redact.Value{{Name: "horse", Text: knownSecret}})
	for seed := range *sessions {
		m := maker{rand.New(rand.NewPCG(uint64(seed), 1))}
		s := m.session(t)
		name := fmt.Sprint("session ", seed)
		file := exportedFile(t, name, s, known)
		if again := exportedFile(t, name, s, known); !bytes.Equal(again, file) {
			t.Fatalf("%s: the second time it is\n%s\nafter\n%s", name, again, file)
		}
		if again := rewritten(t, name, file); !bytes.Equal(again, file) {
			t.Fatalf("%s: read and written again it is\n%s\nafter\n%s", name, again, file)
		}
		if crlf := rewritten(t, name, bytes.ReplaceAll(file, []byte("\n"), []byte("\r\n"))); !bytes.Equal(crlf, file) {
			t.Fatalf("%s: with Windows line ends it is\n%s\nafter\n%s", name, crlf, file)
		}
		if bytes.Contains(file, []byte(knownSecret)) {
			t.Fatalf("%s: it tells the secret:\n%s", name, file)
		}
		readElsewhere(t, name, file)
		originate(t, name, *Parse(file).Graph, s)
	}
}

func exportedFile(t *testing.T, name string, s Session, known *redact.Known) []byte {
	t.Helper()
	g, _, err := FromSession(s, known)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	file, err := Write(g)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return file
}

// elsewhere is what a reader of schema 1.0 who has never heard of Parley knows of exported files.
type elsewhere struct {
	SchemaVersion string `yaml:"schema_version"`
	Workflow      struct {
		ID       string
		Name     *string
		Metadata map[string]any
		Agents   []struct {
			ID           string
			Name         *string
			Description  *string
			Model        string
			Provider     string
			SystemPrompt string `yaml:"system_prompt"`
			Tools        []string
			MCPServers   []struct{ Ref string } `yaml:"mcp_servers"`
		}
		Nodes []struct {
			ID             string
			Type           string
			AgentRef       string  `yaml:"agent_ref"`
			PromptTemplate *string `yaml:"prompt_template"`
			Tools          []string
		}
		Edges []struct{ From, To string }
	}
}

// readElsewhere reads a file as somebody else would: strictly, and with the rules that the format has for what is in there.
func readElsewhere(t *testing.T, name string, file []byte) {
	t.Helper()
	var f elsewhere
	if err := yaml.Load(file, &f, yaml.WithKnownFields(), yaml.WithUniqueKeys()); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, file)
	}
	w := f.Workflow
	if f.SchemaVersion != "1.0" || !kebabID.MatchString(w.ID) || len(w.Nodes) < 2 || len(w.Edges) != len(w.Nodes)-1 || w.Metadata["relaviumExport"] == nil {
		t.Errorf("%s is no chain: %+v", name, w)
	}
	for _, a := range w.Agents {
		if !kebabID.MatchString(a.ID) || a.Model == "" || a.SystemPrompt == "" || !strings.Contains("anthropic openai gemini deepseek", a.Provider) {
			t.Errorf("%s: an agent is none: %+v", name, a)
		}
	}
	for i, n := range w.Nodes {
		if i > 0 && (w.Edges[i-1].From != w.Nodes[i-1].ID || w.Edges[i-1].To != n.ID) {
			t.Errorf("%s: the chain breaks before %s", name, n.ID)
		}
		if n.Type == "agent" && (len(w.Agents) > 0 && n.AgentRef != w.Agents[0].ID || n.PromptTemplate != nil && strings.Contains(*n.PromptTemplate, "{{")) {
			t.Errorf("%s: a turn is none: %+v", name, n)
		}
	}
}

// TestLongSession: of a transcript that no file could hold the newest messages are kept, and the chain is whole.
func TestLongSession(t *testing.T) {
	s := Session{ID: "sess_1", AgentSlug: "coder"}
	for i := range 5000 {
		say := func(role agent.Role, text string) {
			s.Rows = append(s.Rows, Row{Message: agent.Message{ID: agent.MessageID(fmt.Sprint("m", len(s.Rows))), Role: role, Parts: []agent.Part{agent.TextPart{Text: text}}}, Seq: int64(len(s.Rows))})
		}
		say(agent.RoleUser, fmt.Sprintf("Question %d, with [brackets], {braces} and 😀", i))
		say(agent.RoleAssistant, strings.Repeat("An answer of some length.\n", 10))
	}
	file := exportedFile(t, "long", s, nil)
	p := Parse(file)
	if len(p.Problems) > 0 {
		t.Fatal(p.Problems)
	}
	var m struct{ RelaviumExport exported }
	if err := json.Unmarshal(p.Graph.Metadata, &m); err != nil {
		t.Fatal(err)
	}
	kept := m.RelaviumExport.Messages
	if len(p.Graph.Nodes) != 5002 || m.RelaviumExport.OmittedMessages == 0 || len(kept)+m.RelaviumExport.OmittedMessages != len(s.Rows) || kept[len(kept)-1].ID != "m9999" {
		t.Errorf("%d nodes, %d messages, %d omitted", len(p.Graph.Nodes), len(kept), m.RelaviumExport.OmittedMessages)
	}
	if origins := originate(t, "long", *p.Graph, s); len(origins) != len(kept)/2 || origins[len(origins)-1].Node != "turn-5000" {
		t.Errorf("%d origins of %d messages", len(origins), len(kept))
	}
	if more := len(file) + len(file)/len(kept); more < maxSource/2 {
		t.Errorf("the file has %d bytes: more would have fit", len(file))
	}
	s.Rows[0].Parts = []agent.Part{agent.TextPart{Text: strings.Repeat("too long ", maxSource/8)}}
	if _, _, err := FromSession(s, nil); agent.AsError(err).Code != agent.CodeValidation {
		t.Errorf("got %v for prompts that no file can hold", err)
	}
}
