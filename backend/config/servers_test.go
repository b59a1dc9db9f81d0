package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"parley/backend/agent"
)

func servers(t *testing.T, text string) *Servers {
	path := filepath.Join(t.TempDir(), "mcp.json")
	if text != "" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return OpenServers(path)
}

func TestServersAreKept(t *testing.T) {
	s := servers(t, "")
	if all, err := s.All(); err != nil || len(all) != 0 {
		t.Fatalf("%v, %v", all, err)
	}
	files := agent.MCPServer{ID: "files", Transport: agent.TransportStdio, Command: "mcp-files", ToolsAllowlist: []string{}}
	web := agent.MCPServer{ID: "web", Transport: agent.TransportHTTP, URL: "https://mcp.example/v1"}
	changed := files
	changed.Command = "mcp-files-2"
	for _, server := range []agent.MCPServer{files, web, changed} {
		if err := s.Put(server); err != nil {
			t.Fatal(err)
		}
	}
	all, err := s.All()
	if want := []agent.MCPServer{changed, web}; err != nil || !reflect.DeepEqual(all, want) { // no tools stays no tools
		t.Fatalf("%+v, %v", all, err)
	}
	if named, err := s.Named([]string{"web"}); err != nil || len(named) != 1 || named[0].ID != "web" {
		t.Errorf("%+v, %v", named, err)
	}
	if _, err := s.Named([]string{"gone"}); err == nil || !strings.Contains(err.Error(), `"gone"`) {
		t.Errorf("a server that is not there: %v", err)
	}
	if err := s.Put(agent.MCPServer{ID: "bad"}); err == nil {
		t.Error("a server without a transport is taken")
	}
	if err := s.Remove("files"); err != nil {
		t.Fatal(err)
	}
	if all, err := s.All(); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if entries, err := os.ReadDir(filepath.Dir(s.path)); err != nil || len(entries) != 1 {
		t.Errorf("beside the list there is something else: %v, %v", entries, err)
	}
}

func TestServersChangedAtOnceAreAllKept(t *testing.T) {
	s := servers(t, "")
	var all sync.WaitGroup
	for _, id := range strings.Split("abcdefgh", "") {
		all.Go(func() {
			if err := s.Put(agent.MCPServer{ID: id, Transport: agent.TransportStdio, Command: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if list, err := s.All(); err != nil || len(list) != 8 {
		t.Errorf("%d are left, %v", len(list), err)
	}
}

func TestMistakesInTheListOfServersSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"servers\": [\n    {\"id\": \"a\",}\n  ]\n}":                   "line 3, column 17",
		"{\n  \"servers\": [\n    {\"id\": \"a\", \"comand\": \"x\"}\n  ]\n}": "line 3, column 17",
		"{\n  \"servers\": [\n    {\"id\": 7}\n  ]\n}":                        "line 3",
		`{"servers": [`:         "line 1, column 14",
		`{"servers": []} again`: "follows",
		`{"servers": [{"id": "a", "transport": "stdio", "command": "x"}, {"id": "a", "transport": "stdio", "command": "y"}]}`: "two that are called a",
	} {
		s := servers(t, text)
		if _, err := s.All(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if err := s.Put(agent.MCPServer{ID: "b", Transport: agent.TransportStdio, Command: "x"}); err == nil {
			t.Errorf("%s: is written over", text)
		}
	}
}

// TestServersOfOtherClientsAreImported from files as they write them.
func TestServersOfOtherClientsAreImported(t *testing.T) {
	s := servers(t, `{"servers": [{"id": "taken", "transport": "stdio", "command": "x"}]}`)
	text, err := os.ReadFile("testdata/mcpServers.json")
	if err != nil {
		t.Fatal(err)
	}
	added, left, err := s.Import(text)
	if want := []string{"everything", "remote", "typed"}; err != nil || !reflect.DeepEqual(added, want) {
		t.Errorf("%v, %v", added, err)
	}
	for id, want := range map[string]string{
		"taken": "already", "off": "switched off", "secret": "Secrets are not written", "filled": "fills in", "odd": "cwd", "old": "stdio, http",
	} {
		found := false
		for _, l := range left {
			found = found || l.ID == id && strings.Contains(l.Why, want)
		}
		if !found {
			t.Errorf("%s is not left out for %q: %+v", id, want, left)
		}
	}
	all, err := s.All()
	if err != nil || len(all) != 4 || all[1].Args[1] != "@modelcontextprotocol/server-everything" || all[2].Transport != agent.TransportHTTP || all[3].Transport != agent.TransportHTTP {
		t.Errorf("%+v, %v", all, err)
	}
	for _, text := range []string{`[]`, `{"servers":{}}`, `no`} {
		if _, _, err := s.Import([]byte(text)); err == nil {
			t.Errorf("%s is imported", text)
		}
	}
}
