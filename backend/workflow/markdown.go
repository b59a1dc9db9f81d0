package workflow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"parley/backend/agent"
	"parley/backend/redact"
)

// ToMarkdown gives a session for people to read. What was said stands as it was said; calls and thoughts are folded away.
func ToMarkdown(s Session, known *redact.Known) []byte {
	s = s.Redacted(known)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s\n\n%s\n", oneLine(s.heading()), oneLine(s.subtitle()))
	for _, row := range s.Rows {
		if row.Role != agent.RoleTool {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", oneLine(row.speaker()), shown(row.At))
		}
		for _, p := range row.Parts {
			switch p := p.(type) {
			case agent.TextPart:
				fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(p.Text, "\n"))
			case agent.ReasoningPart:
				folded(&b, "Thoughts", "", p.Text)
			case agent.ToolCallPart:
				folded(&b, "Call: "+p.Name, "json", indented(p.Args))
			case agent.ToolResultPart:
				folded(&b, resultTitle(p), "", resultText(p))
			case agent.MediaPart:
				fmt.Fprintf(&b, "\n- File: %s (%s, %d bytes)\n", oneLine(p.Name), p.MimeType, p.ByteLength)
			}
		}
	}
	return b.Bytes()
}

// heading is what a session is called.
func (s Session) heading() string {
	if s.Title == "" {
		return "Session " + string(s.ID)
	}
	return s.Title
}

func (s Session) subtitle() string {
	return fmt.Sprintf("%s · %s to %s", s.AgentSlug, shown(s.CreatedAt), shown(s.UpdatedAt))
}

// shown is a time for people, the same wherever they are.
func shown(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// speaker is whose message it is.
func (r Row) speaker() string {
	switch {
	case r.Role == agent.RoleUser:
		return "You"
	case r.Role == agent.RoleAssistant && r.Model != "":
		return "Agent · " + r.Model
	case r.Role == agent.RoleAssistant:
		return "Agent"
	}
	return "Note"
}

// oneLine is a text that can neither end the line it is in nor open a tag.
func oneLine(text string) string { return escaped.Replace(strings.Join(strings.Fields(text), " ")) }

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

var backticks = regexp.MustCompile("`+")

// folded writes a block that a reader opens, in a fence that nothing inside of it can end.
func folded(b *bytes.Buffer, title, language, text string) {
	fence := "```"
	for _, run := range backticks.FindAllString(text, -1) {
		if len(run) >= len(fence) {
			fence = run + "`"
		}
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n%s%s\n%s\n%s\n\n</details>\n", oneLine(title), fence, language, strings.TrimRight(text, "\n"), fence)
}

func indented(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, value, "", "  ") != nil {
		return string(value)
	}
	return b.String()
}

// resultTitle says how a call ended.
func resultTitle(p agent.ToolResultPart) string {
	switch {
	case p.Denied:
		return "Denied"
	case p.IsError:
		return "Failed"
	}
	return "Result"
}

// resultText is what a call gave, as a person reads it.
func resultText(p agent.ToolResultPart) string {
	var text string
	if json.Unmarshal(p.Result, &text) != nil {
		return indented(p.Result)
	}
	return text
}
