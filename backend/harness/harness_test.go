package harness

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
)

var update = flag.Bool("update", false, "rewrite the golden parts of testdata")

var (
	endpoints = map[string]agent.Endpoint{
		"anthropic": {Provider: "anthropic", BaseURL: "https://api.anthropic.com/v1", Wire: agent.WireAnthropic},
		"google":    {Provider: "google", BaseURL: "https://generativelanguage.googleapis.com", Wire: agent.WireGemini},
		"openai":    {Provider: "openai", BaseURL: "https://api.openai.com/v1"},
		"ollama":    {Provider: "ollama", BaseURL: "http://127.0.0.1:11434/v1"},
	}
	tools = []string{"list_directory", "read_file", "write_file", "run_command"}
)

// TestLaunches translates the specs in testdata/*.txt. Each file starts with prose; then come pairs of "-- spec --", with
// JSON, and "-- launch --", golden: the launch, or why there is none.
func TestLaunches(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures (%v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := strings.Split(string(src), "-- spec --\n")
			got := parts[0]
			for _, part := range parts[1:] {
				spec, _, _ := strings.Cut(part, "-- launch --\n")
				got += "-- spec --\n" + spec + "-- launch --\n" + translate(t, spec)
			}
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(src) {
				t.Errorf("got (-update accepts it):\n%s\nwant:\n%s", got, src)
			}
		})
	}
}

func translate(t *testing.T, text string) string {
	var spec agent.Spec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	programs, err := Programs([]string{"PARLEY_ACP_MINE=/opt/mine --acp"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := For(spec.Harness, endpoints, tools, programs)
	if err != nil {
		return refusal(t, err)
	}
	if h.Kind() != spec.Harness {
		t.Errorf("the harness for %q is of kind %q", spec.Harness, h.Kind())
	}
	launch, err := h.Launch(spec)
	if err != nil {
		return refusal(t, err)
	}
	if again, err := h.Launch(spec); err != nil || !reflect.DeepEqual(again, launch) {
		t.Errorf("launching again gave %+v, %v", again, err)
	}
	if launch.Program != nil && launch.Program.Files["parley.js"] == piExtension {
		launch.Program.Files["parley.js"] = "pi_extension.js"
	}
	b, err := json.MarshalIndent(launch, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func refusal(t *testing.T, err error) string {
	told, ok := err.(*agent.Error)
	if !ok {
		t.Fatalf("not an *agent.Error: %v", err)
	}
	return "error " + string(told.Code) + ": " + told.Message + "\n"
}

// A launch is kept and compared: what happens to the spec or the endpoints afterwards must not change it.
func TestALaunchSharesNothing(t *testing.T) {
	mine := map[string]agent.Endpoint{"openai": endpoints["openai"]}
	spec := agent.Spec{Harness: agent.KindNative, Provider: "openai", Model: "m", Tools: []string{"read_file"},
		ClientTools: []agent.ClientToolSpec{{Name: "locate", InputSchema: json.RawMessage(`{"type":"object"}`)}}}
	launch, err := Native{mine, tools}.Launch(spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Tools[0], spec.ClientTools[0].Name = "write_file", "another"
	mine["openai"] = agent.Endpoint{}
	if launch.Tools[0] != "read_file" || launch.ClientTools[0].Name != "locate" || *launch.Endpoint != endpoints["openai"] {
		t.Errorf("the launch has changed: %+v, %+v", launch, launch.Endpoint)
	}
}
