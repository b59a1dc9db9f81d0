package workflow

import (
	"encoding/json"

	"parley/backend/agent"
	"parley/backend/redact"
)

// exported is what is under relaviumExport in the metadata of a workflow that was a session.
type exported struct {
	Source          string            `json:"source"`
	SessionID       agent.SessionID   `json:"sessionId"`
	AgentSlug       string            `json:"agentSlug"`
	Title           string            `json:"title,omitempty"`
	CreatedAt       string            `json:"createdAt"`
	UpdatedAt       string            `json:"updatedAt"`
	OmittedMessages int               `json:"omittedMessages,omitempty"` // the oldest, for the rest to fit in
	OmittedTurns    *int              `json:"omittedTurns,omitempty"`    // that began with those and have a node; nil if nothing is omitted
	Messages        []exportedMessage `json:"messages"`
}

type exportedMessage struct {
	ID             agent.MessageID `json:"id"`
	SessionID      agent.SessionID `json:"sessionId"`
	SequenceNumber int64           `json:"sequenceNumber"`
	Role           agent.Role      `json:"role"`
	Content        json.RawMessage `json:"content"`
	ModelID        string          `json:"modelId,omitempty"`
	Timestamp      string          `json:"timestamp"`
}

// messagesDepth is how deep the messages are in a file: workflow, metadata, relaviumExport, messages.
const messagesDepth = 4

// transcribe takes what was said, and what is known of the agent, as it stands in the metadata.
func (e *exporter) transcribe(known *redact.Known) error {
	e.messages = make([]exportedMessage, len(e.Rows))
	for i, row := range e.Rows {
		content, err := agent.EncodeParts(flat(row.Parts))
		if err != nil {
			return err
		}
		e.messages[i] = exportedMessage{row.ID, e.ID, row.Seq, row.Role, content, row.Model, timestamp(row.At)}
	}
	if e.Agent == nil {
		return nil
	}
	spec, err := json.Marshal(e.Agent)
	if err != nil {
		return err
	}
	return json.Unmarshal(known.JSON(spec), &e.spec)
}

// flat gives parts whose values are not nested deeper than a file may be: those that are become their own text.
func flat(parts []agent.Part) []agent.Part {
	out := make([]agent.Part, len(parts))
	for i, p := range parts {
		switch part := p.(type) {
		case agent.ToolCallPart:
			part.Args = flatValue(part.Args)
			p = part
		case agent.ToolResultPart:
			part.Result = flatValue(part.Result)
			p = part
		}
		out[i] = p
	}
	return out
}

func flatValue(value json.RawMessage) json.RawMessage {
	depth, most, quoted := 0, 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			most = max(most, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	if most <= maxDepth/2 {
		return value
	}
	text, err := json.Marshal(string(value))
	if err != nil {
		panic(err) // a string has JSON
	}
	return text
}

// metadata gives that of the workflow, without the oldest messages.
func (e *exporter) metadata(omitted int) (json.RawMessage, error) {
	type own struct {
		Agent map[string]json.RawMessage `json:"agent,omitempty"`
	}
	var turns *int
	if omitted > 0 {
		turns = new(answered(e.Rows) - answered(e.Rows[omitted:]))
	}
	return json.Marshal(struct {
		Export exported `json:"relaviumExport"`
		Parley own      `json:"parley,omitzero"`
	}{
		exported{"session", e.ID, e.AgentSlug, e.Title, timestamp(e.CreatedAt), timestamp(e.UpdatedAt), omitted, turns, e.messages[omitted:]},
		own{e.spec},
	})
}

// answered counts the turns that have a node.
func answered(rows []Row) (n int) {
	for _, t := range turns(rows) {
		if t.done {
			n++
		}
	}
	return n
}

// fit gives the graph its metadata, with as many of the newest messages as a file may have.
func (e *exporter) fit(g *Graph) (err error) {
	omitted := len(e.messages)
	if g.Metadata, err = e.metadata(omitted); err != nil {
		return err
	}
	file, err := Write(*g)
	if err != nil {
		return err
	}
	size := sizeOf(string(file))
	if !size.fits() {
		return agent.Errorf(agent.CodeValidation, "This session cannot be a workflow: its prompts alone are more than a workflow's file may have. Export it as a bundle or as Markdown.")
	}
	for ; omitted > 0; omitted-- {
		b, err := json.Marshal(e.messages[omitted-1])
		if err != nil {
			return err
		}
		tree, err := decode(b)
		if err != nil {
			return err
		}
		var w writer
		w.value([]any{tree}, messagesDepth)
		if size = size.with(sizeOf(w.String())); !size.fits() {
			e.warn("The transcript is longer than a workflow's file may be. Its oldest %d messages are left out; every turn has its node.", omitted)
			break
		}
	}
	g.Metadata, err = e.metadata(omitted)
	return err
}

// review says where what is exported looks like it holds a secret.
func (e *exporter) review() {
	for _, m := range e.messages {
		if found := redact.Find(string(m.Content)); len(found) > 0 {
			e.warn("The message %s looks like it holds a credential. Look at it before you give the workflow away.", m.ID)
		}
	}
	if found := redact.Find(string(e.spec["system_prompt"])); len(found) > 0 {
		e.warn("The agent's instructions look like they hold a credential. Look at them before you give the workflow away.")
	}
}
