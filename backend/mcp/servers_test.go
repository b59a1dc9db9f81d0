package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/backend/agent"
	"parley/backend/tool"
)

// reports keeps what was said of each server, and lets a test wait for it.
type reports struct {
	mu   sync.Mutex
	cond sync.Cond
	all  []Report
}

func newReports() *reports {
	r := &reports{}
	r.cond.L = &r.mu
	return r
}

func (r *reports) add(report Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, report)
	r.cond.Broadcast()
}

// await waits for a report that fits, and gives it.
func (r *reports) await(fits func(Report) bool) Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if i := slices.IndexFunc(r.all, fits); i >= 0 {
			return r.all[i]
		}
		r.cond.Wait()
	}
}

// quick are limits with which a test waits for nothing.
var quick = limits{start: time.Minute, wait: time.Minute, idle: 5 * time.Second, healthy: time.Hour, retry: time.Millisecond, settle: time.Millisecond, leave: 50 * time.Millisecond}

func open(t *testing.T, l limits) (*Servers, *reports) {
	r := newReports()
	s := NewServers()
	s.Watch(r.add)
	s.limits = l
	t.Cleanup(s.Close)
	return s, r
}

// played is a server that this program plays, see server_play_test.go.
func played(id, part string, args ...string) agent.MCPServer {
	return agent.MCPServer{ID: id, Transport: agent.TransportStdio, Command: os.Args[0], Env: map[string]string{envPart: part}, Args: args}
}

func toolsOf(t *testing.T, s *Servers, servers ...agent.MCPServer) []tool.Foreign {
	s.Start(t.Context(), agent.Policy{Scratch: t.TempDir(), Private: t.TempDir()}, servers)
	return s.Tools(agent.Launch{Servers: servers})
}

func names(tools []tool.Foreign) (list []string) {
	for _, f := range tools {
		list = append(list, f.Name)
	}
	return list
}

func run(t *testing.T, tools []tool.Foreign, name, input string, say func(agent.Event)) (string, json.RawMessage, error) {
	i := slices.Index(names(tools), name)
	if i < 0 {
		t.Fatalf("there is no %s: %v", name, names(tools))
	}
	return tools[i].Run(t.Context(), agent.ToolCall{ID: "c", Name: name, Input: json.RawMessage(input)}, say)
}

func TestAServerIsUsed(t *testing.T) {
	s, r := open(t, quick)
	server := played("good", "good")
	server.Env["COLOUR"] = "blue"
	tools := toolsOf(t, s, server)
	if want := []string{"mcp_good_echo", "mcp_good_everything", "mcp_good_fail", "mcp_good_grow", "mcp_good_work"}; !slices.Equal(names(tools), want) {
		t.Fatalf("%v", names(tools))
	}
	if tools[0].Description != "Says it again." || !strings.Contains(string(tools[0].Schema), `"text"`) || tools[0].ReadOnly {
		t.Errorf("%+v", tools[0])
	}
	if got := r.await(func(r Report) bool { return r.State == Running }); got.Server != "good" || !slices.Contains(got.Tools, "echo") {
		t.Errorf("%+v", got)
	}
	output, data, err := run(t, tools, "mcp_good_echo", `{"text":"hello"}`, nil)
	if err != nil || output != "hello blue" || data != nil {
		t.Errorf("%q, %s, %v", output, data, err)
	}
	var progress []string
	output, _, err = run(t, tools, "mcp_good_work", `{}`, func(e agent.Event) {
		progress = append(progress, e.(agent.ToolProgress).Output)
		_, _, _ = run(t, tools, "mcp_good_echo", `{"text":"go on"}`, nil)
	})
	if err != nil || output != "done" || len(progress) != 1 || progress[0] != "1 of 2: half" {
		t.Errorf("%q, %q, %v", output, progress, err)
	}
	for !strings.Contains(s.clients["good"].now().Log, "warning: half done") { // what it writes there comes by itself
		_, _, _ = run(t, tools, "mcp_good_echo", `{"text":"hello"}`, nil)
	}
	if _, _, err := run(t, tools, "mcp_good_fail", `{}`, nil); err == nil || !strings.Contains(err.Error(), "it broke") {
		t.Errorf("%v", err)
	}
	output, data, err = run(t, tools, "mcp_good_everything", `{}`, nil)
	if err != nil || !strings.Contains(output, "a picture (image/png, 3 bytes)") && !strings.Contains(output, "A picture (image/png, 3 bytes)") {
		t.Errorf("%q, %v", output, err)
	}
	var card shown
	if err := json.Unmarshal(data, &card); err != nil || len(card.Content) != 4 || string(card.Content[1].Data) != "png" || card.Content[2].URI != "file:///notes.txt" || string(card.Structured) != `{"n":1}` {
		t.Errorf("%s, %v", data, err)
	}
	if again := toolsOf(t, s, server); !slices.Equal(names(again), names(tools)) { // the policy of the first turn holds
		t.Errorf("%v", names(again))
	}
}

// TestAnAllowlistHolds also for who calls what was not offered.
func TestAnAllowlistHolds(t *testing.T) {
	s, _ := open(t, quick)
	server := played("good", "good")
	server.ToolsAllowlist = []string{"echo"}
	tools := toolsOf(t, s, server)
	if !slices.Equal(names(tools), []string{"mcp_good_echo"}) {
		t.Fatalf("%v", names(tools))
	}
	c := s.clients["good"]
	var denied *agent.Error
	if _, _, err := c.call(t.Context(), "fail", agent.ToolCall{Name: "mcp_good_fail", Input: json.RawMessage(`{}`)}, nil); !errors.As(err, &denied) || denied.Code != agent.CodeToolDenied {
		t.Errorf("%v", err)
	}
	server.ToolsAllowlist = []string{}
	if tools := toolsOf(t, s, server); len(tools) != 0 {
		t.Errorf("none allowed: %v", names(tools))
	}
}

// TestToolsThatChange have another version, and are listed anew.
func TestToolsThatChange(t *testing.T) {
	s, r := open(t, quick)
	server := played("good", "good")
	before := toolsOf(t, s, server)
	changed := s.Changed()
	if _, _, err := run(t, before, "mcp_good_grow", `{}`, nil); err != nil {
		t.Fatal(err)
	}
	r.await(func(r Report) bool { return slices.Contains(r.Tools, "grown") })
	<-changed
	after := toolsOf(t, s, server)
	if !slices.Contains(names(after), "mcp_good_grown") {
		t.Fatalf("%v", names(after))
	}
	version := func(tools []tool.Foreign, name string) string { return tools[slices.Index(names(tools), name)].Version }
	if version(before, "mcp_good_echo") == version(after, "mcp_good_echo") {
		t.Error("another description is the same version")
	}
	if version(before, "mcp_good_fail") != version(after, "mcp_good_fail") {
		t.Error("what has not changed is another version")
	}
}

// TestBadServersHarmOnlyThemselves while a good one goes on.
func TestBadServersHarmOnlyThemselves(t *testing.T) {
	for part, want := range map[string]string{
		"silent":  "within",
		"deaf":    "within",
		"crashes": "its program ended (exit status 3)",
		"floods":  "more at once than can be read",
		"chats":   "",
	} {
		t.Run(part, func(t *testing.T) {
			l := quick
			if part == "silent" || part == "deaf" {
				l.start = 300 * time.Millisecond
			}
			s, r := open(t, l)
			bad, good := played("bad", part), played("good", "good")
			tools := toolsOf(t, s, bad, good)
			if output, _, err := run(t, tools, "mcp_good_echo", `{"text":"hello"}`, nil); err != nil || !strings.HasPrefix(output, "hello") {
				t.Errorf("the good one: %q, %v", output, err)
			}
			if slices.ContainsFunc(tools, func(f tool.Foreign) bool { return strings.HasPrefix(f.Name, "mcp_bad") }) {
				t.Errorf("%v", names(tools))
			}
			got := r.await(func(r Report) bool { return r.Server == "bad" && r.State == Failed })
			if !strings.Contains(got.Reason, want) {
				t.Errorf("%q, want %q", got.Reason, want)
			}
			if part == "crashes" && !strings.Contains(got.Log, "no configuration") {
				t.Errorf("its log: %q", got.Log)
			}
			missing := s.Start(t.Context(), agent.Policy{}, []agent.MCPServer{bad, good})
			if len(missing) != 1 || missing[0].Server != "bad" {
				t.Errorf("missing: %+v", missing)
			}
		})
	}
}

// TestACallThatGoesWrong is the only one that does.
func TestACallThatGoesWrong(t *testing.T) {
	l := quick
	l.idle = time.Second // which a busy machine must not need for a word of a server
	s, r := open(t, l)
	server := played("odd", "odd")
	tools := toolsOf(t, s, server)
	if _, _, err := run(t, tools, "mcp_odd_hang", `{}`, nil); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("a call that hangs: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	hang := tools[slices.Index(names(tools), "mcp_odd_hang")]
	if _, _, err := hang.Run(stopped, agent.ToolCall{Input: json.RawMessage(`{}`)}, nil); err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("a call that is stopped: %v", err)
	}
	if output, _, err := run(t, tools, "mcp_odd_flood", `{}`, func(agent.Event) {}); err != nil || output != "flooded" {
		t.Errorf("a call that says too much: %q, %v", output, err)
	}
	if _, _, err := run(t, tools, "mcp_odd_exit", `{}`, nil); err == nil || !strings.Contains(err.Error(), "started again for the next call") {
		t.Errorf("a call that ends its server: %v", err)
	}
	r.await(func(r Report) bool { return r.State == Failed })
	s.clients["odd"].mu.Lock()
	s.clients["odd"].retry = time.Now() // as if the time had passed
	s.clients["odd"].mu.Unlock()
	if output, _, err := run(t, tools, "mcp_odd_ok", `{}`, nil); err != nil || output != "ok" { // it was started again
		t.Errorf("the next call: %q, %v", output, err)
	}
}

// TestAServerThatEndsIsStartedLessAndLess often.
func TestAServerThatEndsIsStartedLessAndLess(t *testing.T) {
	l := quick
	l.retry = time.Hour / 2
	s, _ := open(t, l)
	toolsOf(t, s, played("bad", "crashes"))
	c := s.clients["bad"]
	c.mu.Lock()
	first := time.Until(c.retry)
	c.mu.Unlock()
	if first <= 0 || first > maxRetry {
		t.Errorf("%v until it is started again", first)
	}
	if _, err := c.ready(t.Context()); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("until then: %v", err)
	}
	for failures, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		if got := backoff(time.Second, failures); got != want {
			t.Errorf("after %d: %v", failures, got)
		}
	}
	if got := backoff(time.Second, 1000); got != maxRetry {
		t.Errorf("at most: %v", got)
	}
}

// TestNothingIsLeft of servers that do not want to go, and of what they started.
func TestNothingIsLeft(t *testing.T) {
	s, _ := open(t, quick)
	dir := t.TempDir()
	server := played("clings", "clings", filepath.Join(dir, "pid"), filepath.Join(dir, "child"))
	if tools := toolsOf(t, s, server); len(tools) != 1 {
		t.Fatalf("%v", names(tools))
	}
	s.Close()
	for _, name := range server.Args {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(string(b))
		if err != nil {
			t.Fatal(err)
		}
		if alive(pid) {
			t.Errorf("%s is left", name)
		}
	}
	if tools := toolsOf(t, s, server); len(tools) != 0 {
		t.Error("a server is started after the end")
	}
}

// TestAHundredAreConfigured and twenty used: nothing but those is started.
func TestAHundredAreConfigured(t *testing.T) {
	s, r := open(t, quick)
	var used []agent.MCPServer
	for i := range 100 {
		server := played("s"+strconv.Itoa(i), "good")
		if i < 20 {
			used = append(used, server)
		}
	}
	if tools := toolsOf(t, s, used...); len(tools) != 20*5 {
		t.Errorf("%d tools", len(tools))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(s.clients) != 20 {
		t.Errorf("%d servers", len(s.clients))
	}
}

// TestAServerOnTheWeb gets the headers that are configured, and one that redirects is not followed.
func TestAServerOnTheWeb(t *testing.T) {
	web := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, nil)
	mcp.AddTool(web, &mcp.Tool{Name: "who", Description: "Says who asks."}, func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Extra.Header.Get("X-Team")}}}, nil, nil
	})
	door := httptest.NewServer(mcp.NewStreamableHTTPHandler(newServerOf(web), nil))
	defer door.Close()
	defer door.CloseClientConnections()
	s, r := open(t, quick)
	server := agent.MCPServer{ID: "web", Transport: agent.TransportHTTP, URL: door.URL, Headers: map[string]string{"X-Team": "blue"}}
	tools := toolsOf(t, s, server)
	if output, _, err := run(t, tools, "mcp_web_who", `{}`, nil); err != nil || output != "blue" {
		t.Errorf("%q, %v", output, err)
	}
	elsewhere := httptest.NewServer(redirecting(door.URL))
	defer elsewhere.Close()
	if tools := toolsOf(t, s, agent.MCPServer{ID: "moved", Transport: agent.TransportHTTP, URL: elsewhere.URL}); len(tools) != 0 {
		t.Errorf("a redirect is followed: %v", names(tools))
	}
	// A name that leads to this machine is not this machine's to whom it was not configured as such.
	if tools := toolsOf(t, s, agent.MCPServer{ID: "inside", Transport: agent.TransportHTTP, URL: "https://10.0.0.1/mcp"}); len(tools) != 0 {
		t.Errorf("%v", names(tools))
	}
	if got := r.await(func(r Report) bool { return r.Server == "inside" && r.State == Failed }); !strings.Contains(got.Reason, "private network") {
		t.Errorf("%q", got.Reason)
	}
}

// TestNamesOfTools are what every provider takes, and no two are one.
func TestNamesOfTools(t *testing.T) {
	for _, row := range []struct{ server, name, taken, want string }{
		{"files", "read", "", "mcp_files_read"},
		{"my.files", "read/all", "", "mcp_my_files_read_all"},
		{"my.files", "read", "mcp_my_files_read", "mcp_my_files_read_31f5230e"},
		{strings.Repeat("s", 128), "t", "", "mcp_" + strings.Repeat("s", 51) + "_0c8a362c"},
	} {
		got := toolName(row.server, row.name, func(name string) bool { return name == row.taken })
		if got != row.want || len(got) > 64 {
			t.Errorf("%s, %s: %s", row.server, row.name, got)
		}
	}
}

func TestTheBoard(t *testing.T) {
	var b Board
	if got := b.Of("a"); got.State != NotStarted || got.Server != "a" {
		t.Errorf("%+v", got)
	}
	b.Post(1, Report{Server: "a", State: Running, Tools: []string{"x"}})
	b.Post(2, Report{Server: "a", State: Failed, Reason: "no"})
	if got := b.Of("a"); got.State != Running {
		t.Errorf("what runs is hidden: %+v", got)
	}
	b.Gone(1)
	if got := b.Of("a"); got.State != NotStarted || len(got.Tools) != 1 {
		t.Errorf("%+v", got)
	}
	b.Post(2, Report{Server: "a", State: Failed, Reason: "no"})
	b.Gone(2)
	if got := b.Of("a"); got.State != Failed || got.Reason != "no" || len(got.Tools) != 1 {
		t.Errorf("%+v", got)
	}
}

// alive reports whether a process is there and not only waited for.
func alive(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}
