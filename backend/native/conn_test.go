package native

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/backend/agent"
	"parley/backend/agent/agenttest"
	"parley/backend/modelserver"
)

func TestConformance(t *testing.T) {
	for name, options := range map[string]modelserver.Options{"openai": {}, "ollama": {Ollama: true}, "anthropic": {}} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(modelserver.New(options))
			defer server.Close()
			agenttest.Run(t, agenttest.Suite{
				New: func(*testing.T) agent.Backend { return NewBackend() },
				Launch: agent.Launch{
					Backend: agent.BackendInprocess, Harness: agent.KindNative, Model: "scripted-1",
					Tools:    []string{"list_directory", "read_file", "write_file"},
					Endpoint: endpoint(name, server.URL), PermissionPolicy: agent.PermissionAuto,
				},
			})
		})
	}
}

// endpoint is where a provider's models are served, on its own wire.
func endpoint(provider, address string) *agent.Endpoint {
	e := &agent.Endpoint{Provider: provider, BaseURL: address + "/v1"}
	if provider == "anthropic" {
		e.Wire = agent.WireAnthropic
	}
	return e
}

func TestStoppingKeepsWhatWasSaidAndUsed(t *testing.T) {
	r := newRig(t, modelserver.Options{}, "read_file")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	script := `[[usage:10,5]] [[tool:read_file {"path":"note.txt"}]] [[deltas:2]] [[hang]]`
	turn := agenttest.CollectWhile(t, r.conn.Prompt(ctx, prompt(script)), func(soFar agenttest.Turn) bool {
		if len(soFar.Text()) == 40 {
			cancel()
		}
		return true
	})
	want := agent.Finish{StopReason: agent.StopCancelled, Usage: agent.Usage{Input: 10, Output: 5, Total: 15}, Model: "scripted-1"}
	if turn.Err != nil || *turn.Finish != want {
		t.Errorf("ended with %+v, %v", turn.Finish, turn.Err)
	}
}

func TestTheKeyIsThePrompts(t *testing.T) {
	r := newRig(t, modelserver.Options{Key: "sk-other"})
	r.failed(agent.CodeProviderAuth, "hi")
	if auth := r.model.Requests()[0].Header.Get("Authorization"); auth != "Bearer sk-test" {
		t.Errorf("the model was shown %q", auth)
	}
}

func TestWhatCannotBeAsked(t *testing.T) {
	r := newRig(t, modelserver.Options{})
	r.failed(agent.CodeValidation)
	r.failed(agent.CodeValidation, " \n")
	r.failed(agent.CodeValidation, "hi", agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{agent.TextPart{Text: "ho"}}})
	if n := len(r.model.Requests()); n != 0 {
		t.Errorf("%d requests reached the model", n)
	}
	for name, change := range map[string]func(*agent.Launch){
		"no endpoint":  func(l *agent.Launch) { l.Endpoint = nil },
		"no model":     func(l *agent.Launch) { l.Model = "" },
		"unknown tool": func(l *agent.Launch) { l.Tools = []string{"teleport"} },
	} {
		launch := r.launch
		change(&launch)
		if _, err := r.conn.sandbox.Open(t.Context(), launch); err == nil || agent.AsError(err).Code == agent.CodeInternal {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// BenchmarkDeltas takes turns of 200,000 deltas whose stream was recorded, over loopback TCP.
func BenchmarkDeltas(b *testing.B) {
	const deltas = 200_000
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	go playback(listener, deltas)
	sandbox, err := NewBackend().NewSandbox(b.Context(), agent.Policy{Scratch: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer sandbox.Close()
	conn, err := sandbox.Open(b.Context(), agent.Launch{Model: "m", Endpoint: &agent.Endpoint{Provider: "openai", BaseURL: "http://" + listener.Addr().String()}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		size := 0
		for event, err := range conn.Prompt(b.Context(), prompt("hi")) {
			if err != nil {
				b.Fatal(err)
			}
			if d, ok := event.(agent.MessageDelta); ok {
				size += len(d.Text)
			}
		}
		if size != 20*deltas {
			b.Fatalf("%d bytes", size)
		}
	}
	b.ReportMetric(float64(deltas*b.N)/b.Elapsed().Seconds(), "deltas/s")
}

// playback answers every request on a connection of its own with the same bytes.
func playback(listener net.Listener, deltas int) {
	var recording strings.Builder
	recording.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
	for i := range deltas {
		fmt.Fprintf(&recording, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1741570283,"model":"m","system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":"w%08d xxxxxxxxx "},"finish_reason":null}]}`+"\n\n", i)
	}
	recording.WriteString(`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	request := make([]byte, 64<<10)
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Read(request)
		_, _ = conn.Write([]byte(recording.String()))
		conn.Close()
	}
}
