package harness

import (
	"slices"
	"strings"
	"testing"

	"parley/backend/agent"
)

func TestKnownPrograms(t *testing.T) {
	programs, err := Programs([]string{"PATH=/bin", "PARLEY_ACP_MY_AGENT= /opt/mine  --acp ", "PARLEY_ACP_GOOSE=goose acp --debug", "PARLEY_MODEL=m"})
	if err != nil {
		t.Fatal(err)
	}
	find := func(kind agent.Kind) Known {
		i := slices.IndexFunc(programs, func(k Known) bool { return k.Kind == kind })
		if i < 0 {
			t.Fatalf("there is no %s", kind)
		}
		return programs[i]
	}
	mine := find("acp:my-agent")
	if !mine.Configured || mine.Agent() != "my-agent" || mine.Command != "/opt/mine" || !slices.Equal(mine.Args, []string{"--acp"}) || !strings.Contains(mine.Remedy(), "/opt/mine") {
		t.Errorf("configured %+v, %q", mine, mine.Remedy())
	}
	if goose := find("acp:goose"); !goose.Configured || goose.Name != "goose" || len(goose.Args) != 2 || !goose.Takes(agent.WireOpenAI) {
		t.Errorf("the person's own is %+v", goose)
	}
	if len(programs) != len(known)+1 {
		t.Errorf("%d programs out of %d known ones", len(programs), len(known))
	}
	if pi := find(agent.KindPi); pi.Agent() != "pi" || !pi.Takes("") || !pi.Takes(agent.WireAnthropic) || find(agent.KindClaude).Takes(agent.WireOpenAI) || !find("acp:gemini").Takes(agent.WireGemini) || mine.Takes(agent.WireOpenAI) {
		t.Error("the wires are mixed up")
	}
	seen := map[string]bool{}
	for _, k := range programs {
		if seen[k.Agent()] || k.Name == "" || k.Description == "" || k.Command == "" {
			t.Errorf("%+v", k)
		}
		seen[k.Agent()] = true
		if _, isACP := k.Kind.ACP(); isACP && len(k.Wires) > 0 {
			t.Errorf("%s: its wires are said twice", k.Kind)
		}
	}
	for _, wrong := range []string{"PARLEY_ACP_=x", "PARLEY_ACP_X= ", "PARLEY_ACP_PI=x"} {
		if _, err := Programs([]string{wrong}); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(wrong, "= ")[:11]) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
