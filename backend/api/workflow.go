package api

import (
	"encoding/json"
	"net/http"

	"parley/backend/agent"
	"parley/backend/workflow"
)

// maxWorkflow is more than a graph has whose file is one, however much of it is escaped.
const maxWorkflow = 16 << 20

// WorkflowToCheck is a workflow as a graph that somebody edits or, without one, as the text of a file. Metadata is that of the
// graph as the text of a JSON object, so that nobody changes a number in it; empty if there is none.
type WorkflowToCheck struct {
	Graph    *workflow.Graph `json:"graph,omitempty"`
	Metadata string          `json:"metadata,omitempty"`
	Source   string          `json:"source,omitempty"`
}

// CheckedWorkflow is a workflow's file, and what it says.
type CheckedWorkflow struct {
	Source      string          `json:"source"`
	Graph       *workflow.Graph `json:"graph,omitempty"` // there if nothing of the source would be lost in it, valid or not
	Metadata    string          `json:"metadata"`        // as in WorkflowToCheck
	HasComments bool            `json:"hasComments"`     // which would be lost if the graph was written
	Problems    []FileProblem   `json:"problems"`
}

// checkWorkflow says what a workflow's file says, and what is wrong with it. The file of a graph is in the one form that files
// have. Nothing is kept.
func (d inside) checkWorkflow(_ *http.Request, w WorkflowToCheck) (CheckedWorkflow, error) {
	if w.Graph == nil {
		return checkedWorkflow([]byte(w.Source)), nil
	}
	var object map[string]json.RawMessage
	if w.Metadata != "" && (json.Unmarshal([]byte(w.Metadata), &object) != nil || object == nil) {
		return CheckedWorkflow{}, agent.Errorf(agent.CodeValidation, "The workflow was not checked: its metadata must be the text of a JSON object.")
	}
	w.Graph.Metadata = json.RawMessage(w.Metadata)
	src, err := workflow.Write(*w.Graph)
	if err != nil {
		return CheckedWorkflow{}, err
	}
	return checkedWorkflow(src), nil
}

func checkedWorkflow(src []byte) CheckedWorkflow {
	p := workflow.Parse(src)
	c := CheckedWorkflow{Source: string(src), Graph: p.Graph, HasComments: p.HasComments, Problems: fileProblems(p.Problems)}
	if p.Graph != nil {
		c.Metadata = string(p.Graph.Metadata)
	}
	return c
}

// WorkflowMetadata is that of a workflow, as in WorkflowToCheck.
type WorkflowMetadata struct {
	Metadata string `json:"metadata"`
}

// WorkflowOrigins tells what the nodes of a workflow that was a session were made of.
type WorkflowOrigins struct {
	Origins []workflow.Origin `json:"origins"`
}

// findOrigins reads what an export wrote into the metadata of a workflow.
func (d inside) findOrigins(_ *http.Request, w WorkflowMetadata) (WorkflowOrigins, error) {
	return WorkflowOrigins{append([]workflow.Origin{}, workflow.Origins(json.RawMessage(w.Metadata))...)}, nil
}
