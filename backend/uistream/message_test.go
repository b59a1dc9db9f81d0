package uistream

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// §4 Emitted: each type of chunk is in a fixture, where the real clients read it. So is each of the parts and states of a §5
// UIMessage, and nothing else: §5 No top-level content.
func TestTheFixturesHaveEverything(t *testing.T) {
	missing := map[string]bool{}
	for kind := range chunkKeys {
		missing[kind] = true
	}
	known := "text reasoning file source-url source-document data-* step-start tool-*:input-streaming tool-*:input-available tool-*:approval-requested" +
		" tool-*:approval-responded tool-*:output-available tool-*:output-error tool-*:output-denied"
	for part := range strings.FieldsSeq(known) {
		missing["part "+part] = true
	}
	paths, err := filepath.Glob("testdata/turns/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		f := readFixture(t, path)
		for _, frame := range frames(t, []byte(f.sections["sse"])) {
			delete(missing, general(frame.data["type"].(string), "data-"))
		}
		for line := range strings.Lines(f.sections["message"] + f.sections["cuts"]) {
			for _, part := range partsOf(t, line) {
				if !strings.Contains(" "+known+" ", " "+part+" ") {
					t.Errorf("%s: a part is %s", path, part)
				}
				delete(missing, "part "+part)
			}
		}
	}
	for kind := range missing {
		t.Errorf("no fixture has %s", kind)
	}
}

// general is a type of which there are as many as names.
func general(kind, prefix string) string {
	if strings.HasPrefix(kind, prefix) {
		return prefix + "*"
	}
	return kind
}

// partsOf gives the types of a message's parts, and the states of its calls. What stands before the message is left out.
func partsOf(t *testing.T, line string) (kinds []string) {
	t.Helper()
	var m struct {
		ID, Role string
		Metadata map[string]any
		Parts    []struct{ Type, State string }
	}
	_, text, _ := strings.Cut(line, "{")
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte("{"+text), &m) != nil || json.Unmarshal([]byte("{"+text), &members) != nil || len(members) != 4 || m.ID == "" || m.Role != "assistant" || m.Metadata == nil {
		t.Errorf("no message: %s", text)
	}
	for _, p := range m.Parts {
		kind := general(general(p.Type, "data-"), "tool-")
		if kind == "tool-*" {
			kind += ":" + p.State
		}
		kinds = append(kinds, kind)
	}
	return kinds
}
