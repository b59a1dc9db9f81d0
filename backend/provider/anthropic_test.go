package provider

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/modelserver"
)

var anthropicSeeds = []string{
	`{"type":"message_start","message":{"id":"m","model":"claude","content":[],"stop_reason":null,"usage":{"input_tokens":3,"cache_read_input_tokens":2.0,"output_tokens":1}}}`,
	`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"f","input":{"a":[1]}}}`,
	`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"\ud83d\ude00 \ud83d"}}`,
	`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":-4,"input_tokens":null}}`,
	`{"type":"message_stop"}`, `{"type":"error","error":{"type":"overloaded_error"}}`,
	`{"model":7,"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"tool_use","input":{}},5],"stop_reason":"x","error":null}`,
	` { "delta" : [ ] , "usage" : "]" , "message" : { "message" : { "index" : 4 } } } `,
	`[1]`, `null`, `{`, `{"a":1,}`,
}

// FuzzDecodeAnthropic holds the reader of Anthropic's events to encoding/json: whatever that takes, ours takes, and reads
// alike, one event after another.
func FuzzDecodeAnthropic(f *testing.F) {
	for _, seed := range anthropicSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || hasRepeatedOrEscapedKeys(data) {
			return
		}
		var fast anthropicAnswer
		var slow slowAnthropic
		for range 2 { // usage adds up
			got, ok := fast.decode(data, "before")
			want := wireChunk{model: "before"}
			slow.fields(data, &want)
			if !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%q\n gave %+v, %v\nwant  %+v", data, got, ok, want)
			}
		}
	})
}

// slowAnthropic is anthropicAnswer by way of encoding/json.
type slowAnthropic struct{ fresh, write, read, output int64 }

func (a *slowAnthropic) fields(data []byte, k *wireChunk) {
	index := int64(-1)
	for _, m := range members(data) {
		switch m.key {
		case "type":
			k.failed = k.failed || text(m.raw) == "error"
			k.last = k.last || text(m.raw) == "message_stop"
		case "error":
			k.failed = k.failed || string(m.raw) != "null"
		case "message":
			a.fields(m.raw, k)
		case "model":
			k.model = text(m.raw)
		case "index":
			index = number(m.raw)
		case "content_block", "delta":
			slowBlock(m.raw, -1, k)
		case "content":
			for i, raw := range list(m.raw) {
				slowBlock(raw, int64(i), k)
			}
		case "stop_reason":
			k.finish = text(m.raw)
		case "usage":
			if u := object(m.raw); u != nil {
				a.fresh, a.output = max(a.fresh, number(u["input_tokens"])), max(a.output, number(u["output_tokens"]))
				a.write, a.read = max(a.write, number(u["cache_creation_input_tokens"])), max(a.read, number(u["cache_read_input_tokens"]))
				input := a.fresh + a.write + a.read
				k.usage = &agent.Usage{Input: input, Output: a.output, Total: input + a.output, CacheRead: a.read, CacheWrite: a.write}
			}
		}
	}
	for i := range k.calls {
		if k.calls[i].index < 0 {
			k.calls[i].index = index
		}
	}
}

func slowBlock(raw json.RawMessage, index int64, k *wireChunk) {
	block, kind := callDelta{index: index}, ""
	for _, m := range members(raw) {
		switch m.key {
		case "type":
			kind = text(m.raw)
		case "text":
			k.text += text(m.raw)
		case "thinking":
			k.reasoning += text(m.raw)
		case "id":
			block.id = text(m.raw)
		case "name":
			block.name = text(m.raw)
		case "partial_json":
			block.args = text(m.raw)
		case "input":
			if string(m.raw) != "{}" {
				block.args = string(m.raw)
			}
		case "stop_reason":
			k.finish = text(m.raw)
		}
	}
	if kind == "tool_use" || kind == "input_json_delta" {
		k.calls = append(k.calls, block)
	}
}

type member struct {
	key string
	raw json.RawMessage
}

// members gives those of an object, in order.
func members(data []byte) (all []member) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, _ := d.Token()
		var raw json.RawMessage
		_ = d.Decode(&raw)
		all = append(all, member{key.(string), raw})
	}
	return all
}

// TestWhatAnthropicIsSent holds the form of a request, and that the second begins with the bytes of the first but for the
// breakpoints, of which the second has one where the first had its last.
func TestWhatAnthropicIsSent(t *testing.T) {
	call := func(id string) Message {
		return Message{Role: agent.RoleAssistant, Calls: []Call{{id, "f", `{"a":"<b>"}`}}}
	}
	req := Request{Model: "claude-sonnet-4-5", Tools: []Tool{{"f", "Does f.", json.RawMessage(`{"type":"object"}`)}}, Messages: []Message{
		{Role: agent.RoleSystem, Text: "Be brief."}, {Role: agent.RoleUser, Text: "one"},
		{Role: agent.RoleAssistant, Text: "I look.", Calls: []Call{{"a.b", "f", `{}`}, {"a_b", "f", `{}`}}},
		{Role: agent.RoleTool, CallID: "a.b", Text: "x"}, {Role: agent.RoleTool, CallID: "a_b"},
	}}
	encode := func() string {
		b, err := req.encodeAnthropic()
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	const here = `,"cache_control":{"type":"ephemeral"}`
	first := encode()
	want := `{"model":"claude-sonnet-4-5","max_tokens":32000,"stream":true,"tools":[{"name":"f","description":"Does f.","input_schema":{"type":"object"}}],` +
		`"system":[{"type":"text","text":"Be brief."` + here + `}],"messages":[{"role":"user","content":[{"type":"text","text":"one"` + here + `}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"a_b","name":"f","input":{}},{"type":"tool_use","id":"a_b_","name":"f","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a_b","content":"x"},{"type":"tool_result","tool_use_id":"a_b_"` + here + `}]}]}` + "\n"
	if first != want {
		t.Errorf("got %s\nwant %s", first, want)
	}
	req.Messages = append(req.Messages, call("a.b"), Message{Role: agent.RoleTool, CallID: "a.b", Text: "y"})
	second := encode()
	if !strings.HasPrefix(strings.ReplaceAll(second, here, ""), strings.TrimSuffix(strings.ReplaceAll(first, here, ""), "]}\n")) {
		t.Errorf("%s\ndoes not begin with\n%s", second, first)
	}
	if !strings.Contains(second, `"tool_use_id":"a_b_"`+here) || strings.Count(second, here) != 3 || !strings.Contains(second, `"tool_use_id":"a_b__","content":"y"`+here) {
		t.Errorf("the breakpoints of the second are elsewhere: %s", second)
	}
	if maxTokens("claude-3-haiku-20240307") >= maxTokens(req.Model) {
		t.Error("an old model is asked for more than it can say")
	}
}

func TestTheKeyOfAnthropicTravelsInOneHeaderOnly(t *testing.T) {
	model := modelserver.New(modelserver.Options{Key: testKey})
	endpoint := serve(t, model)
	endpoint.Provider, endpoint.Wire = "anthropic", agent.WireAnthropic
	client := NewClient()
	defer client.Close()
	if text, err := gather(t.Context(), client, endpoint, testKey, ask("[[say:hello you]]")); text != "hello you" || err != nil {
		t.Fatalf("got %q, %v", text, err)
	}
	got := model.Requests()[0]
	if got.Header.Get("x-api-key") != testKey || got.Header.Get("Authorization") != "" || got.Header.Get("anthropic-version") == "" || bytes.Contains(got.Body, []byte(testKey)) {
		t.Errorf("%s %v %s", got.Path, got.Header, got.Body)
	}
	_, err := gather(t.Context(), client, endpoint, "", ask("hi"))
	if e := agent.AsError(err); e.Code != agent.CodeProviderAuth || !strings.Contains(e.Message, "PARLEY_ANTHROPIC_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
	if models, err := client.Models(t.Context(), endpoint, testKey); err != nil || len(models) != 1 {
		t.Errorf("it serves %v, %v", models, err)
	}
}
