package policy

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/backend/agent"
)

// subject is what of a call a pattern is held against.
type subject struct {
	tool     string
	version  string // with the tool, as a pattern names both; empty if its tool has none
	action   agent.Action
	foreign  bool   // as Call's
	readable bool   // its arguments are an object
	about    string // what the call is about: a command, a file, an address
	clear    bool   // that is known, and is all
}

// abouts are the arguments that say what a call of each kind is about. Programs have tools of their own, and each its names
// for them.
var abouts = map[agent.Action][]string{
	"":                  {"path", "file_path", "filePath"},
	agent.ActionWrite:   {"path", "file_path", "filePath", "abs_path", "notebook_path"},
	agent.ActionProcess: {"command", "cmd"},
	agent.ActionEgress:  {"url", "uri", "query"},
}

// inspect reads what a call is about. A call with two arguments for that, or none, is not clear: nobody knows which of them its
// tool obeys. Of a kind that has no names for them, and of a tool that somebody else defined, it is the only text among the arguments.
func inspect(c Call) subject {
	s := subject{tool: c.Name, version: versioned(c), action: c.Action, foreign: c.Foreign}
	var arguments map[string]json.RawMessage
	if json.Unmarshal(c.Input, &arguments) != nil || arguments == nil {
		return s
	}
	s.readable = true
	names, isKnown := abouts[c.Action]
	isKnown = isKnown && !c.Foreign
	candidates := 0
	for name, value := range arguments {
		if isKnown && !slices.Contains(names, name) {
			continue
		}
		if text, ok := words(value); ok {
			s.about = text
			candidates++
		}
	}
	s.clear = candidates == 1
	if c.Foreign {
		return s
	}
	switch c.Action {
	case agent.ActionProcess:
		if more, given := arguments["args"]; given && string(more) != "null" {
			text, ok := words(more)
			s.clear = s.clear && ok
			s.about = strings.TrimSuffix(s.about+" "+text, " ")
		}
	case agent.ActionEgress:
		u, err := url.Parse(s.about)
		s.clear = s.clear && err == nil
		if err == nil && u.Host != "" {
			u.Host = strings.ToLower(u.Host)
			s.about = u.String()
		}
	case agent.ActionWrite, "":
		s.about = path.Clean(filepath.ToSlash(s.about))
	}
	return s
}

// isOpaque reports whether nobody expects the arguments to say what a call is about: then to allow it is to allow its tool.
func (s subject) isOpaque() bool { return s.action == agent.ActionOther || s.foreign }

// versioned names the tool of a call in its version; "" if it has none.
func versioned(c Call) string {
	if c.Version == "" {
		return ""
	}
	return c.Name + "@" + c.Version
}

// words reads a text, or several, joined by spaces.
func words(value json.RawMessage) (text string, ok bool) {
	var list []string
	switch {
	case string(value) == "null":
		return "", false
	case json.Unmarshal(value, &text) == nil:
		return strings.TrimSpace(text), true
	}
	ok = json.Unmarshal(value, &list) == nil
	return strings.Join(list, " "), ok
}

// About gives the file, command or address that a call is about, if that is clear.
func About(c Call) (about string, ok bool) {
	s := inspect(c)
	return s.about, s.clear
}

// pattern is one that was read. The zero pattern matches every call.
type pattern struct {
	name   string // of a tool, or an action
	narrow bool   // to those about this:
	about  string
	prefix bool // or what begins like it
}

func parse(text string) (p pattern, ok bool) {
	name, rest, narrow := strings.Cut(text, "(")
	about, closed := strings.CutSuffix(rest, ")")
	p = pattern{name: name, narrow: narrow}
	p.about, p.prefix = strings.CutSuffix(about, "*")
	return p, name != "" && narrow == closed
}

// Readable reports whether a text is a pattern.
func Readable(text string) bool { _, ok := parse(text); return ok }

// matches reports whether a rule with this pattern is about a call. What cannot be inspected matches no rule that allows, and
// every other one for its tool: it is better asked about, or left.
func (p pattern) matches(s subject, allows bool) bool {
	switch {
	case p.name == "":
		return true
	case p.name != s.tool && p.name != string(s.action) && p.name != s.version:
		return false
	case !s.readable:
		return !allows
	case !p.narrow:
		return s.clear || s.isOpaque() || !allows
	case !s.clear:
		return !allows
	case !p.prefix:
		return s.about == p.about
	case allows && s.action == agent.ActionProcess && strings.ContainsAny(s.about, shell):
		return false
	}
	return strings.HasPrefix(s.about, p.about) || s.about+" " == p.about
}

// shell are the characters with which one command begins another: what follows them is not known by how the whole begins.
const shell = ";&|<>$`(){}\n\r"

// interpreters run what they are given: there is no telling what a call of one does by how it begins.
var interpreters = regexp.MustCompile(`^(.*/)?(sh|bash|dash|zsh|fish|cmd|powershell|pwsh|python[0-9.]*|node|deno|bun|perl|ruby|php|env|sudo|doas|xargs|nohup|time|ssh|eval|exec)(\.exe)?$`)

var (
	plainWords = regexp.MustCompile(`^\S+( \S+)*$`)
	subcommand = regexp.MustCompile(`^[a-z][a-z0-9:-]*$`)
)

// Suggest gives the pattern of calls like c, for who allows it for longer than once; "" if it is for once only. A command is
// suggested with its subcommand and any arguments, an address with its host, everything else by its tool; the tool in the
// version that it has now.
func Suggest(c Call) string {
	s := inspect(c)
	if !repeats(c, s) || !s.readable || !s.clear && !s.isOpaque() || strings.ContainsRune(s.tool, '(') {
		return ""
	}
	tool := cmp.Or(s.version, s.tool)
	if s.foreign {
		return tool
	}
	switch s.action {
	case agent.ActionProcess:
		if like := commands(s.about); like != "" {
			return tool + "(" + like + ")"
		}
		return ""
	case agent.ActionEgress:
		if u, err := url.Parse(s.about); err == nil && u.Host != "" {
			return tool + "(" + u.Scheme + "://" + u.Host + "/*)"
		}
	}
	return tool
}

// commands gives the prefix for commands like one: the command itself where a prefix would say nothing, and "" where that
// would be read as a prefix.
func commands(command string) string {
	list := strings.Split(command, " ")
	if strings.ContainsAny(command, shell) || !plainWords.MatchString(command) || interpreters.MatchString(list[0]) {
		if strings.HasSuffix(command, "*") {
			return ""
		}
		return command
	}
	kept := 1
	if len(list) > 1 && subcommand.MatchString(list[1]) {
		kept = 2
	}
	return strings.Join(list[:kept], " ") + " *"
}
