package uistream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"parley/backend/agent"
)

// answers reads what a part of an answer that goes on says: how an approval was decided, or what the client's own tool
// gave. The rest of the answer is known here, and better.
func (r *reader) answers(path string, raw json.RawMessage) []agent.InteractionResponse {
	in := r.object(path, raw)
	if typ := r.text(path+".type", in["type"]); typ != "dynamic-tool" && !strings.HasPrefix(typ, "tool-") {
		return nil
	}
	state := r.text(path+".state", in["state"])
	answer := agent.InteractionResponse{Call: r.text(path+".toolCallId", in["toolCallId"])}
	client := !r.flag(path+".providerExecuted", in["providerExecuted"])
	switch {
	case state == "approval-responded":
		approval := r.object(path+".approval", in["approval"])
		answer.ID = agent.InteractionID(r.text(path+".approval.id", approval["id"]))
		answer.Approved = r.flag(path+".approval.approved", approval["approved"])
		answer.Note = r.text(path+".approval.reason", approval["reason"])
		if answer.ID == "" || !given(approval["approved"]) {
			r.fail("%s.approval must have an id, and say approved", path)
		}
	case client && state == "output-available" && !r.flag(path+".preliminary", in["preliminary"]):
		answer.Output = bytes.Clone(in["output"])
		if answer.Output == nil {
			answer.Output = json.RawMessage("null")
		}
	case client && state == "output-error":
		answer.Problem = cmp.Or(r.text(path+".errorText", in["errorText"]), noReason)
	default:
		return nil
	}
	if answer.Call == "" {
		r.fail("%s.toolCallId must be a string that is not empty", path)
	}
	return []agent.InteractionResponse{answer}
}
