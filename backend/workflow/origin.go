package workflow

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/backend/agent"
)

// Origin is the turn of a session that a node was made of.
type Origin struct {
	Node    string          `json:"node"`
	Session agent.SessionID `json:"session"`
	Message agent.MessageID `json:"message"` // that it began with
	Prompt  string          `json:"prompt"`
	Answer  string          `json:"answer"`
	Tools   []string        `json:"tools"` // that were called, each once
}

// maxOrigin is how many characters there are of a prompt or an answer.
const maxOrigin = 4000

// Origins gives those of the nodes that FromSession made, by the metadata that it gave them. A node may be gone by now, or be
// called otherwise. There are none where the metadata does not say which turn was the first: a wrong one would be worse.
func Origins(metadata json.RawMessage) []Origin {
	var m struct {
		Export exported `json:"relaviumExport"`
	}
	if json.Unmarshal(metadata, &m) != nil || m.Export.OmittedMessages > 0 && m.Export.OmittedTurns == nil {
		return nil
	}
	rows := make([]Row, len(m.Export.Messages))
	for i, message := range m.Export.Messages {
		parts, err := agent.DecodeParts(message.Content)
		if err != nil {
			return nil
		}
		rows[i].Message = agent.Message{ID: message.ID, Role: message.Role, Parts: parts}
	}
	number := 0
	if m.Export.OmittedTurns != nil {
		number = *m.Export.OmittedTurns
	}
	var all []Origin
	for _, t := range turns(rows) {
		if t.done {
			number++
			all = append(all, Origin{turnID(number), m.Export.SessionID, t.first, cut(t.prompt()), cut(strings.Join(t.said, "\n\n")), t.tools})
		}
	}
	return all
}

// turnID is the id of the node that is made of an answered turn, counted from 1.
func turnID(number int) string { return fmt.Sprintf("turn-%d", number) }

func cut(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxOrigin {
			return text[:i] + "…"
		}
	}
	return text
}
