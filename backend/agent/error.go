package agent

import (
	"errors"
	"fmt"
)

// Code is the closed list of ways in which a turn or a request fails. It is stored and sent, never parsed from text.
type Code string

// The codes. Each has a row in failures.
const (
	CodeValidation          Code = "validation"
	CodeContentFilter       Code = "content_filter"
	CodeProviderAuth        Code = "provider_auth"
	CodeProviderRateLimit   Code = "provider_rate_limit"
	CodeProviderUnavailable Code = "provider_unavailable"
	CodeToolDenied          Code = "tool_denied"
	CodeToolFailed          Code = "tool_failed"
	CodeToolUnavailable     Code = "tool_unavailable"
	CodeBudgetExceeded      Code = "budget_exceeded"
	CodeRunTimeout          Code = "run_timeout"
	CodeTurnLimit           Code = "turn_limit"
	CodeCancelled           Code = "cancelled"
	CodeSandbox             Code = "sandbox_error"
	CodeInternal            Code = "internal"
)

var failures = map[Code]struct {
	retryable bool
	remedy    string
}{
	CodeValidation:          {false, "Change the request and send it again."},
	CodeContentFilter:       {false, "The provider refused this content. Rephrase it."},
	CodeProviderAuth:        {false, "Check the API key of this provider."},
	CodeProviderRateLimit:   {true, "Wait a little, then retry, or choose another model."},
	CodeProviderUnavailable: {true, "The model cannot be reached. Check that it runs, then retry."},
	CodeToolDenied:          {false, "Allow the tool, or ask for something else."},
	CodeToolFailed:          {true, "See the tool's output, then retry."},
	CodeToolUnavailable:     {false, "Give the agent this tool, or choose another agent."},
	CodeBudgetExceeded:      {false, "Raise the session's budget to go on."},
	CodeRunTimeout:          {true, "The agent was silent for too long. Retry."},
	CodeTurnLimit:           {false, "Raise the limit, or go on with another message."},
	CodeCancelled:           {true, "Send the message again when you are ready."},
	CodeSandbox:             {true, "The agent's process ended. Retry starts a new one."},
	CodeInternal:            {true, "Retry. What was said so far is kept."},
}

// Valid reports whether c is one of the list; what arrives from outside is checked with it.
func (c Code) Valid() bool { _, ok := failures[c]; return ok }

// Retryable reports whether the same request may succeed later without any change.
func (c Code) Retryable() bool { return failures[c].retryable }

// Remedy is one sentence that tells the person what to do.
func (c Code) Remedy() string { return failures[c].remedy }

// Error is a failure that a person may read: Message says what was attempted and what went wrong, once, without
// secrets. Err, if any, is the cause; it goes to the log and is never shown.
type Error struct {
	Code    Code
	Message string
	Err     error
}

// Error is for logs: unlike Message it holds the cause.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error without a cause.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an Error from a cause that the person should not see.
func Wrap(code Code, err error, message string) *Error {
	return &Error{Code: code, Message: message, Err: err}
}

// AsError gives err as an Error. What is not one becomes CodeInternal with a fixed sentence: text that nobody wrote for
// a person is not shown to one.
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Wrap(CodeInternal, err, "Something went wrong inside Parley.")
}
