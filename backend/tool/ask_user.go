package tool

import (
	"context"
	_ "embed"
	"encoding/json"
)

//go:embed ask_user.md
var askUserText string

var askUser = asking[askUserArguments](define(Definition{Name: "ask_user", Description: askUserText}, runAskUser))

// askUserArguments are what the question shows, too.
type askUserArguments struct {
	Question string          `json:"question" about:"What you want to know."`
	Options  []string        `json:"options,omitempty" about:"Answers to choose from." max:"20"`
	Schema   json.RawMessage `json:"schema,omitempty" about:"What to fill in, as a JSON Schema of an object."`
}

// runAskUser is reached only where Decide was not asked: what the person says is the result of a call.
func runAskUser(context.Context, *Files, askUserArguments) (string, any, error) {
	return "", nil, refuse("Nobody can be asked here. Decide yourself, and say what you assumed.")
}
