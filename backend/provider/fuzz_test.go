package provider

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/backend/agent"
)

var chunkSeeds = []string{
	`{"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Gr\u00fc\u00dfe\n"},"finish_reason":null}],"usage":null}`,
	`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":"}},{"function":{"arguments":{"a":[1]}}}]},"finish_reason":"tool_calls"}]}`,
	`{"choices":[],"usage":{"prompt_tokens":12.0,"completion_tokens":1e2,"total_tokens":-4,"prompt_tokens_details":{"cached_tokens":7}}}`,
	`{"choices":[{"message":{"content":"x","reasoning":"r","reasoning_content":"","refusal":"no"}}],"object":"error"}`,
	` { "error" : { "message" : [ { } , [ ] , true ] } , "model" : 5 , "choices" : { "a" : "]" } } `,
	`{"choices":[{"delta":null},{"delta":{"content":"\ud83d\ude00 \ud83d"}}]}`,
	`[1]`, `null`, `"x"`, `{`, `{"a"}`, `{"a":1,}`, `]`, "{\"model\":\"\xff\"}",
}

// FuzzDecodeChunk holds our reader of JSON to encoding/json: whatever that takes, ours takes, and reads alike.
func FuzzDecodeChunk(f *testing.F) {
	for _, seed := range chunkSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := decodeChunk(data, "before")
		if !json.Valid(data) || hasRepeatedOrEscapedKeys(data) {
			return // what is no JSON is read as far as it makes sense
		}
		if want := decodeSlowly(data); !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%q\n gave %+v, %v\nwant  %+v", data, got, ok, want)
		}
	})
}

// hasRepeatedOrEscapedKeys tells of texts whose meaning the two readers settle differently, and no server writes.
func hasRepeatedOrEscapedKeys(data []byte) bool {
	c := cursor{text: data}
	return c.strangeKeys(0)
}

func (c *cursor) strangeKeys(depth int) (strange bool) {
	seen := map[string]bool{}
	switch {
	case depth > 100:
		return true
	case c.peek() == '{':
		for key := range c.fields {
			strange = strange || seen[string(key)] || bytes.ContainsRune(key, '\\') || !utf8.Valid(key)
			seen[string(key)] = true
			strange = c.strangeKeys(depth+1) || strange
		}
	case c.peek() == '[':
		for range c.elements {
			strange = c.strangeKeys(depth+1) || strange
		}
	default:
		c.skip()
	}
	return strange
}

// decodeSlowly is decodeChunk by way of encoding/json.
func decodeSlowly(data []byte) wireChunk {
	k := wireChunk{model: "before"}
	doc := object(data)
	if raw, ok := doc["model"]; ok {
		k.model = text(raw)
	}
	for _, raw := range list(doc["choices"]) {
		choice := object(raw)
		if raw, ok := choice["finish_reason"]; ok {
			k.finish = text(raw)
		}
		for _, name := range []string{"delta", "message"} {
			delta := object(choice[name])
			if raw, ok := delta["content"]; ok {
				k.text = text(raw)
			}
			if raw, ok := delta["refusal"]; ok {
				k.refusal = text(raw)
			}
			for _, name := range []string{"reasoning", "reasoning_content"} {
				if s := text(delta[name]); s != "" {
					k.reasoning = s
				}
			}
			if raw, ok := delta["tool_calls"]; ok {
				k.calls = nil
				for _, raw := range list(raw) {
					k.calls = append(k.calls, call(raw))
				}
			}
		}
	}
	if raw, ok := doc["usage"]; ok && object(raw) != nil {
		usage, details := object(raw), object(object(raw)["prompt_tokens_details"])
		k.usage = &agent.Usage{Input: number(usage["prompt_tokens"]), Output: number(usage["completion_tokens"]),
			Total: number(usage["total_tokens"]), CacheRead: number(details["cached_tokens"])}
	}
	raw, ok := doc["error"]
	k.failed = ok && string(raw) != "null" || text(doc["object"]) == "error"
	return k
}

func call(raw json.RawMessage) callDelta {
	c := object(raw)
	f := object(c["function"])
	d := callDelta{index: -1, id: text(c["id"]), name: text(f["name"]), args: text(f["arguments"])}
	if raw, ok := c["index"]; ok {
		d.index = number(raw)
	}
	if args := f["arguments"]; object(args) != nil {
		d.args = string(args)
	}
	return d
}

func object(raw json.RawMessage) (m map[string]json.RawMessage) {
	_ = json.Unmarshal(raw, &m)
	return m
}

func list(raw json.RawMessage) (l []json.RawMessage) {
	_ = json.Unmarshal(raw, &l)
	return l
}

func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

func number(raw json.RawMessage) int64 {
	var f float64
	if json.Unmarshal(raw, &f) != nil || f < 0 || f > 1<<53 {
		return 0
	}
	return int64(f)
}

// FuzzReply reads whatever a server may send. It always ends, once, and every call has an id of its own.
func FuzzReply(f *testing.F) {
	for _, seed := range chunkSeeds {
		f.Add([]byte("data: " + seed + "\n\n: comment\r\ndata:" + seed + "\n\ndata: [DONE]\n\n"))
	}
	f.Add([]byte("data: {\"choices\":[{\"finish_reason\":\ndata: \"stop\"}]}"))
	fuzzReply(f, agent.WireOpenAI)
}

// FuzzReplyOfAnthropic is FuzzReply for the other wire.
func FuzzReplyOfAnthropic(f *testing.F) {
	for _, seed := range anthropicSeeds {
		f.Add([]byte("event: x\ndata: " + seed + "\n\ndata:" + seed + "\n\ndata: {\"stop_reason\":\"tool_use\",\"type\":\"message_stop\"}\n\n"))
	}
	fuzzReply(f, agent.WireAnthropic)
}

func fuzzReply(f *testing.F, wire agent.Wire) {
	f.Fuzz(func(t *testing.T, body []byte) {
		x := newExchange(agent.Endpoint{Provider: "p", Wire: wire}, "")
		req := Request{Messages: []Message{{Calls: []Call{{ID: "taken"}}}}}
		ids, finished := map[string]bool{"taken": true}, false
		said, err := newAnswer(x, req).read(events(bytes.NewReader(body)), func(chunk Chunk) bool {
			if finished {
				t.Error("something after Finish")
			}
			switch k := chunk.(type) {
			case WholeCall:
				if ids[k.ID] {
					t.Errorf("the id %q twice", k.ID)
				}
				ids[k.ID] = true
			case Finish:
				finished = true
			case Text:
				if !utf8.ValidString(string(k)) {
					t.Errorf("%q is no text", k)
				}
			}
			return true
		})
		if said != finished || said != (err == nil) {
			t.Errorf("said %v, finished %v, %v", said, finished, err)
		}
	})
}

// FuzzEvents holds the reader of server-sent events to the plainest way to read them.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "data:a\r\ndata:  b\r\n\r\n: c\n\nevent: e\ndata\ndata:\n\n", "data: last", "\n\n\ndata: x\n", "\r"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var got, want []string
		for data, err := range events(bytes.NewReader(body)) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(data))
		}
		var data []string
		for _, line := range append(strings.Split(string(body), "\n"), "") {
			line = strings.TrimSuffix(line, "\r")
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(value, " "))
			}
			if line == "" && data != nil {
				want = append(want, strings.Join(data, "\n"))
				data = nil
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q gave %q, want %q", body, got, want)
		}
	})
}
