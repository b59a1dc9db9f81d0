package acp

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"parley/backend/agent"
)

// block is a piece of content.
type block struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	Data     string    `json:"data,omitempty"`
	MimeType string    `json:"mimeType,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Resource *document `json:"resource,omitempty"`
}

// document is a file within a message.
type document struct {
	URI  string `json:"uri"`
	Text string `json:"text"`
}

// text is what a block has to read.
func (b block) text() string {
	switch {
	case b.Type == "text":
		return b.Text
	case b.Resource != nil:
		return b.Resource.Text
	}
	return b.URI
}

// event is a block of a message as it is said; nil if it has nothing.
func (b block) event() agent.Event {
	switch {
	case b.Type == "text" && b.Text != "":
		return agent.MessageDelta{Text: b.Text}
	case (b.Type == "image" || b.Type == "audio") && b.Data != "":
		return agent.File{URL: "data:" + b.MimeType + ";base64," + b.Data, MediaType: b.MimeType}
	case b.Type == "resource_link" && strings.HasPrefix(b.URI, "http"):
		return agent.Source{ID: b.URI, URL: b.URI, Title: b.Name}
	case b.Type == "resource_link":
		return agent.Source{ID: b.URI, Title: b.Name, MediaType: b.MimeType, Filename: path.Base(b.URI)}
	case b.Resource != nil:
		return agent.Source{ID: b.Resource.URI, Title: path.Base(b.Resource.URI), Filename: path.Base(b.Resource.URI)}
	}
	return nil
}

// piece is a part of what a call has to show. Its fields are of its type.
type piece struct {
	Type string `json:"type"`

	Content block `json:"content"` // content

	Path string  `json:"path"` // diff, protocol 1
	Old  *string `json:"oldText"`
	New  string  `json:"newText"`

	Changes []struct { // diff, protocol 2
		Operation string `json:"operation"`
		Path      string `json:"path"`
	} `json:"changes"`
	Patch struct {
		Text string `json:"text"`
	} `json:"patch"`

	Terminal string `json:"terminalId"` // terminal
}

// change is what became of a file, as the page's card of write_file shows it.
type change struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Created bool   `json:"created"`
	Diff    string `json:"diff"`
}

// change gives what became of the file that a piece is about.
func (s *Speaker) change(p piece) change {
	if len(p.Changes) > 0 {
		return change{Path: s.place(p.Changes[0].Path), Created: p.Changes[0].Operation == "add", Diff: p.Patch.Text}
	}
	return compare(s.place(p.Path), p.Old, p.New)
}

// place is a path as it is shown: from the session's folder, if it is in it.
func (s *Speaker) place(path string) string {
	if place, err := filepath.Rel(s.dir, path); err == nil && filepath.IsLocal(place) {
		return place
	}
	return path
}

// pieces reads what a call has to show. What cannot be read is not shown.
func pieces(content json.RawMessage) (all []piece) {
	if len(content) > 0 {
		_ = json.Unmarshal(content, &all)
	}
	return all
}

// text is what a call has to read.
func (t *turn) text(content json.RawMessage) string {
	var texts []string
	for _, p := range pieces(content) {
		shown := p.Content.text()
		if p.Type == "terminal" {
			shown = t.terminals.text(p.Terminal)
		}
		if shown != "" {
			texts = append(texts, shown)
		}
	}
	return strings.Join(texts, "\n")
}

// changes are what a call has to show of files.
func (s *Speaker) changes(content json.RawMessage) (all []change) {
	if !bytes.Contains(content, []byte(`"diff"`)) {
		return nil
	}
	for _, p := range pieces(content) {
		if p.Type == "diff" {
			all = append(all, s.change(p))
		}
	}
	return all
}

// maxDiff is how large a file may be, before or after, to be compared.
const maxDiff = 1 << 20

// compare gives what became of a file.
func compare(name string, before *string, now string) change {
	var old string
	if before != nil {
		old = *before
	}
	c := change{Path: name, Bytes: len(now), Created: old == ""}
	if max(len(old), len(now)) <= maxDiff {
		from := "a/" + name
		if c.Created {
			from = "/dev/null"
		}
		c.Diff = udiff.Unified(from, "b/"+name, old, now)
	}
	return c
}

// opened is a block of text that the agent writes.
type opened struct{ kind, id string }

// chunk says the next piece of text, and reports whether it could be read. Another id begins another block. What a
// subagent writes is not the agent's answer: the call that started it has its result.
func (t *turn) chunk(u update) bool {
	var b block
	if json.Unmarshal(u.Content, &b) != nil {
		return false
	}
	if u.Meta.Usage != nil {
		t.use(u.Meta.Usage)
	}
	if u.Meta.Claude.Parent != "" {
		return true
	}
	now := opened{u.Kind, u.MessageID}
	if t.open.kind == now.kind && t.open.id != now.id {
		t.close()
	}
	t.open = now
	t.say(b, u.Kind == "agent_thought_chunk")
	return true
}

// whole says a message that comes at once, unless its pieces were said.
func (t *turn) whole(u update) bool {
	var blocks []block
	if len(u.Content) > 0 && json.Unmarshal(u.Content, &blocks) != nil {
		return false
	}
	kind := u.Kind + "_chunk"
	if t.open == (opened{kind, u.MessageID}) {
		return true
	}
	t.close()
	for _, b := range blocks {
		t.say(b, u.Kind == "agent_thought")
	}
	t.open = opened{kind, u.MessageID}
	return true
}

func (t *turn) say(b block, thought bool) {
	e := b.event()
	if said, ok := e.(agent.MessageDelta); ok && thought {
		e = agent.ThoughtDelta(said)
	}
	if e != nil {
		t.host.Say(e)
	}
}

func (t *turn) close() {
	switch t.open.kind {
	case "agent_message_chunk":
		t.host.Say(agent.MessageEnd{})
	case "agent_thought_chunk":
		t.host.Say(agent.ThoughtEnd{})
	}
}
