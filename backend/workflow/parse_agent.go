package workflow

import (
	"net/url"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

var providers = []string{"anthropic", "openai", "gemini", "deepseek"}

func readAgent(v value) (a Agent) {
	if v.peek("$ref") != nil {
		v.object(must("$ref", maybe(&a.Ref, value.word)))
		return a
	}
	v.object(
		must("id", maybe(&a.ID, value.kebab)),
		may("name", maybe(&a.Name, value.text)),
		may("description", maybe(&a.Description, value.text)),
		must("model", maybe(&a.Model, value.word)),
		must("provider", maybe(&a.Provider, oneOf(providers...))),
		must("system_prompt", maybe(&a.SystemPrompt, value.word)),
		may("temperature", maybe(&a.Temperature, value.temperature)),
		may("max_tokens", maybe(&a.MaxTokens, value.positive)),
		may("reasoning_effort", maybe(&a.ReasoningEffort, oneOf("off", "low", "medium", "high", "max"))),
		may("input_schema", into(&a.InputSchema, value.mapping)),
		may("output_schema", into(&a.OutputSchema, value.mapping)),
		may("tools", into(&a.Tools, list(value.word))),
		may("mcp_servers", into(&a.MCPServers, readServers)),
		may("memory", maybe(&a.Memory, readMemory)),
		may("retry", maybe(&a.Retry, readRetry)),
		may("fallback_chain", into(&a.FallbackChain, list(readFallback))),
	)
	return a
}

func readServers(v value) []MCPServer {
	var seen []string
	return list(func(v value) MCPServer {
		s := readServer(v)
		for _, name := range []*string{s.Ref, s.ID} {
			if name != nil && slices.Contains(seen, *name) {
				v.fail("This server is there twice. Remove one.")
			}
			if name != nil {
				seen = append(seen, *name)
			}
		}
		return s
	})(v)
}

// readServer reads a server by its name, or written out: then what there is to it depends on how it is reached.
func readServer(v value) (s MCPServer) {
	tools := may("tools_allowlist", into(&s.ToolsAllowlist, list(value.word)))
	if v.peek("ref") != nil {
		v.object(must("ref", maybe(&s.Ref, value.word)), tools)
		return s
	}
	schemes, command := []string{"http", "https"}, value.text
	how := v.peek("transport")
	if how != nil && how.Value == "websocket" {
		schemes = []string{"ws", "wss"}
	}
	program := how != nil && how.Value == "stdio"
	if program {
		command = value.word
	}
	fields := []field{
		must("id", maybe(&s.ID, value.kebab)),
		must("transport", maybe(&s.Transport, oneOf("stdio", "http", "websocket", "sse"))),
		{"command", program, maybe(&s.Command, command)},
		may("args", into(&s.Args, list(value.text))),
		tools,
	}
	if program {
		fields = append(fields, may("env", into(&s.Env, value.texts)))
	} else {
		fields = append(fields,
			must("url", maybe(&s.URL, func(v value) string { return v.url(schemes...) })),
			may("allow_local_endpoint", maybe(&s.AllowLocalEndpoint, value.boolean)))
	}
	v.object(fields...)
	return s
}

// texts reads a mapping from any keys to texts.
func (v value) texts() map[string]string {
	all := map[string]string{}
	if v.node.Kind != yaml.MappingNode {
		v.object()
		return all
	}
	for i := 0; i < len(v.node.Content); i += 2 {
		name := v.node.Content[i].Value
		all[name] = value{v.node.Content[i+1], v.below(name), v.in}.text()
	}
	return all
}

// url reads an address. One with a user name or password would put a secret into the file.
func (v value) url(schemes ...string) string {
	text := v.word()
	u, err := url.Parse(text)
	switch {
	case text == "": // said already
	case err != nil || u.Host == "":
		v.fail("This must be a URL.")
	case u.User != nil:
		v.fail("A URL may not have a user name or password in it. Remove them.")
	case !slices.Contains(schemes, u.Scheme):
		v.fail("With this transport the URL must begin with one of: %s.", strings.Join(schemes, ", "))
	}
	return text
}

func readMemory(v value) (m Memory) {
	kind := v.peek("type")
	fields := []field{must("type", into(&m.Type, oneOf("none", "window", "summary")))}
	if kind != nil && kind.Value == "window" {
		fields = append(fields, must("window_size", maybe(&m.WindowSize, value.positive)))
	}
	v.object(fields...)
	return m
}

func readRetry(v value) (r Retry) {
	v.object(
		must("max", into(&r.Max, value.positive)),
		must("backoff", into(&r.Backoff, oneOf("linear", "exponential"))),
		may("backoff_ms", maybe(&r.BackoffMS, value.positive)),
		may("retry_on", into(&r.RetryOn, some(oneOf("provider_rate_limit", "provider_unavailable", "tool_failed", "sandbox_error")))),
	)
	return r
}

func readFallback(v value) (f Fallback) {
	v.object(
		must("model", into(&f.Model, value.word)),
		must("provider", into(&f.Provider, oneOf(providers...))),
		must("max_attempts", into(&f.MaxAttempts, value.positive)),
	)
	return f
}
