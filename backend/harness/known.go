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
	Configured  bool         // the person gave the command line: it is started so, and not asked for its version
	Args        []string     // of that command line
	Oldest      string       // version that works; empty if any does
	Install     string       // a command that installs it, or the newest; empty if Parley knows none
	Wires       []agent.Wire // of the providers that it can be given, unless it speaks the Agent Client Protocol: see acpAgents
	Can         []Ability    // empty if it is not known
	Keeps       []string     // what it keeps in the person's home folder, their login with it
	Hosts       []string     // that it talks to with that login
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

// known has a row per program, the ones that are spoken to most directly first. How it is started, and what it can be given,
// the file of its harness says.
var known = []Known{
	{
		Kind: agent.KindPi, Name: "Pi", Description: "A small coding agent that works with any model.",
		Command: "pi", Oldest: "0.84.4", Install: "npm install -g @earendil-works/pi-coding-agent",
		Wires: []agent.Wire{agent.WireOpenAI, agent.WireAnthropic},
		Can:   []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanSteer, CanResume},
		Keeps: []string{".pi"}, Hosts: slices.Concat(anthropic, openAI, google),
	},
	{
		Kind: agent.KindClaude, Name: "Claude Code", Description: "Anthropic's coding agent.",
		Command: "claude", Oldest: "2.1.216", Install: "npm install -g @anthropic-ai/claude-code",
		Wires: []agent.Wire{agent.WireAnthropic},
		Can:   []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanSteer, CanResume},
		Keeps: []string{".claude", ".claude.json"}, Hosts: anthropic,
	},
	{
		Kind: agent.KindACP("claude-agent-acp"), Name: "Claude Agent (ACP)", Description: "Claude Code by way of its ACP adapter.",
		Command: "claude-agent-acp", Install: "npm install -g @agentclientprotocol/claude-agent-acp",
		Can:   []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanSteer, CanResume},
		Keeps: []string{".claude", ".claude.json"}, Hosts: anthropic,
	},
	{
		Kind: agent.KindACP("codex-acp"), Name: "Codex (ACP)", Description: "OpenAI's coding agent, by way of its ACP adapter.",
		Command: "codex-acp", Install: "npm install -g @agentclientprotocol/codex-acp",
		Can:   []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanSteer, CanResume},
		Keeps: []string{".codex"}, Hosts: openAI,
	},
	{
		Kind: agent.KindACP("pi-acp"), Name: "Pi (ACP)", Description: "Pi by way of its ACP adapter. It never asks before it changes something.",
		Command: "pi-acp", Install: "npm install -g pi-acp",
		Can:   []Ability{CanSee, CanChoose, CanObey, CanResume},
		Keeps: []string{".pi"}, Hosts: slices.Concat(anthropic, openAI, google),
	},
	{
		Kind: agent.KindACP("opencode"), Name: "opencode", Description: "An open coding agent that works with any model.",
		Command: "opencode", Install: "npm install -g opencode-ai",
		Can:   []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanResume},
		Keeps: []string{".config/opencode", ".local/share/opencode", ".local/state/opencode", ".cache/opencode"},
		Hosts: slices.Concat([]string{"opencode.ai"}, anthropic, openAI, google),
	},
	{
		Kind: agent.KindACP("gemini"), Name: "Gemini CLI", Description: "Google's coding agent.",
		Command: "gemini", Install: "npm install -g @google/gemini-cli",
		Can:   []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey},
		Keeps: []string{".gemini"}, Hosts: google,
	},
	{
		Kind: agent.KindACP("qwen"), Name: "Qwen Code", Description: "Alibaba's coding agent.",
		Command: "qwen", Install: "npm install -g @qwen-code/qwen-code",
		Can:   []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanResume},
		Keeps: []string{".qwen"}, Hosts: []string{"chat.qwen.ai", "portal.qwen.ai", "dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"},
	},
	{
		Kind: agent.KindACP("kimi"), Name: "Kimi Code", Description: "Moonshot's coding agent.",
		Command: "kimi", Install: "npm install -g @moonshot-ai/kimi-code",
		Can:   []Ability{CanAsk, CanUseTools, CanSee, CanChoose, CanObey, CanResume},
		Keeps: []string{".kimi-code"}, Hosts: []string{"api.kimi.com", "auth.kimi.com", "api.moonshot.ai", "api.moonshot.cn"},
	},
	{Kind: agent.KindACP("goose"), Name: "goose", Description: "Block's agent.", Command: "goose", Keeps: []string{".config/goose", ".local/share/goose", ".local/state/goose"}},
}

// The hosts of those whose login several programs can use.
var (
	anthropic = []string{"api.anthropic.com", "claude.ai", "console.anthropic.com", "platform.claude.com"}
	openAI    = []string{"api.openai.com", "auth.openai.com", "chatgpt.com"}
	google    = []string{"accounts.google.com", "cloudcode-pa.googleapis.com", "generativelanguage.googleapis.com", "oauth2.googleapis.com"}
)

// HostsOf gives the hosts that a kind of harness talks to with the person's own login.
func HostsOf(kind agent.Kind) []string {
	for _, k := range known {
		if k.Kind == kind {
			return k.Hosts
		}
	}
	return nil
}

// configured begins the variables that name agents of the person's own.
const configured = "PARLEY_ACP_"

// Programs gives the known programs, and those that the person configured in the environment: PARLEY_ACP_<ID> is the
// command line of an agent that speaks the Agent Client Protocol, its words apart by spaces. With the id of a known one it
// is that one, started so.
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
		id = strings.ToLower(strings.ReplaceAll(id, "_", "-"))
		kind := agent.KindACP(id)
		if slices.ContainsFunc(all, func(k Known) bool { return k.Kind != kind && k.Agent() == id }) {
			return nil, agent.Errorf(agent.CodeValidation, "%s names an agent %s, which Parley has already. Give it another name.", name, id)
		}
		at := slices.IndexFunc(all, func(k Known) bool { return k.Kind == kind })
		if at < 0 {
			at = len(all)
			all = append(all, Known{Kind: kind, Description: "Configured by " + name + "."})
			all[at].Name = id
		}
		all[at].Command, all[at].Args, all[at].Configured = words[0], words[1:], true
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

// May reports whether the program can do something, as far as it is known.
func (k Known) May(a Ability) bool { return len(k.Can) == 0 || slices.Contains(k.Can, a) }

// Remedy says what to do where the program is missing or too old.
func (k Known) Remedy() string {
	if k.Install == "" {
		return "Install " + k.Name + " so that the command " + k.Command + " is on your PATH."
	}
	return "Run " + k.Install + " to get the newest."
}

// Takes reports whether the program can be given a provider that is spoken to by a wire.
func (k Known) Takes(wire agent.Wire) bool {
	wire = cmp.Or(wire, agent.WireOpenAI)
	if id, isACP := k.Kind.ACP(); isACP {
		return acpAgents[id].wires[wire] != nil
	}
	return slices.Contains(k.Wires, wire)
}
