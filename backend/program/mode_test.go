//go:build linux

package program

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/backend/agent"
)

// A mode that is chosen while a turn waits holds once the turn goes on.
func TestAnotherModeHoldsWhenATurnGoesOn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *rig)
		asked  int
		says   string
	}{
		"the same":  {func(*rig) {}, 1, `"true "`},
		"auto":      {func(r *rig) { r.launch.PermissionPolicy = agent.PermissionAuto }, 0, `"true " "true "`},
		"deny":      {func(r *rig) { r.launch.PermissionPolicy = agent.PermissionDeny }, 0, `"true " "false test was not run`},
		"a rule":    {func(r *rig) { r.launch.Rules.Rules = []agent.Rule{{Pattern: "process", Permission: agent.Deny}} }, 0, `"true " "false test was not run`},
		"a default": {func(r *rig) { r.launch.Rules.Default = agent.Allow }, 0, `"true " "true "`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if s := r.say("call make call test"); s.finish.StopReason != agent.StopPaused {
				t.Fatalf("%+v", s)
			}
			r.prompt.Messages = append(r.prompt.Messages, agent.Message{Role: agent.RoleAssistant, Parts: []agent.Part{
				agent.ToolCallPart{ID: "c-make", Name: "make", Args: json.RawMessage(`{"n":1}`)}}})
			r.prompt.Approved = []string{"c-make"}
			c.change(r)
			if s := r.listen(t.Context(), nil); s.err != nil || len(s.asked) != c.asked || !strings.HasPrefix(s.text, c.says) {
				t.Errorf("%+v", s)
			}
		})
	}
}
