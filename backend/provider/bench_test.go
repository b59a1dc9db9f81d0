package provider

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"parley/backend/agent"
)

// BenchmarkStream reads a recorded answer of 200,000 deltas over loopback TCP: all that a client does, and nothing of a
// server but its writing.
func BenchmarkStream(b *testing.B) {
	const deltas = 200_000
	var recording strings.Builder
	recording.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
	for i := range deltas {
		fmt.Fprintf(&recording, `data: {"id":"chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG","object":"chat.completion.chunk","created":1741570283,"model":"gpt-4o-2024-08-06","system_fingerprint":"fp_fc9f1d7035","choices":[{"index":0,"delta":{"content":"w%08d xxxxxxxxx "},"logprobs":null,"finish_reason":null}],"usage":null}`+"\n\n", i)
	}
	recording.WriteString(`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n")
	endpoint := playback(b, recording.String())
	client := NewClient()
	defer client.Close()
	b.ReportAllocs()
	for b.Loop() {
		size := 0
		for chunk, err := range client.Stream(b.Context(), endpoint, "", Request{Model: "m"}) {
			if err != nil {
				b.Fatal(err)
			}
			if said, ok := chunk.(Text); ok {
				size += len(said)
			}
		}
		if size != deltas*20 {
			b.Fatalf("%d bytes", size)
		}
	}
	b.ReportMetric(float64(deltas*b.N)/b.Elapsed().Seconds(), "deltas/s")
}

// playback answers every request with recording, byte for byte.
func playback(b *testing.B, recording string) agent.Endpoint {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 64<<10)
			_, _ = conn.Read(buf)
			_, _ = conn.Write([]byte(recording))
			conn.Close()
		}
	}()
	return agent.Endpoint{Provider: "openai", BaseURL: "http://" + listener.Addr().String()}
}
