package workflow

import (
	"bytes"
	_ "embed" // for page.html
	"html/template"

	"parley/backend/agent"
	"parley/backend/redact"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// pagePart is a part of a message as the page shows it: text, or folded away under a title.
type pagePart struct {
	Title string
	Text  string
}

type pageMessage struct {
	Speaker, At string
	Class       agent.Role
	Parts       []pagePart
}

// ToHTML gives a session as a page that needs nothing else, and can do nothing.
func ToHTML(s Session, known *redact.Known) ([]byte, error) {
	s = s.Redacted(known)
	messages := make([]pageMessage, len(s.Rows))
	for i, row := range s.Rows {
		m := pageMessage{row.speaker(), shown(row.At), row.Role, nil}
		for _, p := range row.Parts {
			m.Parts = append(m.Parts, onPage(p))
		}
		messages[i] = m
	}
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		Title, Subtitle string
		Messages        []pageMessage
	}{s.heading(), s.subtitle(), messages})
	return b.Bytes(), err
}

func onPage(p agent.Part) pagePart {
	switch p := p.(type) {
	case agent.TextPart:
		return pagePart{"", p.Text}
	case agent.ReasoningPart:
		return pagePart{"Thoughts", p.Text}
	case agent.ToolCallPart:
		return pagePart{"Call: " + p.Name, indented(p.Args)}
	case agent.ToolResultPart:
		return pagePart{resultTitle(p), resultText(p)}
	case agent.MediaPart:
		return pagePart{"File: " + p.Name, p.MimeType}
	}
	return pagePart{}
}
