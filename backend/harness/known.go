package harness

import (
	"cmp"
	"slices"
	"strings"

	"parley/backend/agent"
)

// Known is a program that can run an agent, installed or not.
type Known struct {
	Kind        agent.Kind
	Name        string
	Description string
	Command     string       // looked for on PATH unless it is a path; its version is what --version says
	Args        []string     // after it, to let it speak; only of a program that the person configured
	Oldest      string       // version that works; empty if any does
	Install     string       // a command that installs it, or the newest; empty if Parley knows none
	Wires       []agent.Wire // of the providers that it can be given
	Can         []Ability    // empty if it is not known
}

// Ability is something that not every program can do.
type Ability string

// The abilities; the enum is closed.
const (
	CanAsk      Ability = "approvals"    // it asks before it changes something
	CanUseTools Ability = "tools"        // it can be given tools of Parley
	CanSee      Ability = "images"       // it takes pictures
	CanChoose   Ability = "options"      // modes and models can be chosen
	CanObey     Ability = "instructions" // an agent's instructions reach it
	CanSteer    Ability = "steering"     // it takes a message in the middle of a turn
	CanResume   Ability = "resume"       // it goes on with a session after it was ended
)

// Abilities are all that there are, in the order in which they are told.
var Abilities = []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanSteer, CanResume}

var (
	openai    = []agent.Wire{agent.WireOpenAI}
	anthropic = []agent.Wire{agent.WireAnthropic}
	both      = []agent.Wire{agent.WireOpenAI, agent.WireAnthropic}
)

// known has a row per program, the ones that are spoken to most directly first.
var known = []Known{
	{
		Kind: agent.KindPi, Name: "Pi", Description: "A small coding agent that works with any model.",
		Command: "pi", Oldest: "0.84.4", Install: "npm install -g @earendil-works/pi-coding-agent", Wires: both,
		Can: []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanSteer, CanResume},
	},
	{
		Kind: agent.KindClaude, Name: "Claude Code", Description: "Anthropic's coding agent.",
		Command: "claude", Oldest: "2.1.216", Install: "npm install -g @anthropic-ai/claude-code", Wires: anthropic,
		Can: []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanSteer, CanResume},
	},
	{
		Kind: agent.KindACP("claude-agent-acp"), Name: "Claude Agent (ACP)", Description: "Claude Code by way of its ACP adapter.",
		Command: "claude-agent-acp", Install: "npm install -g @agentclientprotocol/claude-agent-acp", Wires: anthropic,
		Can: []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanResume},
	},
	{
		Kind: agent.KindACP("codex-acp"), Name: "Codex (ACP)", Description: "OpenAI's coding agent, by way of its ACP adapter.",
		Command: "codex-acp", Install: "npm install -g @agentclientprotocol/codex-acp", Wires: openai,
		Can: []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanResume},
	},
	{
		Kind: agent.KindACP("pi-acp"), Name: "Pi (ACP)", Description: "Pi by way of its ACP adapter. It never asks before it changes something.",
		Command: "pi-acp", Install: "npm install -g pi-acp", Wires: both,
		Can: []Ability{CanChoose, CanResume},
	},
	{
		Kind: agent.KindACP("opencode"), Name: "opencode", Description: "An open coding agent that works with any model.",
		Command: "opencode", Install: "npm install -g opencode-ai", Wires: both,
		Can: []Ability{CanAsk, CanUseTools, CanChoose, CanResume},
	},
	{
		Kind: agent.KindACP("gemini"), Name: "Gemini CLI", Description: "Google's coding agent.",
		Command: "gemini", Install: "npm install -g @google/gemini-cli", Wires: []agent.Wire{agent.WireGemini},
		Can: []Ability{CanAsk, CanUseTools, CanSee, CanChoose},
	},
	{
		Kind: agent.KindACP("qwen"), Name: "Qwen Code", Description: "Alibaba's coding agent.",
		Command: "qwen", Install: "npm install -g @qwen-code/qwen-code", Wires: openai,
		Can: []Ability{CanAsk, CanUseTools, CanChoose, CanResume},
	},
	{
		Kind: agent.KindACP("kimi"), Name: "Kimi Code", Description: "Moonshot's coding agent.",
		Command: "kimi", Install: "npm install -g @moonshot-ai/kimi-code", Wires: openai,
		Can: []Ability{CanAsk, CanUseTools, CanChoose, CanResume},
	},
	{Kind: agent.KindACP("goose"), Name: "goose", Description: "Block's agent.", Command: "goose"},
}

// configured begins the variables that name agents of the person's own.
const configured = "PARLEY_ACP_"

// Programs gives the known programs, and those that the person configured in the environment: PARLEY_ACP_<ID> is the
// command line of an agent that speaks the Agent Client Protocol, its words apart by spaces. One with the id of a known
// program takes its place.
func Programs(environ []string) ([]Known, error) {
	all := slices.Clone(known)
	for _, variable := range slices.Sorted(slices.Values(environ)) {
		name, line, _ := strings.Cut(variable, "=")
		id, ours := strings.CutPrefix(name, configured)
		if !ours {
			continue
		}
		words := strings.Fields(line)
		if id == "" || len(words) == 0 {
			return nil, agent.Errorf(agent.CodeValidation, "%s does not name an agent: set %sNAME to a command line, or unset it.", name, configured)
		}
		own := Known{
			Kind: agent.KindACP(strings.ToLower(strings.ReplaceAll(id, "_", "-"))), Description: "Configured by " + name + ".",
			Command: words[0], Args: words[1:],
		}
		own.Name = own.Agent()
		if i := slices.IndexFunc(all, func(k Known) bool { return k.Kind == own.Kind }); i >= 0 {
			own.Name = all[i].Name
			all = slices.Delete(all, i, i+1)
		}
		all = append(all, own)
	}
	return all, nil
}

// Agent is the id of the agent that works with the program as it is.
func (k Known) Agent() string {
	id, isACP := k.Kind.ACP()
	if !isACP {
		return string(k.Kind)
	}
	return id
}

// Asks reports whether the program may ask before it changes something.
func (k Known) Asks() bool { return len(k.Can) == 0 || slices.Contains(k.Can, CanAsk) }

// Remedy says what to do where the program is missing or too old.
func (k Known) Remedy() string {
	if k.Install == "" {
		return "Install " + k.Name + " so that the command " + k.Command + " is on your PATH."
	}
	return "Run " + k.Install + " to get the newest."
}

// Takes reports whether the program can be given a provider that is spoken to by a wire.
func (k Known) Takes(wire agent.Wire) bool {
	return slices.Contains(k.Wires, cmp.Or(wire, agent.WireOpenAI))
}
