package policy

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"parley/backend/agent"
)

var update = flag.Bool("update", false, "write the fixtures anew")

// tested are the calls of the table, by what its rows call them.
var tested = []struct {
	name string
	Call
}{
	{"read_file notes.txt", call("read_file", "", `{"path":"notes.txt"}`)},
	{"write_file docs/a.md", call("write_file", agent.ActionWrite, `{"path":"docs/a.md","content":"git status"}`)},
	{"write_file .git/hooks/x, protected", protected(call("write_file", agent.ActionWrite, `{"path":".git/hooks/x","content":""}`))},
	{"write_file no object", call("write_file", agent.ActionWrite, `[1]`)},
	{"run_command git status -s", call("run_command", agent.ActionProcess, `{"command":"git","args":["status","-s"]}`)},
	{"run_command git push", call("run_command", agent.ActionProcess, `{"command":"git","args":["push"]}`)},
	{"Bash git status; rm -r .", call("Bash", agent.ActionProcess, `{"command":"git status; rm -r ."}`)},
	{"Bash of two commands", call("Bash", agent.ActionProcess, `{"command":"git status","cmd":"rm -r ."}`)},
	{"http_request https://example.org/a", call("http_request", agent.ActionEgress, `{"method":"GET","url":"https://EXAMPLE.org/a"}`)},
	{"mcp_mail_send", call("mcp_mail_send", agent.ActionOther, `{"to":"a","body":"b"}`)},
	{"git_commit, which asks each time", stating(call("git_commit", agent.ActionProcess, `{"message":"m"}`), agent.Ask)},
	{"mcp_mail_list, allowed by its tool and denied by its server", stating(call("mcp_mail_list", agent.ActionOther, `{}`), agent.Allow, agent.Deny)},
	{"weather, an author's request", authored(call("weather", agent.ActionEgress, `{"url":"https://example.org/a","query":"x"}`))},
	{"count, an author's script", authored(call("count", agent.ActionProcess, `{"command":"git status"}`))},
	{"mcp_mail_find, allowed by its server", stating(call("mcp_mail_find", agent.ActionOther, `{}`), "", agent.Allow)},
	{"deploy, given a secret", lent(call("deploy", agent.ActionOther, `{}`))},
	{"deploy, allowed by itself and given a secret", stating(lent(call("deploy", agent.ActionOther, `{}`)), agent.Allow)},
	{"run_command git status -s, given a secret", lent(call("run_command", agent.ActionProcess, `{"command":"git","args":["status","-s"]}`))},
}

// ruled are the lists of rules of the table. allowed is what the person allowed before.
var ruled = []struct{ rules, fallback, allowed string }{
	{"", "", ""},
	{"write_file(docs/*)=allow run_command(git status *)=allow Bash(git status*)=allow http_request(https://example.org/*)=allow", "", ""},
	{"write_file=ask fs_write=allow process=allow", "", ""},
	{"write_file(docs/../*)=deny run_command(git push*)=deny Bash(rm*)=deny mcp_mail_send=deny", "", ""},
	{"read_file(notes*)=deny process=deny http_request=deny", "", "run_command read_file http_request Bash(git status; rm -r .)"},
	{"", "", "write_file run_command(git status *) Bash(git status*) http_request(https://example.org/*) mcp_mail_send git_commit"},
	{"write_file(=allow run_command(git status *)=deny", "", "write_file"},
	{"write_file=perhaps", "allow", ""},
	{"", "deny", "write_file"},
	{"run_command(git *)=allow", "allow_reads", ""},
	{"run_command(git *)=allow deploy=allow", "", "deploy run_command(git *) deploy@v0 run_command@v0(git *)"},
	{"run_command(git *)=allow deploy=allow", "", "deploy@v1 run_command@v1(git *)"},
	{"", "", "deploy@v1 run_command@v1(git *)"},
}

func call(tool string, action agent.Action, input string) Call {
	return Call{ToolCall: agent.ToolCall{ID: "c", Name: tool, Input: json.RawMessage(input)}, Action: action}
}

func protected(c Call) Call { c.Protected = true; return c }

func lent(c Call) Call { c.Secrets, c.Version = []string{"token"}, "v1"; return c }

func stating(c Call, said ...agent.Permission) Call { c.Stated = said; return c }

func authored(c Call) Call { c.Version, c.Foreign = "1a", true; return c }

func rulesOf(text, fallback string) agent.Rules {
	r := agent.Rules{Default: agent.Permission(fallback)}
	for _, one := range patternsOf(text, "=") {
		r.Rules = append(r.Rules, agent.Rule{Pattern: one[0], Permission: agent.Permission(one[1])})
	}
	return r
}

// patternsOf splits a list at the spaces that end an element, which is told by its end.
func patternsOf(text, cut string) (list [][2]string) {
	var open string
	for word := range strings.SplitSeq(text, " ") {
		open = strings.TrimPrefix(open+" "+word, " ")
		inside := strings.Contains(open, "(") && !strings.Contains(open, ")") && !strings.Contains(open, cut+"allow")
		if open == "" || inside {
			continue
		}
		at := strings.LastIndex(open, cut)
		if cut == "" || at < 0 {
			at = len(open)
		}
		list = append(list, [2]string{open[:at], strings.TrimPrefix(open[at:], cut)})
		open = ""
	}
	return list
}

func groundsOf(mode agent.Mode, rules, fallback, allowed string) agent.Grounds {
	g := agent.Grounds{Policy: mode.Policy(), Rules: For(agent.Permissions{Mode: mode, Rules: rulesOf(rules, fallback)})}
	for _, one := range patternsOf(allowed, "") {
		g.Allowed = append(g.Allowed, one[0])
	}
	return g
}

// The table of modes × rules × tools is reviewed as text: what changes in it changes what may happen unasked.
func TestTheTableOfDecisions(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What becomes of a call, by mode, rules and what was allowed before. Written by go test -update, reviewed by people.\n")
	count := 0
	for _, r := range ruled {
		fmt.Fprintf(&b, "\n# rules: %s; default: %s; allowed before: %s\n", or(r.rules), or(r.fallback), or(r.allowed))
		fmt.Fprintf(&b, "%s\n", header())
		for _, c := range tested {
			for _, mode := range append(agent.Modes(), "unheard-of") {
				fmt.Fprintf(&b, "%-14s", Decide(c.Call, groundsOf(mode, r.rules, r.fallback, r.allowed)))
				count++
			}
			fmt.Fprintf(&b, "%s\n", c.name)
		}
	}
	if count < 150 {
		t.Errorf("the table has %d decisions", count)
	}
	const name = "testdata/decisions.txt"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || string(want) != b.String() {
		t.Errorf("the decisions differ from %s (%v); look at the difference after go test -update\n%s", name, err, b.String())
	}
}

func header() string {
	var b strings.Builder
	for _, mode := range append(agent.Modes(), "unheard-of") {
		fmt.Fprintf(&b, "%-14s", mode)
	}
	return "# " + strings.TrimSpace(b.String())
}

func or(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// No sequence of stored approvals ever allows what a deny rule matches, nor what may not be asked about; and what is protected
// is asked about each time.
func TestNoApprovalAllowsWhatIsDenied(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 3))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	some := func(list ...string) (few []string) {
		for range random.IntN(6) {
			few = append(few, pick(list...))
		}
		return few
	}
	denied := 0
	for range 20000 {
		c := tested[random.IntN(len(tested))]
		patterns := []string{c.Name, Suggest(c.Call), c.Name + "(*)", c.Name + "(git*)", c.Name + "(docs/*)", c.Name + "(https://*)", string(c.Action), "process", "fs_write", "egress", "os", "*", "(*)", "", "mcp_mail_list"}
		about, _ := About(c.Call)
		patterns = append(patterns, c.Name+"("+about+")", c.Name+"("+about+"*)")
		g := agent.Grounds{Policy: agent.PermissionPolicy(pick("auto", "ask", "deny", "?")), Allowed: some(patterns...)}
		g.Default = agent.Permission(pick("", "allow", "ask", "deny", "allow_reads"))
		for _, pattern := range some(patterns...) {
			g.Rules.Rules = append(g.Rules.Rules, agent.Rule{Pattern: pattern, Permission: agent.Permission(pick("allow", "ask", "deny"))})
		}
		got := Decide(c.Call, g)
		bare := g
		bare.Allowed = nil
		without := Decide(c.Call, bare)
		matched := false
		for _, r := range g.Rules.Rules {
			p, ok := parse(r.Pattern)
			matched = matched || r.Permission == agent.Deny && ok && p.matches(inspect(c.Call), false)
		}
		if matched {
			denied++
		}
		switch {
		case matched && got != agent.Deny:
			t.Fatalf("%s, denied by a rule: %s on %+v", c.name, got, g)
		case without != agent.Ask && got != without:
			t.Fatalf("%s: approvals made %s of %s on %+v", c.name, got, without, g)
		case g.Policy == agent.PermissionDeny && got == agent.Ask:
			t.Fatalf("%s asks where nobody may be asked, on %+v", c.name, g)
		case guarded(c.Call, inspect(c.Call)) && got == agent.Allow:
			t.Fatalf("%s is protected and was allowed on %+v", c.name, g)
		}
	}
	if denied < 1000 {
		t.Errorf("only %d of the calls were matched by a rule that denies", denied)
	}
}

// What is suggested for a call allows that call, and what it shows is what it does.
func TestASuggestionAllowsWhatItIsFor(t *testing.T) {
	for _, c := range []struct {
		Call
		want string
	}{
		{call("write_file", agent.ActionWrite, `{"path":"a","content":""}`), "write_file"},
		{call("Write", agent.ActionWrite, `{"file_path":"/a"}`), "Write"},
		{call("edit", agent.ActionWrite, `{"changes":{"a":1}}`), ""},
		{call("run_command", agent.ActionProcess, `{"command":"git","args":["status","-s"]}`), "run_command(git status *)"},
		{call("run_command", agent.ActionProcess, `{"command":"make"}`), "run_command(make *)"},
		{call("run_command", agent.ActionProcess, `{"command":"ls","args":["-l"]}`), "run_command(ls *)"},
		{call("run_command", agent.ActionProcess, `{"command":"python3","args":["-c","1"]}`), "run_command(python3 -c 1)"},
		{call("run_command", agent.ActionProcess, `{"command":"git","args":[1]}`), ""},
		{call("Bash", agent.ActionProcess, `{"command":"git status && git push","description":"Look"}`), "Bash(git status && git push)"},
		{call("Bash", agent.ActionProcess, `{"command":"cat a | tee *"}`), ""},
		{call("shell", agent.ActionProcess, `{"command":["bash","-lc","ls"]}`), "shell(bash -lc ls)"},
		{call("Bash", agent.ActionProcess, `{}`), ""},
		{call("http_request", agent.ActionEgress, `{"url":"https://Example.org:8443/a?b"}`), "http_request(https://example.org:8443/*)"},
		{call("web_search", agent.ActionEgress, `{"query":"a b"}`), "web_search"},
		{call("mcp_mail_send", agent.ActionOther, `{"to":"a","body":"b"}`), "mcp_mail_send"},
		{call("mcp_mail_send", agent.ActionOther, `"no object"`), ""},
		{authored(call("count", agent.ActionProcess, `{"command":"git","args":["push"]}`)), "count@1a"},
		{authored(call("weather", agent.ActionEgress, `{}`)), "weather@1a"},
		{call("Run (now)", agent.ActionOther, `{}`), ""},
		{lent(call("deploy", agent.ActionOther, `{}`)), "deploy@v1"},
		{lent(call("run_command", agent.ActionProcess, `{"command":"git","args":["push"]}`)), "run_command@v1(git push *)"},
		{stating(call("git_commit", agent.ActionProcess, `{"command":"x"}`), agent.Ask), ""},
		{protected(call("write_file", agent.ActionWrite, `{"path":".git/config"}`)), ""},
	} {
		got := Suggest(c.Call)
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.Name, c.Input, got, c.want)
		}
		g := agent.Grounds{Policy: agent.PermissionAsk}
		if Decide(c.Call, g) != agent.Ask {
			t.Errorf("%s %s is not asked about", c.Name, c.Input)
		}
		g.Allowed = []string{got}
		if verdict := Decide(c.Call, g); (verdict == agent.Allow) != (got != "") {
			t.Errorf("%s %s: allowed %q, it is: %s", c.Name, c.Input, got, verdict)
		}
	}
}

// What a pattern matches, row by row: its name, what it is about, and what it must not match.
func TestPatterns(t *testing.T) {
	git := func(arguments string) Call {
		return call("run_command", agent.ActionProcess, `{"command":"git","args":[`+arguments+`]}`)
	}
	write := func(path string) Call { return call("write_file", agent.ActionWrite, `{"path":`+path+`}`) }
	for _, c := range []struct {
		pattern       string
		call          Call
		allows, binds bool // as a rule that allows, and as one that denies
	}{
		{"run_command(git status *)", git(`"status"`), true, true},
		{"run_command(git status *)", git(`"statusx"`), false, false},
		{"run_command(git status*)", git(`"statusx"`), true, true},
		{"run_command(git status *)", git(`"status","; rm"`), false, true},
		{"run_command(git status)", git(`"status","-s"`), false, false},
		{"run_command(git)", git(``), true, true},
		{"run_command(*)", git(`"x"`), true, true},
		{"run_command(*)", git(`1`), false, true},
		{"git(status*)", git(`"status"`), false, false},
		{"write_file(docs/*)", write(`"docs/a"`), true, true},
		{"write_file(docs/*)", write(`"./docs//a"`), true, true},
		{"write_file(docs/*)", write(`"docs/../a"`), false, false},
		{"write_file(a*)", write(`"docs/../a"`), true, true},
		{"write_file(docs/*)", write(`null`), false, true},
		{"write_file", write(`1`), false, true},
		{"fs_write", write(`"a"`), true, true},
		{"fs_write(docs/*)", write(`"docs/a"`), true, true},
		{"process", write(`"a"`), false, false},
		{"write_fil", write(`"a"`), false, false},
		{"Write_File", write(`"a"`), false, false},
	} {
		p, ok := parse(c.pattern)
		s := inspect(c.call)
		if !ok || p.matches(s, true) != c.allows || p.matches(s, false) != c.binds {
			t.Errorf("%s on %s: it allows %v, and denies %v (%v)", c.pattern, c.call.Input, p.matches(s, true), p.matches(s, false), ok)
		}
	}
	for _, text := range []string{"", "(", "(a)", "a(", "a(b", "a(b)c"} {
		if _, ok := parse(text); ok {
			t.Errorf("%q was read", text)
		}
	}
}
