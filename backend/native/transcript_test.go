package native

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/modelserver"
	"parley/backend/provider"
)

var update = flag.Bool("update", false, "write what was projected into the fixtures")

// aPicture is in the fixtures; another one that they name is not there.
const aPicture = agent.MediaHandle("media://sha256-0000000000000000000000000000000000000000000000000000000000000001")

var pictures = map[agent.MediaHandle][]byte{aPicture: []byte("red")}

// TestProject: a file of testdata/transcripts has prose, a transcript with the parts as a row of the store holds them,
// and what a model reads of it.
func TestProject(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, want, ok := strings.Cut(string(b), "-- request --\n")
			_, lines, ok2 := strings.Cut(head, "\n\n-- transcript --\n")
			if !ok || !ok2 {
				t.Fatal("not a fixture")
			}
			got := readable(project("Be brief.", true, readTranscript(t, lines), pictures))
			if *update {
				if err := os.WriteFile(file, []byte(head+"-- request --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func readTranscript(t *testing.T, lines string) (transcript []agent.Message) {
	for line := range strings.Lines(lines) {
		role, parts, _ := strings.Cut(line, " ")
		m := agent.Message{Role: agent.Role(role)}
		var err error
		if m.Parts, err = agent.DecodeParts([]byte(parts)); err != nil {
			t.Fatal(err)
		}
		transcript = append(transcript, m)
	}
	return transcript
}

func readable(messages []provider.Message) string {
	var out strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&out, "%s", m.Role)
		if m.CallID != "" {
			fmt.Fprintf(&out, " for %s", m.CallID)
		}
		if m.Text != "" {
			fmt.Fprintf(&out, " %q", m.Text)
		}
		for _, p := range m.Pictures {
			fmt.Fprintf(&out, " %s %q", p.MediaType, p.Content)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&out, " call %s %s %s", c.ID, c.Name, c.Args)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// TestEveryTranscriptIsTaken sends random transcripts, with stopped and failed turns among them, to the strict server.
func TestEveryTranscriptIsTaken(t *testing.T) {
	for name, r := range map[string]*rig{
		"openai":                  newRig(t, modelserver.Options{}, "read_file"),
		"anthropic":               newRigOn(t, "anthropic", modelserver.Options{}, "read_file"),
		"anthropic without tools": newRigOn(t, "anthropic", modelserver.Options{}),
	} {
		for seed := range uint64(500) {
			transcript := append(randomTranscript(rand.New(rand.NewPCG(seed, 0))), "[[say:taken]]")
			if turn := r.take(transcript...); turn.Text() != "taken" {
				requests := r.model.Requests()
				t.Fatalf("%s: transcript %d: %v\n%s", name, seed, turn.Err, requests[len(requests)-1].Body)
			}
		}
	}
}

// TestPicturesGoWithTheirMessage: also without a word, and again with what follows.
func TestPicturesGoWithTheirMessage(t *testing.T) {
	for name, want := range map[string]string{
		"openai":    `"content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,cmVk"}}]`,
		"anthropic": `"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"cmVk"},`,
	} {
		r := newRigOn(t, name, modelserver.Options{})
		p := prompt(agent.Message{Role: agent.RoleUser, Parts: []agent.Part{agent.MediaPart{MimeType: "image/png", Handle: aPicture}}},
			agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{agent.TextPart{Text: "Red."}}}, "[[say:taken]]")
		p.Media = pictures
		turn := agenttest.Collect(t, r.conn.Prompt(t.Context(), p))
		requests := r.model.Requests()
		if body := string(requests[len(requests)-1].Body); turn.Text() != "taken" || !strings.Contains(body, want) {
			t.Errorf("%s: %q, %v\n%s", name, turn.Text(), turn.Err, body)
		}
	}
}

// §4 Stop closes every dangling call: a turn is stopped at each of its events, and the next is taken by either provider.
// So is one that was left when it had paused.
func TestATurnStoppedAnywhereLeavesAValidTranscript(t *testing.T) {
	const script = `[[think:2]] [[tool:read_file {"path":"note.txt"}]] [[tool:write_file {"path":"b","content":"c"}]] [[tool:read_file nonsense]] [[say:two words]]`
	for _, provider := range []string{"openai", "anthropic"} {
		r := newRigOn(t, provider, modelserver.Options{}, "read_file", "write_file")
		whole := len(r.finished(script).Events)
		for _, policy := range []agent.PermissionPolicy{agent.PermissionAuto, agent.PermissionAsk} {
			r.reopen(policy)
			for n := range whole {
				ctx, cancel := context.WithCancel(t.Context())
				stopped := agenttest.CollectWhile(t, r.conn.Prompt(ctx, prompt(script)), func(soFar agenttest.Turn) bool {
					if len(soFar.Events) > n {
						cancel()
					}
					return true
				})
				cancel()
				transcript := append([]any{script}, reload(t, stepsOf(stopped.Events))...)
				if next := r.take(append(transcript, "[[say:taken]]")...); next.Text() != "taken" {
					t.Errorf("%s, %s: stopped at event %d, and then: %v", provider, policy, n, next.Err)
				}
			}
		}
	}
}

func randomTranscript(random *rand.Rand) (transcript []any) {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	id := func() string { return pick("a", "b", "c", "d", "") }
	roles := []agent.Role{agent.RoleUser, agent.RoleUser, agent.RoleAssistant, agent.RoleAssistant, agent.RoleTool, agent.RoleTool, agent.RoleSystem}
	for range random.IntN(12) {
		m := agent.Message{Role: roles[random.IntN(len(roles))]}
		for range random.IntN(5) {
			var part agent.Part
			switch kind := random.IntN(6); {
			case kind == 0:
				part = agent.ReasoningPart{Text: "hm"}
			case kind == 1 || m.Role == agent.RoleUser:
				part = agent.TextPart{Text: pick("hello", "", " \n", "[[error:500]]")}
			case m.Role == agent.RoleAssistant:
				part = agent.ToolCallPart{ID: id(), Name: pick("read_file", "", "a.b", strings.Repeat("é", 70)), Args: json.RawMessage(pick(`{}`, `{"a": 1}`, `[1]`, `"x"`, `null`, `{`, ``))}
			default:
				part = agent.ToolResultPart{ToolCallID: id(), Result: json.RawMessage(pick(`"text"`, `{"a":1}`, `null`, `""`, `{`)), IsError: random.IntN(2) == 0}
			}
			m.Parts = append(m.Parts, part)
		}
		transcript = append(transcript, m)
	}
	return transcript
}
