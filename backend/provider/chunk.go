package provider

import "parley/backend/agent"

// Chunk is the next piece of an answer. The sum is sealed: Text, Reasoning, CallPiece, WholeCall, Usage, Finish.
type Chunk interface{ chunk() }

// Text is said.
type Text string

// Reasoning is thought.
type Reasoning string

// CallPiece is the next piece of the JSON text of a call's arguments. ID and Name are those of the call.
type CallPiece struct{ ID, Name, Args string }

// WholeCall is a call with everything that its pieces said. The calls come in order, after the last piece of any.
// Args is as the model wrote it, and may be malformed. No other call of the conversation has its ID.
type WholeCall Call

// Usage is what the answer has used so far. Input holds all tokens of the request, CacheRead those of them that came
// from the provider's cache.
type Usage agent.Usage

// Finish ends an answer that came whole. Reason is StopToolUse exactly if there are calls to be answered.
type Finish struct {
	Reason agent.StopReason
	Model  string // what the server says it ran
}

func (Text) chunk()      {}
func (Reasoning) chunk() {}
func (CallPiece) chunk() {}
func (WholeCall) chunk() {}
func (Usage) chunk()     {}
func (Finish) chunk()    {}

// wireChunk is what one event of the stream says. Absent and null read as zero.
type wireChunk struct {
	model     string
	text      string
	reasoning string
	refusal   string
	calls     []callDelta
	finish    string
	usage     *agent.Usage
	failed    bool // there is an error instead of an answer
	last      bool // nothing follows
}

// callDelta is a piece of a call as it comes: index is -1 if the server does not say which call it is a piece of.
type callDelta struct {
	index          int64
	id, name, args string
}

const chunkObject = "chat.completion.chunk" // what nearly every event says it is

// decodeChunk reads one event. A whole answer, as a server gives that does not stream, reads as one big chunk. model is
// what the chunk before said; ok is false if data is no JSON.
func decodeChunk(data []byte, model string) (k wireChunk, ok bool) {
	c := cursor{text: data}
	k.model = model
	for key := range c.fields {
		switch string(key) {
		case "model":
			k.model = c.string(model)
		case "choices":
			for range c.elements {
				k.choice(&c)
			}
		case "usage":
			k.usage = readUsage(&c)
		case "error":
			k.failed = string(c.raw()) != "null" || k.failed
		case "object":
			k.failed = c.string(chunkObject) == "error" || k.failed
		default:
			c.skip()
		}
	}
	return k, c.end()
}

func (k *wireChunk) choice(c *cursor) {
	for key := range c.fields {
		switch string(key) {
		case "delta", "message":
			k.delta(c)
		case "finish_reason":
			k.finish = c.string("")
		default:
			c.skip()
		}
	}
}

func (k *wireChunk) delta(c *cursor) {
	for key := range c.fields {
		switch string(key) {
		case "content":
			k.text = c.string("")
		case "reasoning_content", "reasoning": // DeepSeek, llama.cpp, vLLM; Ollama, OpenRouter. Some send both, alike.
			if s := c.string(k.reasoning); s != "" {
				k.reasoning = s
			}
		case "refusal":
			k.refusal = c.string("")
		case "tool_calls":
			k.calls = nil
			for range c.elements {
				k.calls = append(k.calls, readCall(c))
				c.bad = c.bad || len(k.calls) > maxCalls
			}
		default:
			c.skip()
		}
	}
}

func readCall(c *cursor) callDelta {
	d := callDelta{index: -1}
	for key := range c.fields {
		switch string(key) {
		case "index":
			d.index = c.count()
		case "id":
			d.id = c.string("")
		case "function":
			for key := range c.fields {
				switch string(key) {
				case "name":
					d.name = c.string("")
				case "arguments":
					if c.peek() == '{' { // not text but the object itself, as some gateways send it
						d.args = string(c.raw())
					} else {
						d.args = c.string("")
					}
				default:
					c.skip()
				}
			}
		default:
			c.skip()
		}
	}
	return d
}

func readUsage(c *cursor) *agent.Usage {
	if c.peek() != '{' {
		c.skip()
		return nil
	}
	var u agent.Usage
	for key := range c.fields {
		switch string(key) {
		case "prompt_tokens":
			u.Input = c.count()
		case "completion_tokens":
			u.Output = c.count()
		case "total_tokens":
			u.Total = c.count()
		case "prompt_tokens_details":
			for key := range c.fields {
				if string(key) == "cached_tokens" {
					u.CacheRead = c.count()
				} else {
					c.skip()
				}
			}
		default:
			c.skip()
		}
	}
	return &u
}
