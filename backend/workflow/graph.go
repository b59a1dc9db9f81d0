// Package workflow holds workflows as graphs: their files (*.relavium.yaml, schema 1.0), which other programs read and
// write too, and what a session can be exported as. Everything about a graph is a pure function: only a Shelf opens files.
package workflow

import "encoding/json"

const schemaVersion = "1.0"

// Graph is a workflow. A nil field is one that its file does not have; an empty one is there.
type Graph struct {
	ID          string          `json:"id"`
	Version     *string         `json:"version,omitempty"`
	Name        *string         `json:"name,omitempty"`
	Description *string         `json:"description,omitempty"`
	Tags        []string        `json:"tags,omitzero"`
	Metadata    json.RawMessage `json:"-"` // an object of whoever wrote it. As JSON it travels beside the graph, for no reader to change its numbers
	Trigger     *Trigger        `json:"trigger,omitempty"`
	Inputs      []Input         `json:"inputs,omitzero"`
	Context     []Entry         `json:"context,omitzero"`
	Agents      []Agent         `json:"agents,omitzero"`
	Tools       *ToolPolicy     `json:"tools,omitempty"`
	Budget      *Budget         `json:"budget,omitempty"`
	TimeoutMS   *int64          `json:"timeout_ms,omitempty"`
	MaxParallel *int64          `json:"max_parallel,omitempty"`
	Nodes       Nodes           `json:"nodes"`
	Edges       []Edge          `json:"edges"`
}

// Trigger is what starts a workflow. What belongs to another type than its own is nil.
type Trigger struct {
	Type       string      `json:"type"`
	Webhook    *Webhook    `json:"webhook,omitempty"`
	Schedule   *string     `json:"schedule,omitempty"` // as cron writes it
	FileChange *FileChange `json:"file_change,omitempty"`
}

// Webhook is a call from outside.
type Webhook struct {
	Path      string `json:"path"`
	SecretEnv string `json:"secret_env"` // the variable that has the secret
}

// FileChange is a change of files.
type FileChange struct {
	Glob       string `json:"glob"`
	DebounceMS int64  `json:"debounce_ms"`
}

// Input is what a run is given.
type Input struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Required    *bool           `json:"required,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Description *string         `json:"description,omitempty"`
	Validation  *Validation     `json:"validation,omitempty"`
}

// Validation is what an input has to be. Which of it there may be depends on the input's type.
type Validation struct {
	Format    *string           `json:"format,omitempty"`
	Pattern   *string           `json:"pattern,omitempty"`
	Enum      []json.RawMessage `json:"enum,omitzero"`
	Min       *float64          `json:"min,omitempty"`
	Max       *float64          `json:"max,omitempty"`
	MinLength *int64            `json:"min_length,omitempty"`
	MaxLength *int64            `json:"max_length,omitempty"`
}

// Entry is a text that all of a run shares.
type Entry struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// ToolPolicy is what the tools of a run may do.
type ToolPolicy struct {
	AllowedCommands     []string `json:"allowedCommands,omitzero"`
	AllowedCommandGlobs []string `json:"allowedCommandGlobs,omitzero"`
	AllowedDomains      []string `json:"allowedDomains,omitzero"`
}

// Budget is what a run may cost.
type Budget struct {
	MaxCostMicrocents int64  `json:"max_cost_microcents"`
	OnExceed          string `json:"on_exceed"`
	StrictCostCap     *bool  `json:"strict_cost_cap,omitempty"` // models without a price are refused
}

// Agent is an agent of the file, or one of another file if Ref is set: then there is nothing else.
type Agent struct {
	Ref             *string         `json:"$ref,omitempty"`
	ID              *string         `json:"id,omitempty"`
	Name            *string         `json:"name,omitempty"`
	Description     *string         `json:"description,omitempty"`
	Model           *string         `json:"model,omitempty"`
	Provider        *string         `json:"provider,omitempty"`
	SystemPrompt    *string         `json:"system_prompt,omitempty"`
	Temperature     *float64        `json:"temperature,omitempty"`
	MaxTokens       *int64          `json:"max_tokens,omitempty"`
	ReasoningEffort *string         `json:"reasoning_effort,omitempty"`
	InputSchema     json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema    json.RawMessage `json:"output_schema,omitempty"`
	Tools           []string        `json:"tools,omitzero"`
	MCPServers      []MCPServer     `json:"mcp_servers,omitzero"`
	Memory          *Memory         `json:"memory,omitempty"`
	Retry           *Retry          `json:"retry,omitempty"`
	FallbackChain   []Fallback      `json:"fallback_chain,omitzero"`
}

// MCPServer is a server whose tools an agent may use: by the name that it is registered under, or written out.
type MCPServer struct {
	Ref                *string           `json:"ref,omitempty"`
	ID                 *string           `json:"id,omitempty"`
	Transport          *string           `json:"transport,omitempty"`
	Command            *string           `json:"command,omitempty"`
	Args               []string          `json:"args,omitzero"`
	Env                map[string]string `json:"env,omitzero"`
	URL                *string           `json:"url,omitempty"`
	AllowLocalEndpoint *bool             `json:"allow_local_endpoint,omitempty"`
	ToolsAllowlist     []string          `json:"tools_allowlist,omitzero"`
}

// Memory is how much an agent remembers.
type Memory struct {
	Type       string `json:"type"`
	WindowSize *int64 `json:"window_size,omitempty"`
}

// Retry is how often something is tried again.
type Retry struct {
	Max       int64    `json:"max"`
	Backoff   string   `json:"backoff"`
	BackoffMS *int64   `json:"backoff_ms,omitempty"`
	RetryOn   []string `json:"retry_on,omitzero"`
}

// Fallback is a model that is asked when those before it do not answer.
type Fallback struct {
	Model       string `json:"model"`
	Provider    string `json:"provider"`
	MaxAttempts int64  `json:"max_attempts"`
}

// Edge leads from a node, or a handle of it, to another one.
type Edge struct {
	From      string  `json:"from"` // node, or node:handle
	To        string  `json:"to"`
	Label     *string `json:"label,omitempty"`
	Condition *string `json:"condition,omitempty"`
}
