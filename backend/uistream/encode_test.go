package uistream

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/backend/agent"
)

var started = agent.Record{At: time.UnixMilli(1000), Event: agent.TurnStarted{Message: "m1"}}

func TestDroppedIsCounted(t *testing.T) {
	f := readFixture(t, "testdata/turns/tool_unannounced.txt")
	e := NewEncoder(fixtureSession)
	for _, rec := range f.records(t) {
		e.Encode(nil, rec)
	}
	if e.Dropped() != 6 || !e.Ended() || e.Err() != nil {
		t.Errorf("dropped %d of 6, ended=%v, %v", e.Dropped(), e.Ended(), e.Err())
	}
}

func TestALogThatIsNoTurnHasNoView(t *testing.T) {
	if _, err := View(fixtureSession, []agent.Record{{Event: agent.MessageDelta{Text: "x"}}}); err == nil {
		t.Error("a log without a start was shown")
	}
	records := []agent.Record{started, {Event: agent.Finish{}}}
	if _, err := View(fixtureSession, records); err == nil {
		t.Error("a log with an event that is never logged was shown")
	}
	e := NewEncoder(fixtureSession)
	for _, rec := range records {
		e.Encode(nil, rec)
	}
	if e.Err() == nil || e.Ended() {
		t.Errorf("got %v, ended=%v", e.Err(), e.Ended())
	}
}

// §4 `finishReason` ∈ stop, length, content-filter, tool-calls, error, other; §4 the raw value in the metadata.
func TestFinishReasons(t *testing.T) {
	for reason, want := range map[agent.StopReason]string{
		// §4 end_turn and stop_sequence → stop
		agent.StopEndTurn: "stop", agent.StopSequence: "stop",
		// §4 max_tokens → length
		agent.StopMaxTokens: "length",
		// §4 tool_use and paused for an approval → tool-calls
		agent.StopToolUse: "tool-calls", agent.StopPaused: "tool-calls",
		// §4 refusal → content-filter
		agent.StopRefusal: "content-filter", agent.StopContentFilter: "content-filter",
		// §4 error → error
		agent.StopError: "error",
		// §4 the rest → other
		"hologram": "other",
	} {
		records := []agent.Record{started, {Event: agent.MessageDelta{Text: "x"}}, {Event: agent.TurnCompleted{StopReason: reason}}}
		sse := string(stream(encode(records), -1, false, Common))
		if !strings.Contains(sse, `{"type":"finish","finishReason":"`+want+`"`) || !strings.Contains(sse, `"stopReason":"`+string(reason)+`"`) {
			t.Errorf("%s is not %s: %s", reason, want, sse)
		}
	}
}

// §6 A paused turn parks: the continuation answers with a new response that starts with the same `messageId`. §4 a resumed
// (paused) turn echoes the trailing assistant message's id.
func TestAContinuationBeginsAfterThePause(t *testing.T) {
	f := readFixture(t, "testdata/turns/ask_allowed.txt")
	records := f.records(t)
	e := NewEncoder(fixtureSession)
	var before int // the records until the pause
	for before = 0; !e.Paused(); before++ {
		e.Encode(nil, records[before])
	}
	after := ChunkCount(records[:before]) - 1
	if _, pause := encode(records)[after].(pauseChunk); !pause {
		t.Fatalf("%d is not the index of the pause", after)
	}
	got := string(stream(encode(records), after, false, V7))
	begins := fmt.Sprintf("id: %d\ndata: {\"type\":\"start\",\"messageId\":\"m1\"", after+1)
	if !strings.HasPrefix(got, begins) || strings.Count(got, `"type":"start",`) != 1 || strings.Count(got, `"type":"finish",`) != 1 {
		t.Errorf("got %s", got)
	}
	s := NewSocket("r1")
	s.Start(after)
	for frame := range s.Chunks(encode(records)) {
		if want := `{"type":"chunk","requestId":"r1","sequence":0,"chunk":{"type":"start","messageId":"m1"`; !strings.HasPrefix(string(frame), want) {
			t.Errorf("the socket begins with %s", frame)
		}
		break
	}
}

func TestDialects(t *testing.T) {
	for header, want := range map[string]Dialect{
		"": Common, "6": Common, "6.0.326": Common, "v7": Common, "-7": Common, "7": V7, " 7.0.173": V7, "10": V7,
	} {
		if got := DialectOf(header); got != want {
			t.Errorf("%q is %v", header, got)
		}
	}
}

func TestSocketAnswers(t *testing.T) {
	s := NewSocket("r\"1")
	for _, c := range []struct {
		got  []byte
		want string
	}{
		{s.NoActive(), `{"type":"no-active","requestId":"r\"1"}`},
		{s.Error("No."), `{"type":"error","requestId":"r\"1","errorText":"No."}`},
	} {
		if string(bytes.Clone(c.got)) != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

// longLog is a turn that says n deltas of 20 bytes.
func longLog(n int) []agent.Record {
	records := make([]agent.Record, 0, n+1)
	records = append(records, started)
	for i := range n {
		records = append(records, agent.Record{At: started.At, Event: agent.MessageDelta{Text: fmt.Sprintf("token %13d ", i)}})
	}
	return records
}

func TestDeltasHardlyAllocate(t *testing.T) {
	records := longLog(1000)
	var chunks []Chunk
	buf := make([]byte, 0, 1<<20)
	perRun := testing.AllocsPerRun(10, func() {
		e, f := NewEncoder(fixtureSession), NewFramer(-1, false, V7)
		buf = buf[:0]
		for _, rec := range records {
			chunks = e.Encode(chunks[:0], rec)
			buf = f.Append(buf, chunks)
		}
	})
	const fixed = 30 // an encoder, its start, the growth of what was said
	if perRun > fixed+1000/100 {
		t.Errorf("%v allocations for 1000 deltas", perRun)
	}
}

func BenchmarkStream(b *testing.B) {
	records := longLog(200_000)
	for _, merge := range []bool{false, true} {
		b.Run(fmt.Sprintf("merge=%v", merge), func(b *testing.B) {
			b.ReportAllocs()
			var chunks []Chunk
			var buf []byte
			for b.Loop() {
				e, f := NewEncoder(fixtureSession), NewFramer(-1, merge, V7)
				for batch := records; len(batch) > 0; {
					n := min(64, len(batch))
					chunks = chunks[:0]
					for _, rec := range batch[:n] {
						chunks = e.Encode(chunks, rec)
					}
					buf = f.Append(buf[:0], chunks)
					batch = batch[n:]
				}
			}
			b.ReportMetric(float64(b.N)*float64(len(records))/b.Elapsed().Seconds(), "deltas/s")
		})
	}
}

func BenchmarkView(b *testing.B) {
	records := longLog(200_000)
	for b.Loop() {
		if _, err := View(fixtureSession, records); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDurable(b *testing.B) {
	records := longLog(200_000)
	for b.Loop() {
		Durable(records)
	}
}

func BenchmarkToolOutput(b *testing.B) {
	raw := []byte(`[` + strings.Repeat(`{"path":"backend/uistream/value.go","line":120,"text":"for i := range \"n\""},`, 60_000) + `0]`)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		jsonValue(raw)
	}
}
