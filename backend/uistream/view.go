package uistream

import (
	"fmt"
	"strings"

	"parley/backend/agent"
)

// View gives the UIMessage that a client ends with after the records of a turn, byte for byte as JSON.stringify prints
// it. The turn may still be running.
func View(session agent.SessionID, records []agent.Record) ([]byte, error) {
	e := NewEncoder(session)
	var m message
	for _, c := range e.chunks(records) {
		if err := m.apply(c); err != nil {
			return nil, err
		}
	}
	switch {
	case e.err != nil:
		return nil, e.err
	case e.phase == waiting:
		return nil, fmt.Errorf("view a turn: the log does not begin with its start")
	}
	return m.appendJSON(nil), nil
}

// UserMessage gives the UIMessage of a person's durable message, as the client that sent it holds it, under the id that it
// gave. A file that came inside of it has an address of ours now.
func UserMessage(m agent.Message) ([]byte, error) {
	dst := []byte{'['}
	for i, p := range m.Parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		switch p := p.(type) {
		case agent.TextPart:
			dst = newChunk(dst, "text").string("text", p.Text).end()
		case agent.MediaPart:
			o := newChunk(dst, "file").string("mediaType", p.MimeType)
			if p.Name != "" {
				o = o.string("filename", p.Name)
			}
			dst = o.string("url", MediaURL(p.Handle)).end()
		default:
			return nil, fmt.Errorf("view the message %s: a person's message has no %T", m.ID, p)
		}
	}
	parts, id := append(dst, ']'), string(m.ID.Shown())
	o := newObject(nil)
	if id == string(m.ID) {
		o = o.json("parts", parts).string("id", id)
	} else { // an edit: the client puts the id first
		o = o.string("id", id).json("parts", parts)
	}
	return o.string("role", "user").end(), nil
}

// UserChunk shows a person's message in a replay, before the turn that answers it.
func UserChunk(m agent.Message) (Chunk, error) {
	message, err := UserMessage(m)
	return dataChunk{name: userData, data: message, transient: true}, err
}

const mediaPath = "/media/"

// MediaURL is where the door gives media, without the door's own address, which is another after each start.
func MediaURL(h agent.MediaHandle) string { return mediaPath + h.Sum() }

// MediaHandle is the media at a URL that MediaURL gave.
func MediaHandle(url string) (agent.MediaHandle, error) {
	sum, ours := strings.CutPrefix(url, mediaPath)
	handle, err := agent.MediaHandleOf(sum)
	if !ours || err != nil {
		return "", agent.Errorf(agent.CodeValidation, "%q is no url that POST /media gave.", url)
	}
	return handle, nil
}
