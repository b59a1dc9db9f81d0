//go:build linux

package runner

import (
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"testing"

	"parley/backend/agent"
)

const gateToken = "a token for tests"

// openGate gives the address of a gate whose runners play a role, and where the tools of the conformance suite's session
// work behind it. When the test ends nothing may be left.
func openGate(t testing.TB, role string) (url string, p agent.Policy) {
	l, p := newLocal(t, role)
	g := NewGate(GateOptions{Version: "test", Token: gateToken, Root: p.Scratch, Runners: l, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(g.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, shut := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- g.Serve(ctx, listener) }()
	t.Cleanup(func() {
		shut()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String(), agent.Policy{Scratch: filepath.Join(p.Scratch, "default", "sess_conformance")}
}

func newRemote(t testing.TB, url string) *Remote {
	r, err := NewRemote(RemoteOptions{URL: url, Token: gateToken, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
