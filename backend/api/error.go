package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"parley/backend/agent"
	"parley/backend/session"
	"parley/backend/store"
)

// Failure is the body of every reply that is not a success. Turn is what the session is busy with, if that is why.
type Failure struct {
	Status FailureStatus `json:"status"`
	Turn   *BusyTurn     `json:"turn,omitempty"`
}

// BusyTurn is the turn that a session is busy with.
type BusyTurn struct {
	TurnID    agent.TurnID    `json:"turn_id"`
	MessageID agent.MessageID `json:"message_id"` // of the answer
	State     TurnState       `json:"state"`
	Pending   []Question      `json:"pending"` // what it waits for
}

// TurnState is what a turn that is not done is doing.
type TurnState string

// The states.
const (
	TurnRunning TurnState = "running"
	TurnPaused  TurnState = "paused"
)

// FailureStatus says what went wrong: Code is the HTTP status, Type a word to act on, Message a sentence to show.
type FailureStatus struct {
	Code    int    `json:"code"`
	Type    string `json:"type"`
	Message string `json:"message"`
}

// refusal is a failure of the request itself, before any room was asked.
type refusal struct {
	status  int
	kind    string
	message string
}

func (e *refusal) Error() string { return e.message }

// busy is a refusal because of a turn.
type busy struct{ turn BusyTurn }

func (e *busy) Error() string { return string(e.turn.State) }

var (
	errHost    = &refusal{http.StatusForbidden, "forbidden_host", "This address is not Parley's. Open the link that Parley printed."}
	errOrigin  = &refusal{http.StatusForbidden, "forbidden_origin", "Pages of other sites may not talk to Parley."}
	errToken   = &refusal{http.StatusUnauthorized, "unauthorized", "The token is missing or wrong. Open the link that Parley printed."}
	errBound   = &refusal{http.StatusForbidden, "forbidden_project", "This token is for another project. Leave out " + ProjectHeader + ", or use the token of that project."}
	errOwners  = &refusal{http.StatusForbidden, "forbidden", "The token of a project is not enough for this. Use the link that Parley printed for all of them."}
	errVersion = &refusal{http.StatusBadRequest, "unsupported_version", "This Parley speaks version " + apiVersion + " of its protocol. Leave out " + versionName + ", or update."}
	errTurns   = &refusal{http.StatusConflict, "busy", "An answer is being written. Stop it, or wait for it, then retry."}
	errNoAgent = &refusal{http.StatusNotFound, "not_found", "There is no such agent, or it was not made here."}
	errNowhere = &refusal{http.StatusNotFound, "not_found", "There is nothing here."}
	errMethod  = &refusal{http.StatusMethodNotAllowed, "method_not_allowed", "This cannot be done here. The header allow names what can."}
	errSlow    = &refusal{http.StatusRequestTimeout, "too_slow", "The body of the request came too slowly. Send it again."}
	errAccept  = &refusal{http.StatusNotAcceptable, "not_acceptable", "There is no such form of the answer. Accept application/json or text/event-stream."}
)

// statuses is how the codes of the rooms behind the door look from outside.
var statuses = map[agent.Code]int{
	agent.CodeValidation:          http.StatusBadRequest,
	agent.CodeContentFilter:       http.StatusUnprocessableEntity,
	agent.CodeTurnLimit:           http.StatusUnprocessableEntity,
	agent.CodeBudgetExceeded:      http.StatusUnprocessableEntity,
	agent.CodeProviderRateLimit:   http.StatusTooManyRequests,
	agent.CodeProviderAuth:        http.StatusBadGateway,
	agent.CodeProviderUnavailable: http.StatusBadGateway,
	agent.CodeRunTimeout:          http.StatusGatewayTimeout,
	agent.CodeCancelled:           http.StatusServiceUnavailable,
}

func (d *Door) refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, context.Canceled) {
		return // nobody is there to read it
	}
	f := d.describe(err)
	if f.Code >= http.StatusInternalServerError {
		d.Log.Error("request failed", "error", err)
	}
	if out, ok := w.(*outgoing); ok && out.begun {
		panic(http.ErrAbortHandler) // the client sees that what it has is not the whole
	}
	out := Failure{Status: f}
	var because *busy
	if errors.As(err, &because) {
		out.Turn = &because.turn
	}
	writeJSON(w, f.Code, out)
}

// describe is what is seen of an error outside, without what is secret. While nobody can say what is, the sentence stays: it may
// be the one that says so. That of a refusal is ours, and a stranger may not make the keychain ask the person.
func (d *Door) describe(err error) FailureStatus {
	f := describe(err)
	var refused *refusal
	d.mu.Lock()
	rooms := d.rooms
	d.mu.Unlock()
	if rooms == nil || errors.As(err, &refused) {
		return f
	}
	if known, err := rooms.Sessions.Known(d.closing); err == nil {
		f.Message = known.Text(f.Message)
	}
	return f
}

// describe is the one table from errors to what is seen of them outside.
func describe(err error) FailureStatus {
	var refused *refusal
	var tooLarge *http.MaxBytesError
	var because *busy
	switch {
	case errors.As(err, &refused):
		return FailureStatus{refused.status, refused.kind, refused.message}
	case errors.As(err, &tooLarge):
		return FailureStatus{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("This request may have %d MiB at most.", tooLarge.Limit>>20)}
	case errors.Is(err, store.ErrNotFound):
		return FailureStatus{http.StatusNotFound, "not_found", "There is no such session or message."}
	case errors.Is(err, store.ErrReadOnly):
		return FailureStatus{http.StatusForbidden, "read_only", store.ErrReadOnly.Message}
	case store.Damaged(err):
		return FailureStatus{http.StatusInternalServerError, "damaged", "A part of the history was changed outside Parley, or its disk is failing; it cannot be read. Salvage what is readable, or put a backup back; parley doctor --verify says how much is damaged."}
	case store.Full(err):
		return FailureStatus{http.StatusInsufficientStorage, "disk_full", "This could not be stored: the disk is full. Everything stored before is safe. Make room, then try again."}
	case errors.As(err, &because) && because.turn.State == TurnPaused:
		return FailureStatus{http.StatusConflict, "paused", "The session waits for an answer to what its agent asked. Answer it, or stop the turn."}
	case errors.Is(err, session.ErrAnswered):
		return FailureStatus{http.StatusConflict, "answered", "This question does not wait for an answer any more: it was answered, or its turn was stopped."}
	case errors.Is(err, session.ErrBusy) || because != nil:
		return FailureStatus{http.StatusConflict, "busy", "The session is still answering. Stop it, or wait for it."}
	}
	e := agent.AsError(err)
	status, ok := statuses[e.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	return FailureStatus{status, string(e.Code), e.Message}
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		panic(err) // a DTO that has no JSON form is a mistake in this package
	}
	w.Header().Set("content-type", "application/json")
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeLimit))
	w.WriteHeader(status)
	w.Write(append(b, '\n'))
}
