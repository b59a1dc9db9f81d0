package agent

import (
	"cmp"
	"maps"
	"slices"
)

// Overlay is what a request says about its agent: it wins over the stored one. Nil fields are inherited.
type Overlay struct {
	Name, Model, Provider, SystemPrompt *string
	Permissions                         *Permissions // an empty Mode is inherited, and so are the rules if there are none
	Tools                               *[]string    // by their names, those of the agent's own too
	ClientTools                         *[]ClientToolSpec
	MCPServers                          *[]string         // also of the agent's own
	Login                               *Login            // with LoginOwn the model is the program's choice unless Model is set; to name a Provider is to ask for LoginKey
	Options                             map[string]string // the others stay as they are
}

// Over gives spec as the request wants it.
func (o Overlay) Over(spec Spec) Spec {
	switch {
	case o.Login != nil && *o.Login == LoginOwn:
		spec.Provider, spec.Model = "", ""
	case o.Provider != nil && *o.Provider != "" && spec.Login == LoginOwn:
		spec.Login = LoginKey
	}
	replace(&spec.Login, o.Login)
	replace(&spec.Name, o.Name)
	replace(&spec.Model, o.Model)
	replace(&spec.Provider, o.Provider)
	replace(&spec.SystemPrompt, o.SystemPrompt)
	if p := o.Permissions; p != nil {
		spec.Permissions.Mode = cmp.Or(p.Mode, spec.Permissions.Mode)
		if r := p.Rules; r.Default != "" || len(r.Rules)+len(r.Commands)+len(r.CommandGlobs)+len(r.Domains) > 0 {
			spec.Permissions.Rules = r
		}
	}
	if o.Tools != nil {
		own := spec.AuthorTools
		spec.Tools, spec.AuthorTools = nil, nil
		for _, name := range *o.Tools {
			if i := slices.IndexFunc(own, func(t AuthorTool) bool { return t.Name == name }); i >= 0 {
				spec.AuthorTools = append(spec.AuthorTools, own[i])
			} else {
				spec.Tools = append(spec.Tools, name)
			}
		}
		if !slices.Contains(spec.Tools, runCommand) {
			spec.CommandEnv = nil
		}
	}
	replace(&spec.ClientTools, o.ClientTools)
	if o.MCPServers != nil {
		spec.MCPServers, spec.OwnServers = partServers(*o.MCPServers, spec.OwnServers)
	}
	if len(o.Options) > 0 {
		options := map[string]string{}
		maps.Copy(options, spec.Options)
		maps.Copy(options, o.Options)
		spec.Options = options
	}
	return spec
}

// partServers gives the ids that are of no server of an agent's own, and those of its own that are named.
func partServers(ids []string, own []MCPServer) (others []string, named []MCPServer) {
	for _, id := range ids {
		if i := slices.IndexFunc(own, func(s MCPServer) bool { return s.ID == id }); i >= 0 {
			named = append(named, own[i])
		} else {
			others = append(others, id)
		}
	}
	return others, named
}

func replace[T any](field *T, with *T) {
	if with != nil {
		*field = *with
	}
}
