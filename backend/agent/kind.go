package agent

import "strings"

// Kind says which harness runs an agent's loop.
type Kind string

// The kinds that exist today.
const (
	KindNative   Kind = "native"   // Parley's own loop
	KindScripted Kind = "scripted" // plays the script in the message: the demo agent
	KindAgenta   Kind = "agenta"   // opinionated: a preamble, a persona and tools of its own, on the loop or on Pi
	KindPi       Kind = "pi"       // Pi, in its RPC mode
	KindClaude   Kind = "claude"   // Claude Code
)

// acpKinds begin the kind of every harness that speaks the Agent Client Protocol.
const acpKinds = "acp:"

// KindACP is the harness of the agent with this id in the table of known ones.
func KindACP(id string) Kind { return Kind(acpKinds + id) }

// ACP gives the id of an agent that speaks the Agent Client Protocol.
func (k Kind) ACP() (id string, ok bool) { return strings.CutPrefix(string(k), acpKinds) }

// IsProgram reports whether the harness is a program of its own, which the person sets up and which has tools of its own.
func (k Kind) IsProgram() bool { return k != KindNative && k != KindScripted && k != KindAgenta }

// BackendName names an engine that can run harnesses. It says how the harness is spoken to, not which one it is.
type BackendName string

// The backends that exist today.
const (
	BackendInprocess BackendName = "inprocess" // the Go loop, inside the runner
	BackendScripted  BackendName = "scripted"  // a script, inside the runner
	BackendLocal     BackendName = "local"     // a program, by the protocol of its own
	BackendACP       BackendName = "acp"       // a program, by the Agent Client Protocol
	BackendCalls     BackendName = "calls"     // no model: the calls of another harness that are given secrets
)

// PermissionPolicy is what a runner does with a call that no rule settles.
type PermissionPolicy string

// The policies of the wire; the enum is closed.
const (
	PermissionAuto PermissionPolicy = "auto"
	PermissionDeny PermissionPolicy = "deny"
	PermissionAsk  PermissionPolicy = "ask"
)

// Valid reports whether p is one of the list.
func (p PermissionPolicy) Valid() bool {
	return p == PermissionAuto || p == PermissionDeny || p == PermissionAsk
}

// StopReason is why a harness ended its turn.
type StopReason string

// The reasons; the enum is closed.
const (
	StopEndTurn       StopReason = "end_turn"
	StopSequence      StopReason = "stop_sequence"
	StopMaxTokens     StopReason = "max_tokens"
	StopToolUse       StopReason = "tool_use"
	StopRefusal       StopReason = "refusal"
	StopContentFilter StopReason = "content_filter"
	StopPaused        StopReason = "paused"
	StopCancelled     StopReason = "cancelled"
	StopError         StopReason = "error"
)

// Valid reports whether r is one of the list.
func (r StopReason) Valid() bool {
	switch r {
	case StopEndTurn, StopSequence, StopMaxTokens, StopToolUse, StopRefusal, StopContentFilter, StopPaused, StopCancelled, StopError:
		return true
	}
	return false
}

// Usage counts the tokens of a turn. Absent counters are zero.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	Total      int64 `json:"total"`
	CacheRead  int64 `json:"cacheRead,omitempty"`
	CacheWrite int64 `json:"cacheWrite,omitempty"`
}

// Add sums two counts, as the model calls of one turn do.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Total + v.Total, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite}
}

// Without takes away what of u was counted before.
func (u Usage) Without(v Usage) Usage {
	return Usage{u.Input - v.Input, u.Output - v.Output, u.Total - v.Total, u.CacheRead - v.CacheRead, u.CacheWrite - v.CacheWrite}
}
