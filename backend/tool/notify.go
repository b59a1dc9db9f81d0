package tool

import (
	"context"
	_ "embed"
	"encoding/json"

	"parley/backend/agent"
)

//go:embed notify.md
var notifyText string

var notify = defineSpeaking(Definition{Name: "notify", Description: notifyText}, runNotify)

type notifyArguments struct {
	Title string `json:"title" about:"What it is about, in a few words."`
	Body  string `json:"body,omitempty" about:"One or two sentences more."`
}

// notifyData is what the card of a call shows, and the notification.
type notifyData struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

func runNotify(_ context.Context, _ *Files, _ string, say say, in notifyArguments) (string, any, error) {
	d := notifyData{oneLine(in.Title), oneLine(in.Body)}
	payload, err := json.Marshal(d)
	if err != nil {
		return "", nil, err
	}
	say(agent.Data{Name: "notification", Data: payload, Transient: true})
	return "The person is notified, if their desktop shows notifications.", d, nil
}
