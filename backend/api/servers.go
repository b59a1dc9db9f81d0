package api

import (
	"net/http"

	"parley/backend/agent"
	"parley/backend/mcp"
)

// Server is an MCP server that agents may use, and what is known of it.
type Server struct {
	Config agent.MCPServer `json:"config"`
	State  mcp.ServerState `json:"state"`
	Reason string          `json:"reason,omitempty"` // of one that failed, and what can be done
	Tools  []string        `json:"tools"`            // that it said it has when it last ran, by its own names
	Log    string          `json:"log,omitempty"`    // the end of what it wrote
}

// ServerList is every server, in the order of the file that they are in.
type ServerList struct {
	Servers []Server `json:"servers"`
}

// ServersToImport is the configuration of another program, as it wrote it.
type ServersToImport struct {
	Text string `json:"text"`
}

// ServersImported says which servers were added, and which were not.
type ServersImported struct {
	Added   []string        `json:"added"`
	LeftOut []ServerLeftOut `json:"leftOut"`
}

// ServerLeftOut is one that was not added.
type ServerLeftOut struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

func (d *Door) server(config agent.MCPServer) Server {
	known := d.Board.Of(config.ID)
	return Server{config, known.State, known.Reason, append([]string{}, known.Tools...), known.Log}
}

func (d *Door) listServers(*http.Request) (ServerList, error) {
	all, err := d.Servers.All()
	list := ServerList{make([]Server, len(all))}
	for i, config := range all {
		list.Servers[i] = d.server(config)
	}
	return list, err
}

// putServer adds a server, or changes one; sessions have it so from their next turn on.
func (d *Door) putServer(r *http.Request, config agent.MCPServer) (Server, error) {
	if config.ID != r.PathValue("id") {
		return Server{}, agent.Errorf(agent.CodeValidation, "The server is called %q in the body and %q in the path. Call it the same.", config.ID, r.PathValue("id"))
	}
	return d.server(config), d.Servers.Put(config)
}

func (d *Door) removeServer(r *http.Request) (noBody, error) {
	id := r.PathValue("id")
	if _, err := d.Servers.Named([]string{id}); err != nil {
		return noBody{}, err
	}
	return noBody{}, d.Servers.Remove(id)
}

// tryServer starts a server to see whether it does, and which tools it has. Who asks for that gives it its secrets.
func (d inside) tryServer(r *http.Request) (Server, error) {
	named, err := d.Servers.Named([]string{r.PathValue("id")})
	if err != nil {
		return Server{}, err
	}
	secrets := map[string]string{}
	for _, ref := range named[0].SecretRefs() {
		if secrets[ref.Key()], err = d.Secrets.Resolve(r.Context(), d.project, ref); err != nil {
			return Server{}, err
		}
	}
	err = d.Try(r.Context(), named[0], secrets)
	return d.server(named[0]), err
}

func (d *Door) importServers(_ *http.Request, in ServersToImport) (ServersImported, error) {
	added, left, err := d.Servers.Import([]byte(in.Text))
	out := ServersImported{append([]string{}, added...), []ServerLeftOut{}}
	for _, l := range left {
		out.LeftOut = append(out.LeftOut, ServerLeftOut(l))
	}
	return out, err
}
