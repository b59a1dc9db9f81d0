package modelserver

import (
	"encoding/json"
	"io"
	"net/http"

	"parley/backend/scripted"
)

// unscripted is the answer to a message without directives.
const unscripted = "This is a scripted model. Its answers are directed by the message, as in [[say:hello]]."

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var c conversation
	if err := json.Unmarshal(body, &c); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "", "We could not parse the JSON body of your request: "+err.Error())
		return
	}
	if why := c.refusal(); why != "" && !s.options.Lenient {
		writeError(w, http.StatusBadRequest, "invalid_request_error", "", why)
		return
	}
	a := &answer{server: s, w: w, r: r, conversation: c, id: s.answers.Add(1), inputTokens: int64(len(body) / 4)}
	a.whole.Content = new("")
	results := 0
	a.text, results = c.directed()
	a.script = scripted.Parse(a.text)
	if !a.script.Found {
		a.script.Say = unscripted
	}
	if f := a.script.Failure; f != nil && f.Once {
		if _, failed := s.failed.Load(a.text); failed {
			a.script.Failure = nil
		}
	}
	a.play(results)
}
