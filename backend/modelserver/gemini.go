package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"parley/backend/scripted"
)

// gemini answers Gemini's generateContent, its streaming, and its countTokens: the method is what follows the model.
func (s *Server) gemini(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	size := int64(len(body) / 4)
	if method == "countTokens" {
		writeJSON(w, http.StatusOK, object{"totalTokens": size})
		return
	}
	if method != "generateContent" && method != "streamGenerateContent" {
		writeJSON(w, http.StatusNotFound, geminiError(http.StatusNotFound, "Method not found."))
		return
	}
	g, why := readGeneration(body)
	if why != "" && !s.options.Lenient {
		writeJSON(w, http.StatusBadRequest, geminiError(http.StatusBadRequest, why))
		return
	}
	a, results := s.newAnswer(w, r, g.said(), g.functions())
	v := &geminiAnswer{answer: a, model: model, stream: method == "streamGenerateContent", inputTokens: size}
	a.play(v, results)
}

// geminiAnswer speaks as Gemini does: each piece is an answer of its own, and the last one says why it ends.
type geminiAnswer struct {
	*answer
	model       string
	stream      bool
	inputTokens int64
	parts       []geminiPart // that are still to be sent
}

func (a *geminiAnswer) speak(beat scripted.Beat) {
	switch beat.Kind {
	case scripted.BeatThought, scripted.BeatText:
		a.say(geminiPart{Text: &beat.Text, Thought: beat.Kind == scripted.BeatThought})
	case scripted.BeatCall:
		call := &geminiCall{Name: beat.Call.Name, Args: json.RawMessage(`{}`)} // a call cannot hold input that is no JSON
		if isObject(beat.Call.Input) {
			call.Args = beat.Call.Input
		}
		a.say(geminiPart{Call: call, Signature: signature})
	}
}

// say sends a piece, or joins it to what is gathered.
func (a *geminiAnswer) say(p geminiPart) {
	if a.stream {
		a.send("", a.response([]geminiPart{p}, nil, a.tokens))
		return
	}
	if n := len(a.parts); n > 0 && p.Text != nil && a.parts[n-1].Text != nil && a.parts[n-1].Thought == p.Thought {
		*a.parts[n-1].Text += *p.Text
		return
	}
	a.parts = append(a.parts, p)
}

func (a *geminiAnswer) finish() {
	if len(a.parts) == 0 {
		a.parts = []geminiPart{{Text: new("")}}
	}
	reason, out := "STOP", a.tokens
	if u := a.script.Usage; u != nil {
		a.inputTokens, out = u.Input, u.Output
	}
	last := a.response(a.parts, &reason, out)
	if a.stream {
		a.send("", last)
		return
	}
	writeJSON(a.w, http.StatusOK, last)
}

func (a *geminiAnswer) response(parts []geminiPart, reason *string, out int64) object {
	candidate := object{"content": geminiContent{"model", parts}, "index": 0}
	if reason != nil {
		candidate["finishReason"] = *reason
	}
	return object{
		"candidates": []object{candidate}, "modelVersion": a.model, "responseId": fmt.Sprintf("gemini_%d", a.id),
		"usageMetadata": object{"promptTokenCount": a.inputTokens, "candidatesTokenCount": out, "totalTokenCount": a.inputTokens + out},
	}
}

func (a *geminiAnswer) complaint(f scripted.Failure) (event string, body any) {
	return "", geminiError(f.Status, asked(f))
}

var geminiStatuses = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED",
	500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

func geminiError(status int, message string) any {
	word, known := geminiStatuses[status]
	if !known {
		word = "UNKNOWN"
	}
	return object{"error": object{"code": status, "message": message, "status": word}}
}
