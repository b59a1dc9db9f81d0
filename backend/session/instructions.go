package session

import (
	"encoding/json"
	"reflect"
	"regexp"

	"parley/backend/agent"
)

// sameAgent compares what is stored of agents.
func sameAgent(a, b agent.Spec) bool {
	var stored [2]agent.Spec
	for i, spec := range []agent.Spec{a, b} {
		text, err := json.Marshal(spec)
		if err != nil || json.Unmarshal(text, &stored[i]) != nil {
			return false
		}
	}
	return reflect.DeepEqual(stored[0], stored[1])
}

var placeholder = regexp.MustCompile(`\{\{\s*inputs\.([A-Za-z0-9_-]+)\s*\}\}`)

// fill puts the inputs of a turn into instructions: a text as it is, any other value as JSON. What the instructions ask for
// and nobody gave is an error: a model that reads a placeholder answers something else than was meant.
func fill(instructions string, inputs json.RawMessage) (string, error) {
	values := map[string]json.RawMessage{}
	if len(inputs) > 0 {
		if err := json.Unmarshal(inputs, &values); err != nil {
			return "", agent.Errorf(agent.CodeValidation, "inputs must be an object.")
		}
	}
	var missing *agent.Error
	filled := placeholder.ReplaceAllStringFunc(instructions, func(found string) string {
		name := placeholder.FindStringSubmatch(found)[1]
		value, ok := values[name]
		if !ok && missing == nil {
			missing = agent.Errorf(agent.CodeValidation, "The agent's instructions ask for the input %q, which the request does not give. Add it to inputs.", name)
		}
		var text string
		if json.Unmarshal(value, &text) == nil {
			return text
		}
		return string(value)
	})
	if missing != nil {
		return "", missing
	}
	return filled, nil
}
