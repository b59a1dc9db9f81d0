package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
)

// Mode is how a session treats calls that change something, where no rule says otherwise.
type Mode string

// The modes; the enum is closed.
const (
	ModeAsk         Mode = "ask"          // ask about each
	ModeAcceptEdits Mode = "accept_edits" // change files, ask about the rest
	ModePlan        Mode = "plan"         // only read: what changes something is hidden from the model, and denied
	ModeAuto        Mode = "auto"         // do all but what is protected
	ModeDeny        Mode = "deny"         // do without whatever would ask
)

// Modes lists them, in the order in which a person reads them.
func Modes() []Mode { return []Mode{ModeAsk, ModeAcceptEdits, ModePlan, ModeAuto, ModeDeny} }

// Policy is what a runner is told of a mode; what else it means are rules.
func (m Mode) Policy() PermissionPolicy {
	switch m {
	case ModeAuto:
		return PermissionAuto
	case ModePlan, ModeDeny:
		return PermissionDeny
	}
	return PermissionAsk
}

// Permission is what a rule says of a call.
type Permission string

// The permissions; the enum is closed. AllowReads is for the last rule of a list, which is about every call.
const (
	Allow      Permission = "allow"
	Ask        Permission = "ask"
	Deny       Permission = "deny"
	AllowReads Permission = "allow_reads"
)

// Rule says what becomes of the calls that a pattern matches: the name of a tool, "tool(prefix*)" on what the call is
// about, or one of the Actions.
type Rule struct {
	Pattern    string     `json:"pattern"`
	Permission Permission `json:"permission"`
}

// Rules are what the person laid down. Of those that match a call the strictest counts.
type Rules struct {
	Default Permission `json:"default,omitempty"` // of what no rule matches; empty leaves it to the mode
	Rules   []Rule     `json:"rules,omitempty"`

	// The commands that may be run: command and arguments, joined by one space.
	Commands     []string `json:"allowed_commands,omitempty"`      // exactly these: "git" is not "git push"
	CommandGlobs []string `json:"allowed_command_globs,omitempty"` // * is any text and ? any character; the whole has to match

	Domains []string `json:"allowed_domains,omitempty"` // hosts that may be reached: exactly these, none below them
}

// Permissions are what an agent may do without asking.
type Permissions struct {
	Mode Mode `json:"mode,omitempty"` // empty is ask
	Rules
}

// UnmarshalJSON takes the mode alone too: that is how it is written where there are no rules.
func (p *Permissions) UnmarshalJSON(b []byte) error {
	*p = Permissions{}
	if bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, &p.Mode)
	}
	type plain Permissions
	return json.Unmarshal(b, (*plain)(p))
}

// Grounds are what the calls of one turn are decided by.
type Grounds struct {
	Policy PermissionPolicy
	Rules
	Allowed []string // patterns of what the person allowed before
}

// Permitter is a Conn that can be told otherwise what its calls are decided by, also while a Prompt runs.
type Permitter interface {
	// Permit lets the calls that come from now on be decided by these, and reports whether they are. What was decided before stays.
	Permit(ctx context.Context, policy PermissionPolicy, rules Rules) (holds bool)
}

// Permits is what the calls of a launch are decided by, as that changes while a turn runs. It may be asked and changed at once.
type Permits struct {
	mu     sync.Mutex
	policy PermissionPolicy
	rules  Rules
}

// Permits gives those that a launch begins with.
func (l Launch) Permits() *Permits { return &Permits{policy: l.PermissionPolicy, rules: l.Rules} }

// Permit is Permitter's.
func (p *Permits) Permit(_ context.Context, policy PermissionPolicy, rules Rules) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.policy, p.rules = policy, rules
	return true
}

// Grounds gives those of the turn that a prompt begins, as they are now.
func (p *Permits) Grounds(prompt Prompt) Grounds {
	p.mu.Lock()
	defer p.mu.Unlock()
	return Grounds{p.policy, p.rules, prompt.Allowed}
}

// Action is what kind of change a call makes, as the person is told.
type Action string

// The actions; the enum is closed. What only reads has none.
const (
	ActionWrite   Action = "fs_write"
	ActionProcess Action = "process"
	ActionEgress  Action = "egress"
	ActionOther   Action = "os"
)
