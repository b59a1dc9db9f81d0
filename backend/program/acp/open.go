package acp

import (
	"cmp"
	"errors"
	"strings"

	"parley/backend/agent"
	"parley/backend/program"
)

// newest is the newest protocol that is spoken. An agent answers with the newest that it speaks itself, not above it.
const newest = 2

// party is how one side calls itself.
type party struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
}

// greeting begins the conversation: in the words of both protocols, because it is not known yet which one the agent speaks.
type greeting struct {
	Protocol     int            `json:"protocolVersion"`
	Client       party          `json:"clientInfo"`
	Can          map[string]any `json:"clientCapabilities"`
	Info         party          `json:"info"`
	Capabilities map[string]any `json:"capabilities"`
}

// answered is how the agent answers. What is not of the protocol that it speaks is nil.
type answered struct {
	Protocol int   `json:"protocolVersion"`
	Agent    party `json:"agentInfo"`
	Can      struct {
		Load   bool `json:"loadSession"`
		Prompt struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
		MCP struct {
			HTTP bool `json:"http"`
		} `json:"mcpCapabilities"`
		Session struct {
			Resume       *struct{} `json:"resume"`
			SystemPrompt *struct{} `json:"systemPrompt"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Info         party `json:"info"`
	Capabilities struct {
		Session struct {
			Prompt struct {
				Image *struct{} `json:"image"`
			} `json:"prompt"`
			MCP struct {
				HTTP *struct{} `json:"http"`
			} `json:"mcp"`
			SystemPrompt *struct{} `json:"systemPrompt"`
		} `json:"session"`
	} `json:"capabilities"`
	Logins []struct {
		ID       string `json:"id"`
		MethodID string `json:"methodId"` // protocol 2
	} `json:"authMethods"`
}

// Open is program.Speaker's.
func (s *Speaker) Open(line *program.Line, o program.Opening) (program.Opened, error) {
	s.line, s.policy, s.dir, s.launch = line, o.Policy, o.Dir, o.Launch
	s.name = o.Launch.Program.Command
	form := map[string]any{"form": struct{}{}}
	here := party{"parley", "Parley", "1"}
	var a answered
	files := !o.Launch.Program.Alone
	err := s.call("initialize", greeting{
		Protocol: newest, Client: here, Info: here,
		Can: map[string]any{
			"fs": map[string]any{"readTextFile": files, "writeTextFile": files}, "terminal": true, "elicitation": form,
			"session": map[string]any{"configOptions": map[string]any{"boolean": struct{}{}}, "notices": struct{}{}, "compaction": struct{}{}},
		},
		Capabilities: map[string]any{"elicitation": form},
	}, &a)
	if err != nil {
		return program.Opened{}, s.failed("begin", err)
	}
	s.name = cmp.Or(a.Agent.Title, a.Info.Title, a.Agent.Name, a.Info.Name, s.name)
	if a.Protocol < 1 || a.Protocol > newest {
		return program.Opened{}, agent.Errorf(agent.CodeSandbox, "%s speaks version %d of the Agent Client Protocol, and Parley up to %d. Use another version of it.", s.name, a.Protocol, newest)
	}
	s.protocol = a.Protocol
	resumed, err := s.begin(o, a)
	if err != nil {
		return program.Opened{}, err
	}
	if err := s.choose(o.Launch.Program.Options); err != nil {
		return program.Opened{}, err
	}
	opened := program.Opened{
		Resumed: resumed, Version: cmp.Or(a.Agent.Version, a.Info.Version),
		Images: a.Can.Prompt.Image || a.Capabilities.Session.Prompt.Image != nil,
		Steers: s.protocol > 1,
	}
	opened.Options, opened.Commands = s.Offered()
	if s.protocol > 1 || a.Can.Load || a.Can.Session.Resume != nil {
		opened.Session = s.session
	}
	return opened, nil
}

// begin begins a session, or goes on with one.
func (s *Speaker) begin(o program.Opening, a answered) (resumed bool, err error) {
	params := map[string]any{"cwd": o.Dir, "mcpServers": []any{}}
	if o.Tools != nil {
		if !a.Can.MCP.HTTP && a.Capabilities.Session.MCP.HTTP == nil {
			return false, agent.Errorf(agent.CodeToolUnavailable, "%s cannot be given Parley's tools: it has no MCP over HTTP. Take them from the agent.", s.name)
		}
		header := map[string]string{"name": "Authorization", "value": "Bearer " + o.Tools.Token}
		params["mcpServers"] = []any{map[string]any{"type": "http", "name": program.ToolServer, "url": o.Tools.URL, "headers": []any{header}}}
	}
	if o.Launch.AgentsMD != "" {
		if a.Can.Session.SystemPrompt == nil && a.Capabilities.Session.SystemPrompt == nil {
			return false, agent.Errorf(agent.CodeValidation, "%s cannot be given instructions. Take the system prompt from the agent.", s.name)
		}
		params["systemPrompt"] = map[string]any{"mode": "append", "content": []block{{Type: "text", Text: o.Launch.AgentsMD}}}
	}
	method := ""
	switch {
	case !o.Resume || o.Session == "":
	case s.protocol > 1 || a.Can.Session.Resume != nil:
		method = "session/resume"
	case a.Can.Load:
		method = "session/load"
	}
	if method != "" {
		s.session, params["sessionId"] = o.Session, o.Session
		err := s.start(method, params, a)
		if err == nil {
			return true, nil
		}
		var unknown *problem
		if !errors.As(err, &unknown) {
			return false, s.failed("go on", err)
		}
		delete(params, "sessionId")
		s.session = ""
	}
	if err := s.start("session/new", params, a); err != nil {
		return false, s.failed("begin a session", err)
	}
	return false, nil
}

// start starts a session, and logs in if the agent wants that first.
func (s *Speaker) start(method string, params map[string]any, a answered) error {
	var begun struct {
		Session string `json:"sessionId"`
		offer
	}
	err := s.call(method, params, &begun)
	var refused *problem
	if errors.As(err, &refused) && refused.Code == codeLogin {
		for _, login := range a.Logins {
			id := login.ID + login.MethodID
			if strings.Contains(id, "api-key") {
				if err := s.call(map[bool]string{true: "auth/login", false: "authenticate"}[s.protocol > 1], map[string]string{"methodId": id}, nil); err != nil {
					return err
				}
				err = s.call(method, params, &begun)
				break
			}
		}
	}
	if err != nil {
		return err
	}
	s.session = cmp.Or(begun.Session, s.session)
	s.options = begun.all()
	if begun.Commands != nil {
		s.commands = begun.Commands
	}
	return nil
}

// model is the model that answers, as far as it is known before it does.
func (s *Speaker) model() string {
	for _, o := range s.options {
		if o.Category == "model" && (s.launch.Model == "" || s.launch.Program.Options[o.id()] != "") {
			return o.value()
		}
	}
	return s.launch.Model
}
