package policy

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/backend/agent"
)

// rows reads a fixture: lines that are empty or begin with # are for its reader.
func rows(t *testing.T, name string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// What is spelled as an address is refused as soon as it is read, and what resolves to one as soon as it is resolved.
func TestTheTableOfURLs(t *testing.T) {
	n := Network{Loopback: []string{"127.0.0.1:11434", "localhost:8080", "[::1]:9000"}}
	table := rows(t, "urls.txt")
	if len(table) < 200 {
		t.Errorf("the table has %d rows", len(table))
	}
	for _, row := range table {
		verdict, spelled, _ := strings.Cut(row, " ")
		raw, err := strconv.Unquote(`"` + spelled + `"`)
		if err != nil {
			t.Fatalf("%s: %v", row, err)
		}
		target, err := n.Check(raw)
		if (err == nil) != (verdict == "ok") {
			t.Errorf("%s: %+v, %v", row, target, err)
		}
		if err != nil && (agent.AsError(err).Code != agent.CodeToolDenied || strings.Contains(agent.AsError(err).Message, "word")) {
			t.Errorf("%s: %v", row, err)
		}
	}
	target, err := n.Check("https://EXAMPLE.org.:8443/a")
	if err != nil || target.Host != "example.org" || target.Port != 8443 {
		t.Errorf("%+v, %v", target, err)
	}
}

// Every address in the table is judged alike if a name leads to it.
func TestANameIsJudgedByEveryAddress(t *testing.T) {
	public := netip.MustParseAddr("93.184.215.14")
	judged := 0
	for _, row := range rows(t, "urls.txt") {
		verdict, raw, _ := strings.Cut(row, " ")
		host, isHTTPS := strings.CutPrefix(raw, "https://")
		address, err := netip.ParseAddr(strings.Trim(strings.TrimSuffix(host, "/"), "[]"))
		if !isHTTPS || err != nil || host[0] == '[' && address.Is4() {
			continue
		}
		judged++
		for _, answer := range [][]netip.Addr{{address}, {public, address}, {address, public}} {
			n := Network{Resolve: func(context.Context, string) ([]netip.Addr, error) { return answer, nil }}
			got, err := n.Addresses(t.Context(), "example.org", 443)
			if (err == nil) != (verdict == "ok") || err == nil && len(got) != len(answer) {
				t.Errorf("%s among %v: %v, %v", address, answer, got, err)
			}
		}
	}
	if judged < 80 {
		t.Errorf("only %d rows have an address", judged)
	}
}

// A resolver that gives another answer when it is asked again: what is connected to is what was checked.
func TestANameThatLeadsElsewhereAMomentLater(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	asked := 0
	answers := []string{"192.0.2.1", "127.0.0.1"}
	n := Network{Resolve: func(context.Context, string) ([]netip.Addr, error) {
		asked++
		return []netip.Addr{netip.MustParseAddr(answers[(asked-1)%2])}, nil
	}}
	number, _ := strconv.Atoi(port)
	got, err := n.Addresses(t.Context(), "rebinding.example", uint16(number))
	if want := netip.MustParseAddrPort("192.0.2.1:" + port); err != nil || !slices.Equal(got, []netip.AddrPort{want}) || asked != 1 {
		t.Errorf("%v, %v after %d questions", got, err, asked)
	}
	// The second answer is this machine: now it is refused, before anything is connected to.
	if c, err := n.Dial(t.Context(), "tcp", "rebinding.example:"+port); agent.AsError(err).Code != agent.CodeToolDenied || asked != 2 {
		t.Errorf("%v, %v after %d questions", c, err, asked)
	}
}

func TestWhatIsConfiguredOnThisMachineIsReached(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	n := Network{Loopback: []string{"localhost:" + port}, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("::ffff:127.0.0.1")}, nil
	}}
	c, err := n.Dial(t.Context(), "tcp", "localhost:"+port)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	n.Resolve = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such host") }
	if _, err := n.Dial(t.Context(), "tcp", "gone.example:443"); agent.AsError(err).Code != agent.CodeToolFailed {
		t.Errorf("a host that is not found: %v", err)
	}
	n.Resolve = func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1")}, nil
	}
	if _, err := n.Dial(t.Context(), "tcp", "localhost:"+port); agent.AsError(err).Code != agent.CodeToolDenied {
		t.Errorf("a configured name that leads to another machine: %v", err)
	}
}

// §4 Exact host names in allowed_domains, otherwise an approval.
func TestDomainsAreExact(t *testing.T) {
	g := agent.Grounds{Policy: agent.PermissionAsk, Rules: agent.Rules{Domains: []string{"Example.org", "api.example.com.", "127.0.0.1"}}}
	for address, want := range map[string]agent.Permission{
		"https://example.org": agent.Allow, "https://EXAMPLE.org:8443/a?b": agent.Allow, "https://api.example.com/": agent.Allow,
		"https://www.example.org/": agent.Ask, "https://example.com/": agent.Ask, "https://example.org.evil.example/": agent.Ask, "https://xexample.org/": agent.Ask,
		"http://example.org/": agent.Ask, "https://a@example.org/": agent.Ask, "https://127.0.0.1/": agent.Ask, "example.org": agent.Ask, "": agent.Ask,
	} {
		input, _ := json.Marshal(map[string]string{"method": "GET", "url": address})
		if got := Decide(call("http_request", agent.ActionEgress, string(input)), g); got != want {
			t.Errorf("%q: %s", address, got)
		}
	}
}

func TestHeadersThatAreNotTheModels(t *testing.T) {
	got := Headers(map[string]string{
		"accept": "text/html", "X-Token": "a\r\nHost: evil\x00", "HOST": "evil", "content-length": "1", "Connection": "close", "proxy-authorization": "x",
		"X-Forwarded-For": "1.2.3.4", "forwarded": "for=x", "Ho\nst": "evil", "transfer-encoding": "chunked",
	})
	if want := (http.Header{"Accept": {"text/html"}, "X-Token": {"aHost: evil"}}); len(got) != 2 || got.Get("accept") != want.Get("accept") || got.Get("x-token") != want.Get("x-token") {
		t.Errorf("%v", got)
	}
}
