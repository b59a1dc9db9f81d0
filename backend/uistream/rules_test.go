package uistream

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// chunkKeys are the keys of each type of chunk: those that it must have, then those that it may. Strict clients accept
// no others: §4 Emitted, and §4 providerMetadata is an object of objects where there is any.
var chunkKeys = map[string]string{
	"start":                  "messageId messageMetadata",
	"start-step":             "",
	"finish-step":            "",
	"finish":                 "finishReason | messageMetadata",
	"abort":                  "",
	"message-metadata":       "messageMetadata",
	"text-start":             "id",
	"text-delta":             "id delta",
	"text-end":               "id",
	"reasoning-start":        "id",
	"reasoning-delta":        "id delta",
	"reasoning-end":          "id",
	"tool-input-start":       "toolCallId toolName | providerExecuted",
	"tool-input-delta":       "toolCallId inputTextDelta",
	"tool-input-available":   "toolCallId toolName input | providerExecuted",
	"tool-input-error":       "toolCallId toolName input errorText | providerExecuted",
	"tool-approval-request":  "approvalId toolCallId | isAutomatic",
	"tool-approval-response": "approvalId approved | reason",
	"tool-output-available":  "toolCallId output | preliminary",
	"tool-output-error":      "toolCallId errorText",
	"tool-output-denied":     "toolCallId",
	"file":                   "url mediaType",
	"source-url":             "sourceId url | title",
	"source-document":        "sourceId mediaType title | filename",
	"data-*":                 "data | id transient",
	"error":                  "errorText",
}

// wireChunk is a chunk as a client sees it.
type wireChunk struct {
	Type       string
	ID         string
	Delta      string
	ToolCallID string
	ErrorText  string
	MessageID  string
	ApprovalID string
	Approved   bool
	Finish     string `json:"finishReason"`

	Preliminary bool
}

// ruleChecker holds a sequence of chunks to the rules: §4 For any id: start before deltas before end; §4 One text or reasoning
// block open at a time; §4 a tool call closes it; §4 A new id per block; §4 Each loop iteration; §4 a resumed (paused) turn
// echoes the id; §4 Endings, exactly one per response; §4 The same failure is never reported twice; §4 A tool result for an id
// never announced; §4 Close text and reasoning blocks before finish-step.
type ruleChecker struct {
	step    bool
	open    string            // the block
	used    map[string]bool   // ids of blocks
	calls   map[string]string // id → announced, known, asked, allowed, denied or answered
	asked   map[string]string // id of an approval → call
	trailer []string          // the types that must follow, once a turn fails
	message string
	again   bool // whether a pause is behind
	paused  bool
	ended   bool
}

// checkRules gives the first rule that the chunks of a turn, whole or cut short, break.
func checkRules(chunks []Chunk) error {
	r := ruleChecker{used: map[string]bool{}, calls: map[string]string{}, asked: map[string]string{}}
	for i, c := range chunks {
		text := c.appendJSON(nil)
		w, err := checkShape(text)
		if err == nil {
			err = r.next(i, w)
		}
		if err != nil {
			return fmt.Errorf("chunk %d %s: %w", i, text, err)
		}
	}
	return nil
}

// checkShape: §4 Emit the strict form; §4 every other optional field is absent, never null.
func checkShape(text []byte) (wireChunk, error) {
	var w wireChunk
	if err := json.Unmarshal(text, &w); err != nil {
		return w, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return w, err
	}
	typ := w.Type
	if strings.HasPrefix(typ, "data-") {
		typ = "data-*"
	}
	keys, known := chunkKeys[typ]
	if !known {
		return w, fmt.Errorf("unknown type")
	}
	required, optional, _ := strings.Cut(keys, "|")
	for _, key := range strings.Fields(required) {
		if members[key] == nil {
			return w, fmt.Errorf("lacks %s", key)
		}
	}
	for key, value := range members {
		free := key == "input" || key == "output" || key == "data"
		if !free && string(value) == "null" {
			return w, fmt.Errorf("%s is null", key)
		}
		if key != "type" && !slices.Contains(strings.Fields(required+optional), key) {
			return w, fmt.Errorf("has %s", key)
		}
	}
	again, ok := parseValue(text)
	if !ok || string(again) != string(text) {
		return w, fmt.Errorf("a client prints it as %s", again)
	}
	return w, nil
}

func (r *ruleChecker) next(i int, w wireChunk) error {
	begins := i == 0 || r.paused
	switch {
	case r.ended:
		return fmt.Errorf("after the end")
	case begins != (w.Type == "start"):
		return fmt.Errorf("start is the first chunk of a response, once")
	case len(r.trailer) > 0:
		return r.ending(w)
	}
	base, edge, _ := cutLast(w.Type, "-")
	opens := edge == "start" && w.Type != "start"
	switch {
	case w.Type == "start":
		ok := i == 0 || w.MessageID == r.message
		return r.require(ok, "goes on as another message", func() { r.message, r.again, r.paused = w.MessageID, !(i == 0), false })
	case w.Type == "start-step":
		return r.require(!r.step, "a step in a step", func() { r.step = true })
	case !r.step && (opens || !r.again && w.Type != "finish" && w.Type != "abort"):
		return fmt.Errorf("outside of any step")
	case base == "text" || base == "reasoning":
		return r.block(base, edge, w)
	case strings.HasPrefix(w.Type, "tool-"):
		return r.tool(w)
	case w.Type == "finish-step":
		return r.require(r.step && r.open == "", "a block outlives its step", func() { r.step = false })
	case w.Type == "finish":
		ok := !r.step && slices.Contains([]string{"stop", "length", "content-filter", "tool-calls", "other"}, w.Finish)
		ok = ok && (w.Finish == "tool-calls" || len(r.unanswered()) == 0)
		then := func() { r.paused, r.ended = w.Finish == "tool-calls", w.Finish != "tool-calls" }
		return r.require(ok, "finishes in a step, with open calls or for no known reason", then)
	case w.Type == "abort":
		return r.require(!r.step && len(r.unanswered()) == 0, "aborts in a step, or with open calls", func() { r.ended = true })
	case w.Type == "data-agent-error":
		r.trailer = []string{"error", "finish-step", "finish"}
		if !r.step {
			r.trailer = []string{"error", "finish"}
		}
		return r.require(r.open == "" && len(r.unanswered()) == 0, "fails with something open", func() {})
	case w.Type == "error":
		return fmt.Errorf("without data-agent-error")
	}
	return nil
}

func (r *ruleChecker) require(ok bool, broken string, then func()) error {
	if !ok {
		return fmt.Errorf("%s", broken)
	}
	then()
	return nil
}

// ending checks what follows data-agent-error.
func (r *ruleChecker) ending(w wireChunk) error {
	if w.Type != r.trailer[0] || w.Type == "finish" && w.Finish != "error" {
		return fmt.Errorf("in place of %s", r.trailer[0])
	}
	r.trailer = r.trailer[1:]
	r.ended = len(r.trailer) == 0
	return nil
}

func (r *ruleChecker) block(base, edge string, w wireChunk) error {
	id := base + " " + w.ID
	switch edge {
	case "start":
		return r.require(r.open == "" && !r.used[w.ID], "a second block at once, or an id again", func() { r.open, r.used[w.ID] = id, true })
	case "end":
		return r.require(r.open == id, "closes what is not open", func() { r.open = "" })
	}
	return r.require(r.open == id && w.Delta != "", "a delta outside its block, or an empty one", func() {})
}

func (r *ruleChecker) tool(w wireChunk) error {
	was := r.calls[w.ToolCallID]
	set := func(state string) func() { return func() { r.calls[w.ToolCallID] = state } }
	switch w.Type {
	case "tool-input-start":
		return r.require(was == "" && r.open == "", "announced again, or within a block", set("announced"))
	case "tool-input-delta":
		return r.require(was == "announced", "arguments of a call that does not wait for them", func() {})
	case "tool-input-available", "tool-input-error":
		return r.require(was == "announced" || was == "known", "arguments of no open call", set("known"))
	case "tool-approval-request":
		return r.require(was == "known", "asks about no open call, or again", func() {
			r.calls[w.ToolCallID], r.asked[w.ApprovalID] = "asked", w.ToolCallID
		})
	case "tool-approval-response":
		call := r.asked[w.ApprovalID]
		return r.require(r.calls[call] == "asked", "decides what was not asked", func() {
			r.calls[call] = map[bool]string{true: "allowed", false: "denied"}[w.Approved]
		})
	case "tool-output-denied":
		return r.require(was == "denied", "denies what nobody decided", set("answered"))
	case "tool-output-error": // also ends a call whose arguments never came
		return r.require(was != "" && was != "answered", "answers no open call", set("answered"))
	}
	known := was == "known" || was == "asked" || was == "allowed" || was == "denied"
	if w.Preliminary {
		return r.require(known, "shows progress of no open call", func() {})
	}
	return r.require(known, "answers no open call", set("answered"))
}

func (r *ruleChecker) unanswered() []string {
	var ids []string
	for id, state := range r.calls {
		if state != "answered" {
			ids = append(ids, id)
		}
	}
	return ids
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// TestRulesCanBeBroken breaks each rule once: a checker that accepts everything proves nothing.
func TestRulesCanBeBroken(t *testing.T) {
	start, step := startChunk{message: "m"}, startStepChunk{}
	block0, args := &block{kindText, "t0"}, &block{kindToolInput, "c"}
	text, open := blockStartChunk{block0}, toolStartChunk{id: "c", name: "f"}
	delta := &deltaChunk{block0, "x"}
	input := toolInputChunk{toolStartChunk: open, input: []byte("{}")}
	asks, allows, denied := approvalChunk{id: "a", call: "c"}, decisionChunk{id: "a", approved: true}, toolDeniedChunk{"c"}
	output := toolOutputChunk{id: "c", output: []byte("1")}
	end := finishChunk{reason: "stop"}
	asked := []Chunk{start, step, open, input, asks, finishStepChunk{}, pauseChunk{}}
	for _, good := range [][]Chunk{
		{start, step, text, delta, blockEndChunk(text), open, input, output, finishStepChunk{}, end},
		append(asked, start, allows, pauseChunk{}, start, output, step, text, delta, blockEndChunk(text), finishStepChunk{}, end),
	} {
		if err := checkRules(good); err != nil {
			t.Fatal(err)
		}
	}
	for name, bad := range map[string][]Chunk{
		"no start":                 {step},
		"two starts":               {start, start},
		"nested step":              {start, step, step},
		"content outside a step":   {start, text},
		"delta before start":       {start, step, delta},
		"empty delta":              {start, step, text, &deltaChunk{block0, ""}},
		"two blocks":               {start, step, text, blockStartChunk{&block{kindReasoning, "r1"}}},
		"block id again":           {start, step, text, blockEndChunk(text), text},
		"open block at the end":    {start, step, text, finishStepChunk{}},
		"call within a block":      {start, step, text, open},
		"call twice":               {start, step, open, open},
		"unannounced arguments":    {start, step, input},
		"late arguments":           {start, step, open, input, &deltaChunk{args, "{"}},
		"unannounced result":       {start, step, output},
		"result twice":             {start, step, open, input, output, output},
		"finish within a step":     {start, step, end},
		"unknown reason":           {start, step, finishStepChunk{}, finishChunk{reason: "end_turn"}},
		"two endings":              {start, step, finishStepChunk{}, end, abortChunk{}},
		"finish with an open call": {start, step, open, input, finishStepChunk{}, end},
		"abort with an open call":  {start, step, open, finishStepChunk{}, abortChunk{}},
		"error alone":              {start, step, errorChunk{"x"}},
		"error that finishes well": {start, step, dataChunk{name: "agent-error", data: []byte("{}")}, errorChunk{"x"},
			finishStepChunk{}, end},
		"goes on without start":         append(asked, output),
		"goes on as another message":    append(asked, startChunk{message: "n"}),
		"goes on with text, no step":    append(asked, start, text),
		"start within a response":       append(asked, start, start),
		"question before the arguments": {start, step, open, asks},
		"question twice":                {start, step, open, input, asks, asks},
		"answer without a question":     {start, step, open, input, allows},
		"answer twice":                  append(asked, start, allows, allows),
		"denied but allowed":            append(asked, start, allows, denied),
		"denied by nobody":              {start, step, open, input, denied},
		"arguments after the question":  {start, step, open, input, asks, input},
		"keys in another order":         {start, step, dataChunk{name: "x", data: []byte(`{"b":1,"1":2}`)}},
	} {
		if checkRules(bad) == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}
