package program

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"parley/backend/agent"
	"parley/backend/tool"
)

// told is the text that a program is sent for a prompt: the person's message, and before it, if it has to be retold, what was
// said earlier.
func told(prompt agent.Prompt, h how) string {
	n := len(prompt.Messages)
	if n == 0 {
		return ""
	}
	last := prompt.Messages[n-1]
	if h != retold {
		return textOf(last)
	}
	if last.Role == agent.RoleUser {
		return retell(prompt.Messages[:n-1]) + textOf(last)
	}
	var b strings.Builder
	b.WriteString(retell(prompt.Messages))
	b.WriteString("You were interrupted in the middle of your last answer. Go on with it.")
	if _, calls := prompt.Resumed(); len(calls) > 0 {
		b.WriteString(" You had asked whether you may make these calls, and the person allows it, so make them again:")
		for _, call := range calls {
			fmt.Fprintf(&b, "\n%s %s", call.Name, call.Input)
		}
	}
	return b.String()
}

// retell writes messages down for a program that does not know them. What stands between the two tags was said before; nobody says
// it again.
func retell(messages []agent.Message) string {
	var b strings.Builder
	b.WriteString("What was said so far in this conversation, which you cannot remember. " + tool.AboutResults + "\n<conversation>\n")
	for _, m := range messages {
		for _, part := range m.Parts {
			switch part := part.(type) {
			case agent.TextPart:
				fmt.Fprintf(&b, "[%s] %s\n", m.Role, closing.Replace(part.Text))
			case agent.ToolCallPart:
				fmt.Fprintf(&b, "[%s called %s] %s\n", m.Role, part.Name, closing.Replace(string(part.Args)))
			case agent.ToolResultPart:
				b.WriteString(closing.Replace(tool.Mark(resultText(part), part.IsError, part.Denied)) + "\n")
			case agent.MediaPart:
				fmt.Fprintf(&b, "[%s attached %q, %s]\n", m.Role, part.Name, part.MimeType)
			}
		}
	}
	b.WriteString("</conversation>\n\n")
	return b.String()
}

// resultText is a result as a program reads it: what is no string is given as it is.
func resultText(r agent.ToolResultPart) string {
	text := string(r.Result)
	_ = json.Unmarshal(r.Result, &text)
	return text
}

// closing keeps what was said from ending the conversation that it stands in.
var closing = strings.NewReplacer("</conversation>", "</ conversation>")

func textOf(m agent.Message) string {
	var b strings.Builder
	for _, part := range m.Parts {
		if text, ok := part.(agent.TextPart); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// pictures are those of the newest message.
func pictures(prompt agent.Prompt) []Image {
	n := len(prompt.Messages)
	if n == 0 {
		return nil
	}
	var images []Image
	for _, part := range prompt.Messages[n-1].Parts {
		if m, ok := part.(agent.MediaPart); ok && prompt.Media[m.Handle] != nil {
			images = append(images, Image{m.MimeType, prompt.Media[m.Handle]})
		}
	}
	return images
}

// NewUUID makes the name of a session or a message, for programs that want one.
func NewUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
