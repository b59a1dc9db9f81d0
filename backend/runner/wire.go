// Package runner hosts harnesses in a process of their own: this binary, started again as "parley runner".
//
// The app writes one request line for each turn and may add control lines; the runner says hello, then answers in
// records, one JSON object on each line. The app's side is Local, the runner's side is Serve, and this file and
// request.go are the wire between them. Between machines the same objects travel by HTTP, from Remote to a Gate, whose
// runners are processes of its own.
package runner

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/backend/agent"
	"parley/backend/mcp"
)

// protocol is what this version speaks. Within a major, fields and events may be added and are ignored by the other
// side; another major is refused at the handshake.
const protocol = "1.0"

// supported is what the two sides agree on, being one binary: the harnesses that each backend can run.
var supported = map[agent.BackendName][]agent.Kind{
	agent.BackendInprocess: {agent.KindNative, agent.KindAgenta},
	agent.BackendCalls:     {agent.KindNative},
	agent.BackendScripted:  {agent.KindScripted},
	agent.BackendLocal:     {agent.KindPi, agent.KindClaude, agent.KindAgenta},
	agent.BackendACP:       {agent.KindClaude, anyACP},
}

// anyACP stands for every agent that speaks the Agent Client Protocol.
const anyACP agent.Kind = "acp:*"

func supports(name agent.BackendName, harness agent.Kind) bool {
	if _, acp := harness.ACP(); acp {
		harness = anyACP
	}
	return slices.Contains(supported[name], harness)
}

// capabilities tells readers of the wire what to expect of a turn.
type capabilities struct {
	TextMessages     bool `json:"textMessages"`
	Images           bool `json:"images"`
	FileAttachments  bool `json:"fileAttachments"`
	MCPTools         bool `json:"mcpTools"`
	ToolCalls        bool `json:"toolCalls"`
	Reasoning        bool `json:"reasoning"`
	PlanMode         bool `json:"planMode"`
	Permissions      bool `json:"permissions"`
	Usage            bool `json:"usage"`
	StreamingDeltas  bool `json:"streamingDeltas"`
	SessionLifecycle bool `json:"sessionLifecycle"`
	Steer            bool `json:"steer"`
	Resume           bool `json:"resume"`
}

var offered = capabilities{TextMessages: true, ToolCalls: true, Reasoning: true, Permissions: true, Usage: true, StreamingDeltas: true, Steer: true}

// hello is the runner's first line.
type hello struct {
	Kind string `json:"kind"`
	offer
}

// offer is what a runner says of itself.
type offer struct {
	Protocol     string              `json:"protocol"`
	Version      string              `json:"version"`
	Backends     []agent.BackendName `json:"backends"`
	Harnesses    []agent.Kind        `json:"harnesses"`
	Capabilities capabilities        `json:"capabilities"`
}

func encodeHello(version string) []byte { return plainJSON(hello{"hello", offerOf(version)}) }

func offerOf(version string) offer {
	o := offer{Protocol: protocol, Version: version, Capabilities: offered}
	for name, kinds := range supported {
		o.Backends = append(o.Backends, name)
		o.Harnesses = append(o.Harnesses, kinds...)
	}
	slices.Sort(o.Backends)
	slices.Sort(o.Harnesses)
	o.Harnesses = slices.Compact(o.Harnesses)
	return o
}

// plainJSON writes a struct of strings, numbers and booleans, which cannot fail.
func plainJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// checkHello reads the first line of a runner and refuses one that speaks another protocol.
func checkHello(line []byte) error {
	var h hello
	if err := json.Unmarshal(line, &h); err != nil || h.Kind != "hello" {
		return garbage(line)
	}
	return h.check("Restart Parley")
}

// check refuses another major of the protocol; remedy brings both sides to the same version.
func (o offer) check(remedy string) error {
	theirs, _, _ := strings.Cut(o.Protocol, ".")
	if ours, _, _ := strings.Cut(protocol, "."); theirs != ours {
		return agent.Errorf(agent.CodeSandbox, "The agent's process (version %.40q) speaks protocol %.20q and this Parley speaks %s. %s, so that both are the same version.",
			o.Version, o.Protocol, protocol, remedy)
	}
	return nil
}

// garbage is a line that is not of the protocol. The line itself is for the log only: it may hold anything.
func garbage(line []byte) error {
	return agent.Wrap(agent.CodeSandbox, fmt.Errorf("not a record: %.200q", line),
		"The agent's process wrote something that is not its protocol, so it was ended.")
}

// What stands around each event and result, and the line that says only that the runner lives.
var (
	eventHead     = []byte(`{"kind":"event","event":`)
	resultHead    = []byte(`{"kind":"result","result":`)
	heartbeatLine = []byte(`{"kind":"heartbeat"}`)
)

// encodeServer tells what became of an MCP server, which is no part of a turn.
func encodeServer(r mcp.Report) []byte {
	return plainJSON(struct {
		Kind   string     `json:"kind"`
		Server mcp.Report `json:"server"`
	}{"server", r})
}

func encodeEvent(e agent.Event) ([]byte, error) {
	b, err := agent.EncodeEvent(e)
	return wrapRecord(eventHead, b), err
}

// wrapRecord puts a record around JSON that is known to be whole, which spares json.Marshal's second look at it.
func wrapRecord(head, body []byte) []byte {
	return append(slices.Concat(head, body), '}')
}

// ack answers a control line.
type ack struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

const controlAck = "control_ack"

func (a ack) encode() []byte { return wrapRecord(eventHead, a.event()) }

func (a ack) event() []byte {
	a.Type = controlAck
	return plainJSON(a)
}

// failed and done mirror the result in the stream of events, for readers that look at events only.
type failed struct {
	Type    string     `json:"type"`
	Message string     `json:"message"`
	Code    agent.Code `json:"code"`
}

type done struct {
	Type       string           `json:"type"`
	StopReason agent.StopReason `json:"stopReason"`
	TraceID    string           `json:"traceId,omitempty"`
}

// isMirror reports whether the app knows an event of this type, and does not need it.
func isMirror(eventType string) bool {
	return eventType == "error" || eventType == "done"
}

// outcome is how a turn ended: with failure set, or with finish.
type outcome struct {
	finish  agent.Finish
	failure *agent.Error
	session agent.SessionID
	output  string // the last block of text, for readers that do not fold events
	stuck   bool   // the engine was told to end, and did not
}

type usage struct {
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	Total      int64    `json:"total"`
	Cost       *float64 `json:"cost"` // null: prices are the app's
	CacheRead  int64    `json:"cacheRead,omitempty"`
	CacheWrite int64    `json:"cacheWrite,omitempty"`
}

type goodResult struct {
	OK           bool             `json:"ok"`
	Output       string           `json:"output"`
	Messages     []message        `json:"messages"` // empty, as events: both were streamed, and only the session folds them
	Events       []struct{}       `json:"events"`
	Usage        usage            `json:"usage"`
	StopReason   agent.StopReason `json:"stopReason"`
	Killed       bool             `json:"killed,omitempty"`
	Capabilities capabilities     `json:"capabilities"`
	SessionID    *agent.SessionID `json:"sessionId"`
	Model        *string          `json:"model"`
	TraceID      *string          `json:"traceId"`
}

type badResult struct {
	OK    bool       `json:"ok"`
	Error string     `json:"error"`
	Code  agent.Code `json:"code"`
}

// encode gives the two last records of a turn: the event that mirrors its result, and the result.
func (o outcome) encode() (mirror, result []byte) {
	var m any = done{"done", o.finish.StopReason, o.finish.TraceID}
	if o.failure != nil {
		m = failed{"error", o.failure.Message, o.failure.Code}
	}
	return wrapRecord(eventHead, plainJSON(m)), wrapRecord(resultHead, o.result())
}

// result is the turn's end as one JSON object.
func (o outcome) result() []byte {
	if o.failure != nil {
		return plainJSON(badResult{Error: o.failure.Message, Code: o.failure.Code})
	}
	f := o.finish
	return plainJSON(goodResult{
		OK: true, Output: o.output, Messages: []message{}, Events: []struct{}{},
		Usage: usage{
			Input: f.Usage.Input, Output: f.Usage.Output, Total: f.Usage.Total,
			CacheRead: f.Usage.CacheRead, CacheWrite: f.Usage.CacheWrite,
		},
		StopReason: f.StopReason, Killed: f.Killed, Capabilities: offered,
		SessionID: orNull(o.session), Model: orNull(f.Model), TraceID: orNull(f.TraceID),
	})
}

// record is what a line says to the app. Of its fields at most one is set; a heartbeat sets none.
type record struct {
	event   agent.Event
	ack     *ack
	ended   *outcome
	server  *mcp.Report
	ask     *ask
	dropped string // what was not understood, or not believed: it is counted
}

// decodeRecord reads a line of the runner, its first excepted. An error means that the other side cannot be followed
// any further.
func decodeRecord(line []byte) (record, error) {
	// As our own writer wraps it, an event can be read without a first pass over the whole line.
	if body, ours := bytes.CutPrefix(line, eventHead); ours && bytes.HasSuffix(body, []byte("}")) {
		if r, err := decodeSaid(body[:len(body)-1]); err == nil {
			return r, nil
		}
	}
	return decodeAnyRecord(line)
}

func decodeAnyRecord(line []byte) (record, error) {
	var r struct {
		Kind   string          `json:"kind"`
		Event  json.RawMessage `json:"event"`
		Result json.RawMessage `json:"result"`
		Server *mcp.Report     `json:"server"`
		ID     string          `json:"id"`
		Ask    ask             `json:"ask"`
	}
	if err := json.Unmarshal(line, &r); err != nil || r.Kind == "" {
		return record{}, garbage(line)
	}
	switch r.Kind {
	case "event":
		return decodeSaid(r.Event)
	case "heartbeat":
		return record{}, nil
	case "result":
		o, err := decodeResult(r.Result)
		return record{ended: o}, err
	case "ask":
		r.Ask.id = r.ID
		return record{ask: &r.Ask}, nil
	}
	if r.Kind == "server" && r.Server != nil {
		return record{server: r.Server}, nil
	}
	return record{dropped: "record " + r.Kind}, nil
}

// decodeSaid reads an event and believes only what a harness may say.
func decodeSaid(b []byte) (record, error) {
	e, err := agent.DecodeEvent(b)
	var other ack
	if err != nil && json.Unmarshal(b, &other) == nil && other.Type == controlAck {
		return record{ack: &other}, nil
	}
	switch {
	case errors.Is(err, agent.ErrUnknownEvent) && isMirror(other.Type):
		return record{}, nil
	case errors.Is(err, agent.ErrUnknownEvent):
		return record{dropped: "event " + other.Type}, nil
	case err != nil:
		return record{}, garbage(b)
	case !agent.Spoken(e):
		return record{dropped: fmt.Sprintf("%T", e)}, nil
	}
	return record{event: e}, nil
}

// decodeResult reads a result. A bare {"ok":true} is one.
func decodeResult(b []byte) (*outcome, error) {
	var r struct {
		OK         *bool            `json:"ok"`
		Error      string           `json:"error"`
		Code       agent.Code       `json:"code"`
		Usage      agent.Usage      `json:"usage"`
		StopReason agent.StopReason `json:"stopReason"`
		Killed     bool             `json:"killed"`
		Model      string           `json:"model"`
		TraceID    string           `json:"traceId"`
	}
	if err := json.Unmarshal(b, &r); err != nil || r.OK == nil {
		return nil, garbage(b)
	}
	if !*r.OK {
		if !r.Code.Valid() {
			r.Code = agent.CodeInternal
		}
		if r.Error == "" {
			r.Error = "The agent failed and did not say why."
		}
		return &outcome{failure: agent.Errorf(r.Code, "%s", r.Error)}, nil
	}
	if r.StopReason == "" {
		r.StopReason = agent.StopEndTurn
	}
	if !r.StopReason.Valid() || r.StopReason == agent.StopError {
		return nil, garbage(b)
	}
	return &outcome{finish: agent.Finish{StopReason: r.StopReason, Killed: r.Killed, Usage: r.Usage, Model: r.Model, TraceID: r.TraceID}}, nil
}
