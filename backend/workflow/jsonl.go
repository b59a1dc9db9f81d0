package workflow

import (
	"bytes"
	"encoding/json"

	"parley/backend/redact"
)

// ToJSONL gives messages, as useChat has them, one to a line.
func ToJSONL(messages []json.RawMessage, known *redact.Known) []byte {
	var out []byte
	for _, m := range messages {
		out = append(append(out, known.JSON(m)...), '\n')
	}
	return out
}

// ReadJSONL gives the lines of a file, those that are empty left out.
func ReadJSONL(src []byte) (messages [][]byte) {
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			messages = append(messages, line)
		}
	}
	return messages
}
