package uistream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

// TestRandomLogs holds what must be true of every log, also of one that no harness would write.
func TestRandomLogs(t *testing.T) {
	for seed := range uint64(100) {
		records := randomLog(rand.New(rand.NewPCG(seed, 1)))
		chunks := encode(records)
		if err := checkRules(chunks); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		checkLogIsEnough(t, records, chunks)
		checkMergedMessage(t, records, chunks)
		checkResume(t, chunks)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// checkLogIsEnough: what is encoded from the stored log is what was encoded live.
func checkLogIsEnough(t *testing.T, records []agent.Record, chunks []Chunk) {
	t.Helper()
	var events []agent.Event
	for _, rec := range records {
		events = append(events, rec.Event)
	}
	b, err := agent.EncodeLog(events)
	if err != nil {
		t.Fatal(err)
	}
	if events, err = agent.DecodeLog(b); err != nil {
		t.Fatal(err)
	}
	stored := make([]agent.Record, len(records))
	for i, rec := range records {
		stored[i] = agent.Record{Seq: rec.Seq, Turn: rec.Turn, At: time.UnixMilli(rec.At.UnixMilli()), Event: events[i]}
	}
	if live, later := stream(chunks, -1, false, V7), stream(encode(stored), -1, false, V7); !bytes.Equal(live, later) {
		t.Errorf("the log tells another turn\nlive  %s\nlater %s", live, later)
	}
	if live, later := Durable(records), Durable(stored); rowsText(t, live) != rowsText(t, later) {
		t.Errorf("the log leaves other rows\nlive  %s\nlater %s", rowsText(t, live), rowsText(t, later))
	}
}

// checkMergedMessage: merged chunks make the same message.
func checkMergedMessage(t *testing.T, records []agent.Record, chunks []Chunk) {
	t.Helper()
	var m message
	for len(chunks) > 0 {
		n := mergeable(chunks)
		merged := chunks[0]
		if first, ok := merged.(*deltaChunk); ok {
			sum := &deltaChunk{block: first.block}
			for _, c := range chunks[:n] {
				sum.text += c.(*deltaChunk).text
			}
			merged = sum
		}
		if err := m.apply(merged); err != nil {
			t.Fatal(err)
		}
		chunks = chunks[n:]
	}
	if got, want := m.appendJSON(nil), view(t, records); !bytes.Equal(got, want) {
		t.Errorf("merged   %s\nunmerged %s", got, want)
	}
}

// checkResume: §3 n is the index, and §3 Last-Event-ID: n continues at n+1, §3 splitting a merged delta if need be. A client that
// was cut after any chunk and resumes has what it would have had. One that has the end of a pause asks for what continues
// it, which is a response of its own.
func checkResume(t *testing.T, chunks []Chunk) {
	t.Helper()
	whole := frames(t, stream(chunks, -1, false, V7))
	for after := range chunks {
		var want []frame
		if _, pause := chunks[after].(pauseChunk); pause && after+1 < len(chunks) {
			want = frames(t, NewFramer(after, false, V7).Append(nil, chunks[:after+2]))
		}
		for _, f := range whole {
			if f.id > after {
				want = append(want, f)
			}
		}
		for _, merge := range []bool{false, true} {
			got := frames(t, stream(chunks, after, merge, V7))
			if !reflect.DeepEqual(flatten(got), flatten(want)) {
				t.Fatalf("merge=%v, after %d: %v\nwant %v", merge, after, got, want)
			}
		}
	}
}

// frame is one Server-Sent Event.
type frame struct {
	id   int
	data map[string]any
}

func frames(t *testing.T, sse []byte) []frame {
	t.Helper()
	var all []frame
	for text := range strings.SplitSeq(strings.TrimSuffix(string(sse), "data: [DONE]\n\n"), "\n\n") {
		if text == "" {
			continue
		}
		var f frame
		id, data, _ := strings.Cut(text, "\n")
		if _, err := fmt.Sscanf(id, "id: %d", &f.id); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &f.data); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		all = append(all, f)
	}
	return all
}

// flatten gives the data of frames with neighbouring deltas of one block joined.
func flatten(all []frame) []map[string]any {
	var out []map[string]any
	for _, f := range all {
		text, id := "delta", "id"
		if f.data["type"] == "tool-input-delta" {
			text, id = "inputTextDelta", "toolCallId"
		}
		if n := len(out); n > 0 && f.data[text] != nil && out[n-1]["type"] == f.data["type"] && out[n-1][id] == f.data[id] {
			joined := map[string]any{text: out[n-1][text].(string) + f.data[text].(string)}
			out[n-1] = map[string]any{"type": f.data["type"], id: f.data[id], text: joined[text]}
			continue
		}
		out = append(out, f.data)
	}
	return out
}

// randomLog is the log of a turn in which anything is said at any time.
func randomLog(r *rand.Rand) []agent.Record {
	at := int64(1_000)
	add := func(records []agent.Record, e agent.Event) []agent.Record {
		at += r.Int64N(80)
		return append(records, agent.Record{Seq: int64(len(records)), Turn: "turn_1", At: time.UnixMicro(at*1000 + r.Int64N(999)), Event: e})
	}
	records := add(nil, agent.TurnStarted{Turn: "turn_1", UserMessage: "u1", Message: "m1", Agent: "demo", Model: "small"})
	asked, paused := 0, false
	for range r.IntN(40) {
		e := randomEvent(r)
		switch r.IntN(12) {
		case 0:
			asked++
			kinds := []agent.InteractionKind{agent.UserApproval, agent.UserApproval, agent.UserInput, agent.ClientTool}
			e = agent.InteractionRequest{ID: agent.InteractionID(fmt.Sprint("ask_", asked)), Call: randomCall(r), Kind: kinds[r.IntN(4)], Payload: randomJSON(r, 0)}
		case 1:
			e = agent.InteractionResponse{ID: agent.InteractionID(fmt.Sprint("ask_", r.IntN(asked+1))), Call: randomCall(r), Approved: r.IntN(2) == 0, Note: randomText(r)}
		case 2:
			e, paused = agent.TurnPaused{Usage: randomUsage(r), Model: "large"}, !paused
			if !paused {
				e = agent.TurnResumed{}
			}
		}
		records = add(records, e)
	}
	switch r.IntN(4) {
	case 0: // still running
	case 1:
		records = add(records, agent.TurnCompleted{StopReason: agent.StopError, Failure: &agent.Failure{Code: agent.CodeProviderUnavailable, Message: randomText(r)}})
	default:
		reasons := []agent.StopReason{agent.StopEndTurn, agent.StopMaxTokens, agent.StopToolUse, agent.StopRefusal, agent.StopPaused, agent.StopCancelled}
		records = add(records, agent.TurnCompleted{StopReason: reasons[r.IntN(len(reasons))], Usage: randomUsage(r), Model: "large"})
	}
	return add(records, agent.MessageDelta{Text: "after the end"})
}

func randomEvent(r *rand.Rand) agent.Event {
	id := randomCall(r)
	name := []string{"", "read_file", "bash"}[r.IntN(3)]
	text := randomText(r)
	events := []agent.Event{
		agent.MessageStart{}, agent.MessageDelta{Text: text}, agent.MessageDelta{Text: text}, agent.MessageEnd{}, agent.MessageWhole{Text: text},
		agent.ThoughtStart{}, agent.ThoughtDelta{Text: text}, agent.ThoughtEnd{}, agent.ThoughtWhole{Text: text},
		agent.ToolCallDelta{ID: id, Name: name, Text: `{"a":`}, agent.ToolCallDelta{ID: id, Text: text},
		agent.ToolCall{ID: id, Name: name, Input: randomJSON(r, 0), Client: r.IntN(3) == 0}, agent.ToolCall{ID: id, Name: name, Render: randomJSON(r, 0)},
		agent.ToolProgress{ID: id, Output: text}, agent.ToolResult{ID: id, Output: text}, agent.ToolResult{ID: id, Data: randomJSON(r, 0)},
		agent.ToolResult{ID: id, Output: text, IsError: true}, agent.ToolResult{ID: id, Denied: true},
		agent.Data{Name: "note", Data: randomJSON(r, 0), Transient: r.IntN(2) == 0}, agent.File{URL: "media://" + text, MediaType: "image/png"},
		agent.Source{ID: id, URL: "https://example.com", Title: text}, agent.Source{Title: "A paper", MediaType: "application/pdf", Filename: text},
		agent.Plan{Items: []agent.PlanItem{{Text: text, Status: "pending"}}}, agent.UsageReport{Usage: randomUsage(r)}, agent.Status{Text: text},
		agent.Steered{Message: agent.MessageID("u" + id), Text: text},
	}
	return events[r.IntN(len(events))]
}

func randomCall(r *rand.Rand) string { return string(rune('a' + r.IntN(4))) }

func randomUsage(r *rand.Rand) agent.Usage {
	return agent.Usage{Input: r.Int64(), Output: r.Int64N(100), Total: 3, CacheRead: r.Int64N(2), CacheWrite: r.Int64N(2)}
}

func randomText(r *rand.Rand) string {
	pieces := []string{"", "a", "word ", "\"\\/", "<&>", "\u2028", "é", "😀", "\x00\x1f\x7f", "\xff\xf0\x9f", "__proto__", "\r\n\n", "data: x"}
	var b strings.Builder
	for range r.IntN(4) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}

func randomJSON(r *rand.Rand, depth int) json.RawMessage {
	leaves := []string{"null", "true", "-0", "1e400", "0.1", "12345678901234567890", `"é\u2028"`, `"\ud83d"`, `"<b>"`, "{}", "[]"}
	if depth > 3 || r.IntN(3) == 0 {
		return json.RawMessage(leaves[r.IntN(len(leaves))])
	}
	keys := []string{"a", "b", "10", "2", "é", "__proto__", "constructor", "prototype"}
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range r.IntN(5) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q: %s", keys[r.IntN(len(keys))], randomJSON(r, depth+1))
	}
	b.WriteByte('}')
	return b.Bytes()
}
