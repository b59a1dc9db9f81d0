package agent

// Speech names the protocol that a program speaks on its stdin and stdout.
type Speech string

// The speeches; the enum is closed.
const (
	SpeechPi     Speech = "pi"     // Pi's RPC mode
	SpeechClaude Speech = "claude" // Claude Code's stream-json, in both directions
	SpeechACP    Speech = "acp"    // the Agent Client Protocol
)

// Program says how a harness that is a program of its own is started. It holds no secret: what is only known when it
// starts stands in Args, Env and Files as one of the marks below.
type Program struct {
	Command string            `json:"command"` // looked for on PATH unless it is a path
	Args    []string          `json:"args"`
	New     []string          `json:"new,omitempty"`    // more arguments for a session that begins
	Resume  []string          `json:"resume,omitempty"` // more arguments for one that goes on; nil if arguments do not say so
	Env     map[string]string `json:"env,omitempty"`    // besides the few variables that every program gets
	Files   map[string]string `json:"files,omitempty"`  // content by path below the private folder
	Speech  Speech            `json:"speech"`
	Options map[string]string `json:"options,omitempty"` // to set once it has started, by the program's own ids
	Alone   bool              `json:"alone,omitempty"`   // it is not offered to have files read and written by Parley, which it does not cope with
	Login   Login             `json:"login,omitempty"`   // with LoginOwn the person's HOME is its HOME
}

// The marks in a Program.
const (
	MarkPrivate    = "@PRIVATE@"     // the private folder; HOME is in it
	MarkSession    = "@SESSION@"     // the program's session: a UUID that Parley chose, or the one that goes on
	MarkKey        = "@KEY@"         // the provider's key; in Env only
	MarkToolsURL   = "@TOOLS_URL@"   // where parley-tools is served
	MarkToolsToken = "@TOOLS_TOKEN@" // what it asks for; never in Args
)
