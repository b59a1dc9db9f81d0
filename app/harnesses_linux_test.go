//go:build harnesses

package app

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/backend/modelserver"
)

var programs = flag.String("harnesses", "", "where the programs of others are, as in PATH: they are tested")

// outsider is a harness as the rows need to know it. What it cannot do is said by row, in the words of the table.
type outsider struct {
	agent    string
	provider string
	shell    string // a call of its tool that runs a command
	ours     string // before the names of Parley's tools, as its model knows them
	cannot   map[string]string
}

// outsiders are the harnesses of others, and Parley's own loop, which all of them are compared with.
var outsiders = []outsider{
	{agent: "assistant", provider: "openai", cannot: map[string]string{
		steered:    stopsInstead,
		stopInTool: "it is played without a tool that takes long",
	}},
	{agent: "pi", provider: "openai", shell: `bash {"command":%q}`, ours: "mcp__parley__"},
	{agent: "claude", provider: "anthropic", shell: `Bash {"command":%q}`, ours: "mcp__parley__"},
	{agent: "claude-agent-acp", provider: "anthropic", shell: `Bash {"command":%q}`, ours: "mcp__parley__"},
	{agent: "codex-acp", provider: "openai", shell: `exec_command {"cmd":%q,"sandbox_permissions":"require_escalated","justification":"x"}`, ours: "mcp__parley::"},
	{agent: "pi-acp", provider: "openai", shell: `bash {"command":%q}`, cannot: map[string]string{
		steered: stopsInstead, asksFirst: "it never asks", denied: "it never asks", ownTool: "it takes no tools", oneShape: "it takes no tools",
	}},
	{agent: "opencode", provider: "openai", shell: `bash {"command":%q,"description":"x"}`, ours: "parley_", cannot: map[string]string{steered: stopsInstead}},
	{agent: "gemini", provider: "google", shell: `run_shell_command {"command":%q}`, ours: "mcp_parley_", cannot: map[string]string{
		steered:    stopsInstead,
		stopInTool: "it leaves the call without a result, and its model's server refuses the next message; a retry is told to a new Gemini",
	}},
	{agent: "qwen", provider: "openai", shell: `run_shell_command {"command":%q,"is_background":false}`, ours: "mcp__parley__", cannot: map[string]string{steered: stopsInstead}},
	{agent: "kimi", provider: "openai", shell: `Bash {"command":%q}`, ours: "mcp__parley__", cannot: map[string]string{steered: stopsInstead}},
}

// stopsInstead is what becomes of a message that is sent now where it cannot be said in the middle of the turn.
const stopsInstead = "it takes nothing in the middle of its turn: what is sent now stops the turn first"

// keys are what the person has: each provider's is for this provider only.
var keys = map[string]string{
	"openai": "key-of-openai-1f0c", "anthropic": "key-of-anthropic-2e1d", "google": "key-of-google-3d2e", "aws": "key-of-aws-4c3f",
}

// TestHarnesses plays every row with every harness, against the scripted model server, and compares the table that comes
// out with the one that is kept. What a harness cannot do it is asked all the same: the table is to be true in this, too.
func TestHarnesses(t *testing.T) {
	table := &conformance{cells: map[[2]string]string{}}
	for _, o := range outsiders {
		t.Run(o.agent, func(t *testing.T) {
			tr := newTrial(t, o)
			for _, row := range rows {
				t.Run(row.name, func(t *testing.T) {
					begun := time.Now()
					tr.t = t
					err := row.play(tr)
					why, known := o.cannot[row.name]
					switch {
					case err == nil && known:
						t.Errorf("it can, although the table is to say that it cannot: %s", why)
					case err != nil && !known:
						t.Error(err)
						why = "FAILS: " + err.Error()
					}
					table.cells[[2]string{o.agent, row.name}] = why
					t.Logf("%.1fs", time.Since(begun).Seconds())
				})
			}
		})
	}
	table.keep(t)
}

// trial is one harness, in a Parley of its own.
type trial struct {
	outsider
	*place
	t      *testing.T // of the row
	model  *modelserver.Server
	server *server
	talks  int
	since  int // how many requests the model had when the last message was sent
}

func newTrial(t *testing.T, o outsider) *trial {
	model := modelserver.New(modelserver.Options{Foreign: true})
	listening := httptest.NewServer(model)
	t.Cleanup(listening.Close)
	p := newPlace(t)
	t.Cleanup(func() { // a runner sees that Parley is gone, and needs a moment to end what it started
		if err := within("all processes have ended", func() bool { return len(processes(filepath.Dir(p.home), "")) == 0 }); err != nil {
			t.Error(err)
		}
	})
	p.env = append(p.env,
		"PATH="+*programs+":"+os.Getenv("PATH"), "PARLEY_MODEL="+o.provider+"/scripted-1",
		"OPENAI_BASE_URL="+listening.URL+"/v1", "ANTHROPIC_BASE_URL="+listening.URL, "GOOGLE_BASE_URL="+listening.URL,
		"OPENAI_API_KEY="+keys["openai"], "ANTHROPIC_API_KEY="+keys["anthropic"], "GOOGLE_API_KEY="+keys["google"], "AWS_SECRET_ACCESS_KEY="+keys["aws"],
	)
	return &trial{outsider: o, place: p, t: t, model: model, server: p.serve()}
}

// root holds everything: the person's home and the data folder.
func (tr *trial) root() string { return filepath.Dir(tr.home) }

// restart lets Parley crash and starts it again.
func (tr *trial) restart() {
	tr.server.kill()
	tr.server = tr.serve()
}

// changes is a call that makes a file, with a tool of the harness's own.
func (o outsider) changes(file string) string {
	if o.shell == "" {
		return fmt.Sprintf(`[[tool:write_file {"path":%q,"content":%q}]]`, file, content)
	}
	return o.runs("echo " + content + " > " + file)
}

// runs is a call that runs a command.
func (o outsider) runs(command string) string {
	return "[[tool:" + fmt.Sprintf(o.shell, command) + "]]"
}

// conformance is the table of what the harnesses can do.
type conformance struct {
	cells   map[[2]string]string // by harness and row: why not, or nothing
	reasons []string
}

const conformanceFile = "../backend/harness/conformance.md"

const conformanceHead = `# What each harness can do

Played by ` + "`make test-harnesses`" + ` with the programs themselves, at the versions of ` + "`build/harnesses`" + `, against the scripted model
server. Do not edit: the test's flag ` + "`-update`" + ` writes it. "assistant" is Parley's own loop.

`

func (c *conformance) String() string {
	var b strings.Builder
	b.WriteString(conformanceHead + "| |")
	for _, o := range outsiders {
		b.WriteString(" " + o.agent + " |")
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(outsiders)) + "\n")
	for _, row := range rows {
		b.WriteString("| " + row.name + " |")
		for _, o := range outsiders {
			b.WriteString(" " + c.mark(o.agent, row.name) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for i, reason := range c.reasons {
		fmt.Fprintf(&b, "%d. %s\n", i+1, reason)
	}
	return b.String()
}

// mark is what a cell shows: the number of a reason if there is one.
func (c *conformance) mark(harness, row string) string {
	why, played := c.cells[[2]string{harness, row}]
	switch {
	case !played:
		return ""
	case why == "":
		return "✓"
	}
	if !slices.Contains(c.reasons, why) {
		c.reasons = append(c.reasons, why)
	}
	return strconv.Itoa(slices.Index(c.reasons, why) + 1)
}

// keep prints the table, and compares it with the one that is kept, or keeps it.
func (c *conformance) keep(t *testing.T) {
	got := c.String()
	t.Log("\n" + got)
	if len(c.cells) < len(outsiders)*len(rows) {
		return // some were left out with -run
	}
	if *update {
		if err := os.WriteFile(conformanceFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if kept, err := os.ReadFile(conformanceFile); err != nil || string(kept) != got {
		t.Errorf("%s says otherwise (%v); -update corrects it", conformanceFile, err)
	}
}
