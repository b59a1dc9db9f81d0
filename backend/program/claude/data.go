package claude

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/backend/agent"
)

// data is what a page shows of a result: what a tool of ours said itself, of a change of a file the same as ours say, and of
// a subagent its report. It is nil if the text says it as well.
func data(c *call, result json.RawMessage) json.RawMessage {
	switch {
	case c.own:
		var r struct {
			Structured json.RawMessage `json:"structuredContent"`
		}
		_ = json.Unmarshal(result, &r) // what has none shows none
		return r.Structured
	case c.name == "Write" || c.name == "Edit":
		return changed(result)
	case c.name == "Task" || c.name == "Agent":
		var r struct{ Content json.RawMessage }
		if json.Unmarshal(result, &r) != nil || len(r.Content) == 0 {
			return nil
		}
		report, _ := json.Marshal(text(r.Content)) // a string: it cannot fail
		return report
	}
	return nil
}

func changed(result json.RawMessage) json.RawMessage {
	var r struct {
		Type    string
		Path    string `json:"filePath"`
		Content string
		Patch   []hunk `json:"structuredPatch"`
	}
	if json.Unmarshal(result, &r) != nil || r.Path == "" {
		return nil
	}
	if r.Type == "create" {
		lines := strings.SplitAfter(strings.TrimSuffix(r.Content, "\n"), "\n")
		for i, line := range lines {
			lines[i] = "+" + strings.TrimSuffix(line, "\n")
		}
		r.Patch = []hunk{{NewStart: 1, NewLines: len(lines), Lines: lines}}
	}
	b, _ := json.Marshal(change{r.Path, len(r.Content), r.Type == "create", diff(r.Patch)}) // strings: it cannot fail
	return b
}

// change is what the page's card of a changed file shows.
type change struct {
	Path    string `json:"path"`
	Bytes   int    `json:"bytes"`
	Created bool   `json:"created"`
	Diff    string `json:"diff"`
}

type hunk struct {
	OldStart, OldLines, NewStart, NewLines int
	Lines                                  []string
}

func diff(patch []hunk) string {
	var b strings.Builder
	for _, h := range patch {
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n%s\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines, strings.Join(h.Lines, "\n"))
	}
	return b.String()
}

// task is an item of Claude Code's checklist.
type task struct {
	id   string
	item agent.PlanItem
}

// plan follows the checklist by the results of the tools that change it, and reports whether it changed.
func (s *Speaker) plan(tool string, result json.RawMessage) bool {
	type entry struct{ ID, Subject, Status string }
	var r struct {
		Task   entry
		Tasks  []entry
		ID     string                             `json:"taskId"`
		Change struct{ To string }                `json:"statusChange"`
		Todos  []struct{ Content, Status string } `json:"newTodos"`
	}
	if !slices.Contains([]string{"TaskCreate", "TaskUpdate", "TaskList", "TodoWrite"}, tool) || json.Unmarshal(result, &r) != nil {
		return false
	}
	switch tool {
	case "TaskCreate":
		s.todo = append(s.todo, task{r.Task.ID, agent.PlanItem{Text: r.Task.Subject, Status: "pending"}})
	case "TaskUpdate":
		i := slices.IndexFunc(s.todo, func(t task) bool { return t.id == r.ID })
		switch {
		case i < 0 || r.Change.To == "":
			return false
		case r.Change.To == "deleted":
			s.todo = slices.Delete(s.todo, i, i+1)
		default:
			s.todo[i].item.Status = r.Change.To
		}
	case "TaskList":
		s.todo = s.todo[:0]
		for _, e := range r.Tasks {
			s.todo = append(s.todo, task{e.ID, agent.PlanItem{Text: e.Subject, Status: e.Status}})
		}
	case "TodoWrite":
		s.todo = s.todo[:0]
		for _, e := range r.Todos {
			s.todo = append(s.todo, task{item: agent.PlanItem{Text: e.Content, Status: e.Status}})
		}
	}
	return true
}

func (t *turn) sayPlan() {
	items := make([]agent.PlanItem, len(t.todo))
	for i, task := range t.todo {
		items[i] = task.item
	}
	t.host.Say(agent.Plan{Items: items})
}
