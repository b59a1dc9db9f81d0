package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/backend/agent"
	"parley/backend/whole"
)

// Servers are the MCP servers that agents may use, in a file that a person may edit too: it is read anew each time.
type Servers struct {
	path string
	mu   sync.Mutex // of who changes it
}

// OpenServers gives those in a file, which need not be there.
func OpenServers(path string) *Servers { return &Servers{path: path} }

type serverFile struct {
	Servers []agent.MCPServer `json:"servers"`
}

// All lists them in the file's order. One mistake in it is an error for all: nobody should believe that a server is there
// which is not.
func (s *Servers) All() ([]agent.MCPServer, error) {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, agent.Wrap(agent.CodeValidation, err, "The list of MCP servers, "+s.path+", cannot be read.")
	}
	var file serverFile
	if err := strictly(text, &file); err != nil {
		return nil, agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("The list of MCP servers, %s, cannot be used: %v.", s.path, err))
	}
	for i, server := range file.Servers {
		if err := server.Check(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(file.Servers[:i], func(o agent.MCPServer) bool { return o.ID == server.ID }) {
			return nil, agent.Errorf(agent.CodeValidation, "The list of MCP servers, %s, has two that are called %s. Take one out.", s.path, server.ID)
		}
	}
	return file.Servers, nil
}

// Named gives the servers of these names, in that order.
func (s *Servers) Named(ids []string) ([]agent.MCPServer, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	all, err := s.All()
	if err != nil {
		return nil, err
	}
	named := make([]agent.MCPServer, len(ids))
	for n, id := range ids {
		i := indexOf(all, id)
		if i < 0 {
			return nil, agent.Errorf(agent.CodeValidation, "The agent uses the MCP server %q, which is not in the list of servers. Add it there, or take it out of the agent.", id)
		}
		named[n] = all[i]
	}
	return named, nil
}

func indexOf(servers []agent.MCPServer, id string) int {
	return slices.IndexFunc(servers, func(s agent.MCPServer) bool { return s.ID == id })
}

// Put adds a server, or replaces the one of its name.
func (s *Servers) Put(server agent.MCPServer) error {
	if err := server.Check(); err != nil {
		return err
	}
	return s.change(func(all []agent.MCPServer) []agent.MCPServer {
		if i := indexOf(all, server.ID); i >= 0 {
			all[i] = server
			return all
		}
		return append(all, server)
	})
}

// Remove takes a server out of the list; one that is not there is no error.
func (s *Servers) Remove(id string) error {
	return s.change(func(all []agent.MCPServer) []agent.MCPServer {
		return slices.DeleteFunc(all, func(o agent.MCPServer) bool { return o.ID == id })
	})
}

// change writes the file anew, whole or not at all.
func (s *Servers) change(edit func([]agent.MCPServer) []agent.MCPServer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.All()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(serverFile{append([]agent.MCPServer{}, edit(all)...)}, "", "  ")
	if err == nil {
		err = s.write(append(text, '\n'))
	}
	if err != nil {
		return agent.Wrap(agent.CodeInternal, err, "The list of MCP servers, "+s.path+", could not be written.")
	}
	return nil
}

func (s *Servers) write(text []byte) error {
	root, err := os.OpenRoot(filepath.Dir(s.path))
	if err != nil {
		return err
	}
	defer root.Close()
	return whole.Write(root, filepath.Base(s.path), text, 0o600)
}

// LeftOut is a server that Import did not take, and why.
type LeftOut struct{ ID, Why string }

// Import adds the servers of another client's configuration, an object with mcpServers in it. What Parley cannot do as it is
// said there is left out, and so is a server whose name is taken.
func (s *Servers) Import(text []byte) (added []string, left []LeftOut, err error) {
	var file struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(text, &file); err != nil || file.MCPServers == nil {
		return nil, nil, agent.Wrap(agent.CodeValidation, err, `That is no list of MCP servers: it has to be JSON with "mcpServers" in it, as other programs write it.`)
	}
	err = s.change(func(all []agent.MCPServer) []agent.MCPServer {
		for _, id := range slices.Sorted(maps.Keys(file.MCPServers)) {
			server, err := foreign(id, file.MCPServers[id])
			if err == nil && indexOf(all, id) >= 0 {
				err = agent.Errorf(agent.CodeValidation, "There is an MCP server %s already.", id)
			}
			if err != nil {
				left = append(left, LeftOut{id, agent.AsError(err).Message})
				continue
			}
			all = append(all, server)
			added = append(added, id)
		}
		return all
	})
	return added, left, err
}

// foreign reads a server as other clients write it.
func foreign(id string, text json.RawMessage) (agent.MCPServer, error) {
	var in struct {
		Type     string            `json:"type"`
		Command  string            `json:"command"`
		Args     []string          `json:"args"`
		Env      map[string]string `json:"env"`
		URL      string            `json:"url"`
		Headers  map[string]string `json:"headers"`
		Disabled bool              `json:"disabled"`

		// Of what those clients do besides nothing is lost if it is left out.
		Name, Description, Icon, AlwaysAllow, AutoApprove, Timeout json.RawMessage
	}
	if err := strictly(text, &in); err != nil {
		return agent.MCPServer{}, agent.Wrap(agent.CodeValidation, err, fmt.Sprintf("The MCP server %s is written in a way that Parley does not know: %v.", id, err))
	}
	server := agent.MCPServer{ID: id, Transport: agent.Transport(in.Type), Command: in.Command, Args: in.Args, Env: in.Env, URL: in.URL, Headers: in.Headers}
	switch {
	case in.Disabled:
		return server, agent.Errorf(agent.CodeValidation, "The MCP server %s is switched off there.", id)
	case bytes.Contains(text, []byte("${")):
		return server, agent.Errorf(agent.CodeValidation, "The MCP server %s has a value that the other program fills in. Add it by hand.", id)
	case in.Type == "streamable-http" || in.Type == "streamableHttp" || in.Type == "" && in.URL != "":
		server.Transport = agent.TransportHTTP
	case in.Type == "":
		server.Transport = agent.TransportStdio
	}
	return server, server.Check()
}

// strictly reads one JSON value without keys that nobody knows. Errors say where.
func strictly(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(into)
	if err == nil && dec.More() {
		err = errors.New("something follows the JSON value")
	}
	if err == nil {
		return nil
	}
	at := dec.InputOffset()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		at = kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		at = int64(len(text))
	default: // an unknown key, of which the decoder says no more than its name
		if _, key, ok := strings.Cut(err.Error(), "unknown field "); ok {
			at = int64(max(0, bytes.Index(text, []byte(key))))
		}
	}
	before := string(text[:min(at, int64(len(text)))])
	return fmt.Errorf("line %d, column %d: %s", strings.Count(before, "\n")+1, len(before)-strings.LastIndexByte(before, '\n'), strings.TrimPrefix(err.Error(), "json: "))
}
