package workflow

import (
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
