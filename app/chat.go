package app

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/backend/agent"
	"parley/backend/api"
	"parley/backend/session"
	"parley/backend/uistream"
)

// dialogue is a conversation on the command line.
type dialogue struct {
	Connection
	session agent.SessionID
	agent   string
	scope   agent.FileScope // empty: the session's own, or the default for a new one
	mode    agent.Mode      // as scope
	json    bool
	out     io.Writer
	notes   io.Writer
	lines   *bufio.Scanner // what the person types; nil if nobody can be asked
}

func chatCommand() *cobra.Command {
	var message, id, scope, mode string
	d := &dialogue{}
	cmd := &cobra.Command{
		Use:   "chat",
		Short: "Take one turn, or talk on the terminal",
		Long: "chat sends a message and prints the answer. Without -m it reads the message from its input, or, on a terminal,\n" +
			"one line after the other, and asks there what the agent has to ask. It exits with 0 when the turn is done, 1 when it\n" +
			"failed, 2 when it was called wrongly, and 3 when it waits for an answer that only a person can give.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.session, d.out, d.notes = agent.SessionID(id), cmd.OutOrStdout(), cmd.ErrOrStderr()
			isNew := d.session == ""
			if isNew {
				d.session = agent.NewSessionID()
			} else if err := d.session.Validate(); err != nil {
				return usage{errors.New(agent.AsError(err).Message)}
			}
			if cmd.Flags().Changed("message") && strings.TrimSpace(message) == "" {
				return usage{errors.New("-m needs a message that is not empty")}
			}
			if d.scope = agent.FileScope(scope); scope != "" && !d.scope.Valid() {
				return usage{errors.New("--scope is sandboxed, project or full")}
			}
			if d.mode = agent.Mode(mode); mode != "" && !slices.Contains(agent.Modes(), d.mode) {
				return usage{errors.New("--mode is ask, accept_edits, plan, auto or deny")}
			}
			h, err := findHome(os.Getenv)
			if err != nil {
				return err
			}
			c, leave, err := enter(cmd)
			if err != nil {
				return err
			}
			defer leave()
			d.Connection = c
			if isNew {
				err = d.choose(cmd.Context(), new(h.workingFolder()))
			} else if scope != "" || mode != "" {
				err = d.choose(cmd.Context(), nil)
			}
			if err != nil {
				return err
			}
			if message == "" {
				return d.read(cmd.Context(), os.Stdin)
			}
			return d.turn(cmd.Context(), message)
		},
	}
	cmd.Flags().StringVarP(&message, "message", "m", "", "the message to send")
	cmd.Flags().StringVar(&id, "session", "", "the session to go on with; a new one if left out")
	cmd.Flags().StringVar(&d.agent, "agent", "", "the agent to talk to")
	cmd.Flags().StringVar(&scope, "scope", "", "which files the agent reaches: sandboxed (it reads this folder, and writes to one of its own), project (it works in this folder)\nor full (all that you can reach); a new session is sandboxed")
	cmd.Flags().StringVar(&mode, "mode", "", "what the agent may do without asking: ask (nothing), accept_edits, plan (it only reads), auto (everything) or deny (it does\nwithout whatever would ask: where nobody can be asked)")
	cmd.Flags().BoolVar(&d.json, "json", false, "print session events, one JSON object per line")
	return cmd
}

// choose says which files the session reaches, and in which mode it is. A new one is about the folder that this command was
// started in.
func (d *dialogue) choose(ctx context.Context, folder *string) error {
	change := api.SessionChange{WorkingDir: folder}
	if d.mode != "" {
		change.Mode = &d.mode
	}
	if d.scope != "" {
		change.Scope = &d.scope
	}
	_, err := ask[api.Session](ctx, d.Connection, http.MethodPatch, d.path("/sessions/", ""), change)
	return err
}

// read takes messages from the terminal until its end, or the one message that the input is.
func (d *dialogue) read(ctx context.Context, in *os.File) error {
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if info.Mode()&os.ModeCharDevice == 0 {
		message, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		if strings.TrimSpace(string(message)) == "" {
			return usage{errors.New("there is no message: use -m, or write it to the input")}
		}
		return d.turn(ctx, string(message))
	}
	fmt.Fprintln(d.notes, "Type a message and press Enter. Ctrl-C stops an answer, Ctrl-D ends.")
	d.lines = bufio.NewScanner(in)
	d.lines.Buffer(nil, 16<<20)
	if err := d.takeUp(ctx); err != nil {
		return err
	}
	for fmt.Fprint(d.notes, "\n> "); d.lines.Scan(); fmt.Fprint(d.notes, "\n> ") {
		if strings.TrimSpace(d.lines.Text()) == "" {
			continue
		}
		err := d.turn(ctx, d.lines.Text())
		var failed exit
		if err != nil && !errors.As(err, &failed) || ctx.Err() != nil {
			return err
		}
	}
	return d.lines.Err()
}

// turn sends a message and prints what the session says until the turn is over. If the person interrupts, the turn is
// stopped and what was said is kept.
func (d *dialogue) turn(ctx context.Context, text string) error {
	from, err := d.next(ctx)
	if err != nil {
		return err
	}
	if err := d.send(ctx, text); err != nil {
		return err
	}
	return d.follow(ctx, from)
}

// follow prints what the session says from an event on, until its turn is over.
func (d *dialogue) follow(ctx context.Context, from int64) error {
	patient := context.WithoutCancel(ctx)
	stopping := context.AfterFunc(ctx, func() {
		res, err := d.do(patient, http.MethodPost, d.path("/messages/", "/stop"), nil)
		if err == nil {
			res.Body.Close()
		}
	})
	defer stopping()
	res, err := d.do(patient, http.MethodGet, d.path("/sessions/", fmt.Sprintf("/events?from=%d", from)), nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return d.print(patient, res.Body)
}

// next is the number that the session's next event will have.
func (d *dialogue) next(ctx context.Context) (int64, error) {
	s, err := ask[api.Session](ctx, d.Connection, http.MethodGet, d.path("/sessions/", ""), nil)
	var refusal *refused
	if errors.As(err, &refusal) && refusal.Code == http.StatusNotFound {
		return 0, nil
	}
	return s.NextSequence, err
}

func (d *dialogue) send(ctx context.Context, text string) error {
	message, err := uistream.UserMessage(agent.Message{ID: agent.NewMessageID(), Role: agent.RoleUser, Parts: []agent.Part{agent.TextPart{Text: text}}})
	if err != nil {
		return err
	}
	body := map[string]any{"session_id": d.session, "data": map[string]any{"messages": []json.RawMessage{message}}}
	if d.agent != "" {
		body["references"] = map[string]string{"agent": d.agent}
	}
	res, err := d.do(ctx, http.MethodPost, "/messages", body)
	if err != nil {
		return err
	}
	return res.Body.Close() // the turn goes on without us; we follow the session's events
}

func (d *dialogue) path(before, after string) string { return before + string(d.session) + after }

// print shows events until the turn is over, and gives the exit code if it did not end well. What the turn waits for is asked,
// if somebody is there.
func (d *dialogue) print(ctx context.Context, events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the answer was cut off: %w; what was said is kept in session %s", err, d.session)
		}
		var e session.Event
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if d.json {
			_, err = d.out.Write(line)
		} else {
			err = d.printText(e)
		}
		if err != nil {
			return err
		}
		switch {
		case e.Type != "session:turn_completed":
		case e.StopReason == "paused" && d.lines != nil:
			if err := d.askPerson(ctx); err != nil {
				return err
			}
		default:
			return d.outcome(e)
		}
	}
}

func (d *dialogue) printText(e session.Event) error {
	var err error
	switch e.Type {
	case "agent:token":
		_, err = io.WriteString(d.out, e.Token)
	case "agent:message_end":
		_, err = io.WriteString(d.out, "\n")
	case "agent:tool_call":
		_, err = fmt.Fprintf(d.notes, "· %s %s\n", e.ToolID, e.ToolInput)
	case "agent:tool_result":
		_, err = fmt.Fprintf(d.notes, "  %s\n", e.OutputSummary)
	}
	return err
}

func (d *dialogue) outcome(e session.Event) error {
	if !d.json {
		fmt.Fprintln(d.out)
	}
	switch e.StopReason {
	case "error":
		fmt.Fprintf(d.notes, "parley: %s %s\n", e.Error.Message, e.Error.Code.Remedy())
		return exit(exitFailed)
	case "paused":
		fmt.Fprintf(d.notes, "parley: the agent waits for your answer. Open Parley to give it, or run: parley chat --session %s\n", d.session)
		return exit(exitWaits)
	case "aborted":
		fmt.Fprintln(d.notes, "parley: stopped; what was said is kept")
		return exit(exitFailed)
	}
	return nil
}
