package workflow

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// TestHostile: what is made to be expensive is refused, or read, in little time and memory.
func TestHostile(t *testing.T) {
	const whole = maxSource - 2
	fill := func(before, again, after string) string {
		return before + strings.Repeat(again, (whole-len(before)-len(after))/len(again)) + after
	}
	for name, src := range map[string]string{
		"flow list":            fill("[", "a,", "a]"),
		"flow list in a block": fill("a:\n  - [", "a,", "a]"),
		"flow pairs":           fill("{", "a: b, ", "a: b}"),
		"empty lists":          fill("[", "[],", "[]]"),
		"behind a quote":       fill("a: \"x: |\n   \", \n   b: [", "a,", "a]"),
		"behind a text":        fill("a: |\n     x\n   ? [", "a,", "a]"),
		"behind an empty line": fill("a: |\n     \n   ? [", "a,", "a]"),
		"behind a plain quote": fill("[x \", ", "a,", "a]"),
		"behind a return":      fill("a: |\n  x\r? [", "a,", "a]"),
		"block list":           fill("", "-\n", ""),
		"keys":                 fill("", "a:\n", ""),
		"deep flow":            fill("", "[", ""),
		"deep blocks":          fill("", "- ", ""),
		"deep keys":            fill("", "? ", ""),
		"deep mappings":        fill("", "{a: ", ""),
		"anchors":              fill("", "&a ", ""),
		"tags":                 fill("", "!a ", ""),
		"comments":             fill("", "#\n", ""),
		"escapes":              fill("a: \"", `\U0001F600`, "\""),
		"one key":              fill("", "a", ": 1"),
		"one number":           fill("schema_version: ", "9", ""),
		"exponents":            fill("a:\n", " - 1e308\n", ""),
		"references":           fill("schema_version: \"1.0\"\nworkflow:\n  context: [{key: a, value: \"", "{{a", "\"}]"),
		"tags of a workflow":   fill("schema_version: \"1.0\"\nworkflow:\n  tags:\n", "    - a\n", ""),
		"unknown keys":         fill("schema_version: \"1.0\"\nworkflow:\n", "  ? aaaaaaa\n", ""),
		"edges to nowhere":     flow(9000, "{id: n%d, type: input}", 9000, "{from: n%d, to: m%[1]d}", ""),
		"handles":              flow(1, "{id: n%d, type: condition, expression: x, branches: ["+strings.Repeat("{when: 1, target_node: n0},", 9000)+"]}", 9000, "{from: 'n0:%d', to: n0}", ""),
		"instructions":         flow(9000, "{id: n%d, type: agent, agent_ref: a}", 1, "{from: n%d, to: n0}", strings.Repeat("{{run.outputs['n1']}}", 60_000)),
		"unknown agents":       flow(9000, "{id: n%d, type: agent, agent_ref: b}", 1, "{from: n%d, to: n0}", "x"),
		"too many characters":  fill("a", "a", "") + "aaa",
	} {
		t.Run(name, func(t *testing.T) {
			runtime.GC()
			peak, stop := watchMemory()
			begun := time.Now()
			p := Parse([]byte(src))
			took := time.Since(begun)
			close(stop)
			if len(p.Problems) == 0 {
				t.Error("it is taken")
			}
			if most := <-peak; most > 256<<20 {
				t.Errorf("it takes %d MB", most>>20)
			}
			if took > 20*time.Second { // one second or so without the race detector
				t.Errorf("it takes %v", took)
			}
		})
	}
}

// TestPieces: what is in texts is not counted, and nothing else is taken for a text.
func TestPieces(t *testing.T) {
	for src, want := range map[string]int{
		"a: |\n  [,,\n  [,,\nb: 1\n":              1,
		"- - a: >-\n\n      [,,\n":                0,
		"a: |2+\n     [,,\n  [,,\n":               0,
		"a: \"[,,\\\"\"\nb: '[,,'''\n- \"[,,\"\n": 0,
		"a: [b, c]\n":                             1 + 2*perInline,
		"a: &b !c\n":                              1 + 2*perInline,
		"a: \"\nx: |\n  \", [,\n":                 3 + 3*perInline, // the text is one in quotes
		"a: '\nx: \"[,\"\n":                       2 + 2*perInline, // likewise
		"a: |\n    \n  [,,\n":                     1 + 3*perInline, // an empty line that is indented more
		"a: |\n    x\n  [,,\n":                    1 + 3*perInline, // less than the line before
		"a: |\n[,,\n":                             1 + 3*perInline,
		"a: |\n  x\r[,,\n":                        2 + 3*perInline, // a line ends in a line
		"- - |\n  [,,\n":                          1 + 3*perInline, // not more than what it belongs to
		"|\n  [,,\n":                              2 + 3*perInline,
	} {
		if got := pieces(src); got != want {
			t.Errorf("%q: %d, want %d", src, got, want)
		}
	}
}

// flow is a workflow of many nodes and edges, and an agent with instructions.
func flow(nodes int, node string, edges int, edge, instructions string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "schema_version: '1.0'\nworkflow:\n  id: a\n  agents: [{id: a, model: m, provider: openai, system_prompt: \"x%s\"}]\n  nodes:\n", instructions)
	for i := range nodes {
		fmt.Fprintf(&b, "    - "+node+"\n", i)
	}
	b.WriteString("  edges:\n")
	for i := range edges {
		fmt.Fprintf(&b, "    - "+edge+"\n", i)
	}
	return b.String()
}

// watchMemory gives the most memory that was in use until stop is closed.
func watchMemory() (peak chan uint64, stop chan struct{}) {
	peak, stop = make(chan uint64, 1), make(chan struct{})
	go func() {
		var m runtime.MemStats
		var most uint64
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapInuse)
			select {
			case <-tick.C:
			case <-stop:
				peak <- most
				return
			}
		}
	}()
	return peak, stop
}

// FuzzParse: whatever is read, of what has a graph nothing is lost, and it is written as the same bytes twice. Reading it takes
// less than 256 MB, even if nothing of that were let go before the end.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/valid/*.yaml", "testdata/invalid/*.yaml", "testdata/valid/*.golden"} {
		for _, path := range files(f, pattern) {
			src, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(src)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before := allocated()
		parsed := Parse(src)
		if took := allocated() - before; took > 256<<20 {
			t.Errorf("it takes %d MB", took>>20)
		}
		for _, p := range parsed.Problems {
			if p.Line < 1 || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v", p)
			}
		}
		if parsed.Graph != nil {
			kept(t, src, *parsed.Graph)
		} else if len(parsed.Problems) == 0 {
			t.Error("nothing is said of it")
		}
	})
}

// allocated is how many bytes this process has asked for since it began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
