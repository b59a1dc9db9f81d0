package tool

import (
	"context"
	_ "embed"
	"fmt"

	"parley/backend/agent"
)

//go:embed todo_write.md
var todoWriteText string

var todoWrite = defineSpeaking(Definition{Name: "todo_write", Description: todoWriteText}, runTodoWrite)

type todoWriteArguments struct {
	Items []todo `json:"items" about:"The whole list, in the order of the work." max:"100"`
}

type todo struct {
	Text   string `json:"text" about:"What is to be done, in a few words."`
	Status string `json:"status" about:"How far it is." enum:"pending,in_progress,completed"`
}

// todoWriteData is what the card of a call shows; the list itself is the turn's plan.
type todoWriteData struct {
	Items int `json:"items"`
	Done  int `json:"done"`
}

func runTodoWrite(_ context.Context, _ *Files, _ string, say say, in todoWriteArguments) (string, any, error) {
	plan := agent.Plan{Items: make([]agent.PlanItem, len(in.Items))}
	d := todoWriteData{Items: len(in.Items)}
	for i, item := range in.Items {
		plan.Items[i] = agent.PlanItem(item)
		if item.Status == "completed" {
			d.Done++
		}
	}
	say(plan)
	return fmt.Sprintf("The checklist has %s, of which %d are completed.", counted(d.Items, "item", "items"), d.Done), d, nil
}
