package uistream

import (
	"bytes"
	"encoding/json"
	"slices"

	"parley/backend/agent"
)

// overlay reads the parameters of a request. What it does not know is an error: nobody should believe that a tool is
// forbidden because its name was misspelt.
func (r *reader) overlay(path string, raw json.RawMessage) (o agent.Overlay) {
	parameters := r.object(path, raw)
	r.only(path, parameters, "agent")
	path += ".agent"
	in := r.object(path, parameters["agent"])
	r.only(path, in, "name", "model", "provider", "system_prompt", "tools", "mcp_servers", "permissions", "login", "options")
	o.Name = r.optional(path+".name", in["name"])
	o.Model = r.optional(path+".model", in["model"])
	o.Provider = r.optional(path+".provider", in["provider"])
	o.SystemPrompt = r.optional(path+".system_prompt", in["system_prompt"])
	if given(in["permissions"]) {
		o.Permissions = r.permissions(path+".permissions", in["permissions"])
	}
	if given(in["login"]) {
		login := agent.Login(r.text(path+".login", in["login"]))
		if !login.Valid() {
			r.fail("%s.login must be %s or %s", path, agent.LoginKey, agent.LoginOwn)
		}
		o.Login = &login
	}
	for name, raw := range r.object(path+".options", in["options"]) {
		if o.Options == nil {
			o.Options = map[string]string{}
		}
		o.Options[name] = r.text(path+".options."+name, raw)
	}
	if given(in["tools"]) {
		o.Tools, o.ClientTools = &[]string{}, &[]agent.ClientToolSpec{}
		for path, raw := range r.list(path+".tools", in["tools"], maxTools) {
			r.tool(&o, path, raw)
		}
	}
	if given(in["mcp_servers"]) {
		o.MCPServers = &[]string{}
		for path, raw := range r.list(path+".mcp_servers", in["mcp_servers"], maxTools) {
			*o.MCPServers = append(*o.MCPServers, r.text(path, raw))
		}
	}
	return o
}

// permissions reads what an agent may do: a mode, or an object with rules too.
func (r *reader) permissions(path string, raw json.RawMessage) *agent.Permissions {
	in := map[string]json.RawMessage{"mode": raw}
	if raw[0] != '"' {
		in = r.object(path, raw)
		r.only(path, in, "mode", "default", "rules", "allowed_commands", "allowed_command_globs", "allowed_domains")
	}
	p := &agent.Permissions{Mode: agent.Mode(r.text(path+".mode", in["mode"]))}
	if p.Mode != "" && !slices.Contains(agent.Modes(), p.Mode) {
		r.fail("%s must be ask, accept_edits, plan, auto or deny", path)
	}
	p.Default = agent.Permission(r.text(path+".default", in["default"]))
	if !slices.Contains([]agent.Permission{"", agent.Allow, agent.Ask, agent.Deny, agent.AllowReads}, p.Default) {
		r.fail("%s.default must be %s, %s, %s or %s", path, agent.Allow, agent.Ask, agent.Deny, agent.AllowReads)
	}
	for path, raw := range r.list(path+".rules", in["rules"], maxRules) {
		one := r.object(path, raw)
		r.only(path, one, "pattern", "permission")
		rule := agent.Rule{Pattern: r.text(path+".pattern", one["pattern"]), Permission: agent.Permission(r.text(path+".permission", one["permission"]))}
		if rule.Pattern == "" || !slices.Contains([]agent.Permission{agent.Allow, agent.Ask, agent.Deny}, rule.Permission) {
			r.fail("%s must have a pattern, and a permission that is %s, %s or %s", path, agent.Allow, agent.Ask, agent.Deny)
		}
		p.Rules.Rules = append(p.Rules.Rules, rule)
	}
	p.Commands = r.texts(path+".allowed_commands", in["allowed_commands"])
	p.CommandGlobs = r.texts(path+".allowed_command_globs", in["allowed_command_globs"])
	p.Domains = r.texts(path+".allowed_domains", in["allowed_domains"])
	return p
}

func (r *reader) texts(path string, raw json.RawMessage) (texts []string) {
	for path, raw := range r.list(path, raw, maxRules) {
		texts = append(texts, r.text(path, raw))
	}
	return texts
}

// maxRules is how many rules an agent has at most.
const maxRules = 1000

// maxTools is how many tools an agent has at most.
const maxTools = 1000

// tool reads one of our tools, by its name, or one that the client runs.
func (r *reader) tool(o *agent.Overlay, path string, raw json.RawMessage) {
	if raw[0] == '"' {
		*o.Tools = append(*o.Tools, r.text(path, raw))
		return
	}
	if raw[0] != '{' {
		r.fail("%s must be the name of a tool, or a tool of yours", path)
	}
	in := r.object(path, raw)
	r.only(path, in, "kind", "name", "description", "inputSchema")
	spec := agent.ClientToolSpec{Name: r.text(path+".name", in["name"]), Description: r.text(path+".description", in["description"])}
	if kind := r.text(path+".kind", in["kind"]); kind != "client" {
		r.fail("%s.kind must be client: a tool of ours is given by its name alone", path)
	}
	if !agent.ToolName.MatchString(spec.Name) {
		r.fail("%s.name must have letters, digits, _ and - only, at most 64", path)
	}
	if !r.begins(path+".inputSchema", in["inputSchema"], '{', "an object") {
		r.fail("%s.inputSchema must be an object", path)
	}
	spec.InputSchema = bytes.Clone(in["inputSchema"])
	*o.ClientTools = append(*o.ClientTools, spec)
}
