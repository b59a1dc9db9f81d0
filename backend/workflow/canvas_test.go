package workflow

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// TestCanvas: what comes of each thing that the canvas does is right here too, and what it refuses is refused. The page's
// tests write the files (frontend/src/workflow/graph). JSON is YAML.
func TestCanvas(t *testing.T) {
	for _, path := range files(t, "testdata/canvas*.jsonl") {
		all, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(all) {
			var made struct {
				Title    string
				Right    bool
				Workflow json.RawMessage
			}
			if err := json.Unmarshal(line, &made); err != nil {
				t.Fatal(err)
			}
			if wrong := told([]byte(`{"schema_version":"1.0","workflow":` + string(made.Workflow) + `}`)); (wrong == "") != made.Right {
				t.Errorf("%s: is it right? %t; but this is said of it:\n%s%s", made.Title, made.Right, wrong, made.Workflow)
			}
		}
	}
}
