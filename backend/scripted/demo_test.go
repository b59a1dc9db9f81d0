package scripted

import (
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/tool"
)

func commands(t *testing.T) (names []string) {
	files, err := fs.Glob(scenes, "scenes/*.txt")
	if err != nil || len(files) < 6 {
		t.Fatalf("there are %v (%v)", files, err)
	}
	for _, file := range files {
		if name := strings.TrimSuffix(path.Base(file), ".txt"); name != welcomeScene {
			names = append(names, name)
		}
	}
	return names
}

// demo plays what the demo agent answers, in no time.
func demo(t *testing.T, text string) (turn agenttest.Turn, took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, NewBackend(), tool.Names()...)
		start := time.Now()
		turn = agenttest.Collect(t, c.Prompt(t.Context(), ask(text)))
		took = time.Since(start)
	})
	return turn, took
}

func TestEveryCommandIsListedAndPlays(t *testing.T) {
	help, _ := demo(t, "/demo help")
	welcome, _ := demo(t, "hello")
	for _, name := range commands(t) {
		for _, text := range []string{help.Text(), welcome.Text()} {
			if !strings.Contains(text, "`/demo "+name+"`") {
				t.Errorf("/demo %s is not listed in %q", name, text)
			}
		}
		turn, took := demo(t, "  /demo  "+name+"\n")
		if fails := turn.Err != nil; fails != (name == "error") || turn.Text() == "" {
			t.Errorf("/demo %s ended with %v", name, turn.Err)
		}
		if strings.Contains(turn.Text(), "[[") {
			t.Errorf("/demo %s says a directive", name)
		}
		if took < 100*time.Millisecond || took > 15*time.Second {
			t.Errorf("/demo %s takes %v", name, took)
		}
	}
}

func TestFreeTextIsNotEchoed(t *testing.T) {
	for text, scene := range map[string]string{
		"my password is hunter2": "hello", "": "hello", "/demonstrate": "hello",
		"/demo": "/demo help", "/demo hunter2": "/demo help", "/demo ../welcome": "/demo help",
	} {
		got, _ := demo(t, text)
		want, _ := demo(t, scene)
		if got.Text() != want.Text() || strings.Contains(got.Text(), "hunter2") {
			t.Errorf("%q is answered with %q", text, got.Text())
		}
	}
	welcome, _ := demo(t, "hello")
	for _, word := range []string{"demo agent", "no model", "PARLEY_OPENAI_BASE_URL", "PARLEY_OPENAI_API_KEY", "PARLEY_MODEL", "Ollama"} {
		if !strings.Contains(welcome.Text(), word) {
			t.Errorf("the introduction does not mention %s", word)
		}
	}
}

func TestDemoTools(t *testing.T) {
	turn, _ := demo(t, "/demo tools")
	var got []string
	for i, call := range turn.Calls() {
		got = append(got, call.Name)
		if refused := turn.Results()[i].IsError; refused != strings.Contains(string(call.Input), `"../`) {
			t.Errorf("%s %s: %s", call.Name, call.Input, turn.Results()[i].Output)
		}
	}
	if want := "list_directory write_file write_file read_file read_file"; strings.Join(got, " ") != want {
		t.Errorf("it called %v", got)
	}
	if _, spoken := turn.Events[0].(agent.MessageDelta); !spoken {
		t.Errorf("it begins with %#v", turn.Events[0])
	}
}

func TestDemoWorkComesToItsEnd(t *testing.T) {
	turn, _ := demo(t, "/demo work")
	var last agent.Plan
	for _, e := range turn.Events {
		if plan, ok := e.(agent.Plan); ok {
			last = plan
		}
	}
	for _, item := range last.Items {
		if item.Status != "completed" {
			t.Errorf("%s is %s", item.Text, item.Status)
		}
	}
	for _, r := range turn.Results() {
		if r.IsError {
			t.Errorf("%s: %s", r.Name, r.Output)
		}
	}
	if len(last.Items) != 3 {
		t.Errorf("the checklist has %d items", len(last.Items))
	}
}

func TestDemoMarkdownShowsEverything(t *testing.T) {
	turn, _ := demo(t, "/demo markdown")
	for _, sign := range []string{"# ", "## ", "1. ", "- [x] ", "> ", "|---", "```go", "```python", "```mermaid", "$$", "](https://", "[^source]:", "**", "~~"} {
		if !strings.Contains(turn.Text(), sign) {
			t.Errorf("it shows no %s", sign)
		}
	}
	if turn.Text() != showcase {
		t.Error("it is not the showcase")
	}
}

func TestDemoThinkingIsWhole(t *testing.T) {
	turn, _ := demo(t, "/demo thinking")
	if turn.Thoughts() != monologue {
		t.Errorf("it thinks %q", turn.Thoughts())
	}
}

func TestDemoErrorFailsAfterItsWords(t *testing.T) {
	turn, _ := demo(t, "/demo error")
	if turn.Err == nil || turn.Err.Code != agent.CodeProviderUnavailable || !strings.HasSuffix(turn.Text(), "in the middle of this") {
		t.Errorf("it ends with %q and %v", turn.Text(), turn.Err)
	}
}

func TestDemoLongIsLong(t *testing.T) {
	turn, _ := demo(t, "/demo long")
	if n := len(strings.Fields(turn.Text())); n < 2000 {
		t.Errorf("it has %d words", n)
	}
}
