package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
)

// shown is what the card of a call shows, where it is more than text.
type shown struct {
	Server     string          `json:"server"`
	Tool       string          `json:"tool"`
	Content    []piece         `json:"content"`
	Structured json.RawMessage `json:"structured,omitempty"`
}

// piece is one of text, picture, sound, file and link.
type piece struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
	Data     []byte `json:"data,omitempty"`
	URI      string `json:"uri,omitempty"`
	Name     string `json:"name,omitempty"`
}

// What a card is given of one result at most, in bytes.
const (
	maxShownText = 50 << 10
	maxShownData = 1 << 20
)

// result makes a result one of ours: text for the model and, where there is more, all of it for the card.
func (c *client) result(name string, r *mcp.CallToolResult) (output string, data json.RawMessage, err error) {
	s := shown{Server: c.server.ID, Tool: name, Content: []piece{}}
	var said []string
	plain, room := true, maxShownData
	for _, content := range r.Content {
		p, text := read(content)
		if text != "" {
			said = append(said, text)
		}
		p.Text = shorten(p.Text, maxShownText)
		if room -= len(p.Data); room < 0 {
			p.Data = nil
		}
		s.Content = append(s.Content, p)
		plain = plain && p.Type == "text"
	}
	if r.StructuredContent != nil {
		b, err := json.Marshal(r.StructuredContent)
		if err == nil && len(said) == 0 {
			said = append(said, string(b))
		}
		if err == nil && len(b) <= maxShownText {
			s.Structured, plain = b, false
		}
	}
	output = strings.Join(said, "\n")
	if r.IsError {
		if output == "" {
			output = "it did not say why"
		}
		return "", nil, agent.Errorf(agent.CodeToolFailed, "%s", output)
	}
	if !plain {
		data, err = json.Marshal(s)
	}
	return output, data, err
}

// read gives a piece of a result for the card, and what the model reads of it.
func read(content mcp.Content) (p piece, text string) {
	switch c := content.(type) {
	case *mcp.TextContent:
		return piece{Type: "text", Text: c.Text}, c.Text
	case *mcp.ImageContent:
		return piece{Type: "image", MimeType: c.MIMEType, Data: c.Data}, fmt.Sprintf("[A picture (%s, %d bytes), which the person sees.]", c.MIMEType, len(c.Data))
	case *mcp.AudioContent:
		return piece{Type: "audio", MimeType: c.MIMEType, Data: c.Data}, fmt.Sprintf("[A recording (%s, %d bytes), which the person can hear.]", c.MIMEType, len(c.Data))
	case *mcp.ResourceLink:
		return piece{Type: "link", URI: c.URI, Name: c.Name, MimeType: c.MIMEType, Text: c.Description}, fmt.Sprintf("[%s: %s] %s", c.Name, c.URI, c.Description)
	case *mcp.EmbeddedResource:
		r := c.Resource
		p := piece{Type: "resource", URI: r.URI, MimeType: r.MIMEType, Text: r.Text, Data: r.Blob}
		if r.Blob != nil {
			return p, fmt.Sprintf("[%s (%s, %d bytes)]", r.URI, r.MIMEType, len(r.Blob))
		}
		return p, "[" + r.URI + "]\n" + r.Text
	}
	return piece{Type: "text", Text: "[unknown]"}, "[Something that Parley does not know.]"
}
