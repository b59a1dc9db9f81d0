package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/uistream"
	"parley/backend/workflow"
)

// Import is a file to make a session of: a bundle, or messages as useChat has them, a line each.
type Import struct {
	Content string `json:"content"`
}

// importSession makes a new session of a file.
func (d inside) importSession(r *http.Request, body Import) (Session, error) {
	src := []byte(body.Content)
	read := d.fromMessages
	if workflow.IsBundle(src) {
		read = fromBundle
	}
	a, media, err := read(r.Context(), src)
	if err != nil {
		return Session{}, err
	}
	key, err := d.Sessions.Import(r.Context(), d.project, a, media)
	if err != nil {
		return Session{}, err
	}
	s, err := d.Store.Session(r.Context(), key)
	return d.session(s), err
}

// fromMessages makes a session of what was said, with the agent for who chose none.
func (d inside) fromMessages(ctx context.Context, src []byte) (a store.Archive, media []agent.Media, err error) {
	said, err := uistream.DecodeTranscript(workflow.ReadJSONL(src))
	if err != nil {
		return a, nil, err
	}
	if len(said) == 0 {
		return a, nil, agent.Errorf(agent.CodeValidation, "The file was not imported: it is empty.")
	}
	now := time.Now()
	a.Session = store.Session{CreatedAt: now, UpdatedAt: now}
	if a.Session.Agent, err = d.Sessions.Agent(ctx, d.project, ""); err != nil {
		return a, nil, err
	}
	for _, e := range said {
		media = append(media, e.Media...)
		started := agent.TurnStarted{Turn: agent.NewTurnID(), UserMessage: e.Asked.ID, Message: cmp.Or(e.Answer, agent.NewMessageID()), Agent: a.Session.Agent.ID, Model: e.Model}
		turn := store.ArchivedTurn{Turn: store.Turn{
			ID: started.Turn, Parent: a.Session.Head, UserMessage: e.Asked.ID, Message: started.Message, StopReason: agent.StopEndTurn, StartedAt: now, SettledAt: now,
		}}
		for _, event := range slices.Concat([]agent.Event{started}, e.Events, []agent.Event{agent.TurnCompleted{StopReason: agent.StopEndTurn, Model: e.Model}}) {
			turn.Log = append(turn.Log, agent.Record{Turn: started.Turn, At: now, Event: event})
		}
		for _, m := range append([]agent.Message{e.Asked}, uistream.Durable(turn.Log)...) {
			turn.Rows = append(turn.Rows, store.Row{Message: m, At: now})
		}
		a.Turns, a.Session.Head = append(a.Turns, turn), started.Turn
	}
	return a, media, nil
}

// fromBundle reads the parts of a bundle, and holds them to what a session is.
func fromBundle(_ context.Context, src []byte) (a store.Archive, media []agent.Media, err error) {
	parts, err := workflow.ReadBundle(src)
	if err != nil {
		return a, nil, err
	}
	sessions, asked := 0, map[agent.MessageID]bool{}
	for _, p := range parts {
		switch p.Kind {
		case "session":
			sessions++
			var s bundleSession
			err = p.Read(&s)
			a.Session = store.Session{
				Agent: s.Agent, Title: s.Title, Head: s.Head, MaxTurns: s.MaxTurns,
				CreatedAt: time.UnixMilli(s.CreatedAt), UpdatedAt: time.UnixMilli(s.UpdatedAt),
			}
		case "media":
			var m bundleMedia
			if err = p.Read(&m); err == nil {
				var known agent.Media
				known, err = agent.NewMedia(m.Content)
				media = append(media, known)
			}
		case "turn":
			var t bundleTurn
			if err = p.Read(&t); err == nil {
				var turn store.ArchivedTurn
				turn, err = t.archived()
				a.Turns = append(a.Turns, turn)
				for _, row := range turn.Rows {
					asked[row.ID] = asked[row.ID] || row.Role == agent.RoleUser
				}
				if err == nil && !(asked[t.UserMessage] && isWhole(turn)) {
					err = agent.Errorf(agent.CodeValidation, "The file was not imported: a turn in it is not whole.")
				}
			}
		default:
			err = agent.Errorf(agent.CodeValidation, "The file was not imported: this Parley does not know parts of the kind %.20q. Update Parley.", p.Kind)
		}
		if err != nil {
			return a, nil, err
		}
	}
	if sessions != 1 {
		return a, nil, agent.Errorf(agent.CodeValidation, "The file was not imported: it has %d sessions, and must have one.", sessions)
	}
	if at := slices.IndexFunc(a.Turns, func(t store.ArchivedTurn) bool { return t.ID == a.Session.Head }); at < 0 && (a.Session.Head != "" || len(a.Turns) > 0) {
		return a, nil, agent.Errorf(agent.CodeValidation, "The file was not imported: it does not have the last turn of its session.")
	}
	return a, media, nil
}

func (t bundleTurn) archived() (store.ArchivedTurn, error) {
	out := store.ArchivedTurn{Turn: store.Turn{
		ID: t.ID, Parent: t.Parent, UserMessage: t.UserMessage, Message: t.Message, StopReason: t.StopReason,
		StartedAt: time.UnixMilli(t.StartedAt), SettledAt: time.UnixMilli(t.SettledAt),
	}}
	for _, l := range t.Log {
		events, err := agent.DecodeLog(l.Events)
		if err != nil {
			return out, agent.Wrap(agent.CodeValidation, err, "The file was not imported: what is logged of a turn cannot be read.")
		}
		for _, e := range events {
			out.Log = append(out.Log, agent.Record{At: time.UnixMilli(l.At), Event: e})
		}
	}
	for _, r := range t.Rows {
		parts, err := agent.DecodeParts(r.Content)
		if err != nil {
			return out, agent.Wrap(agent.CodeValidation, err, "The file was not imported: a message cannot be read.")
		}
		out.Rows = append(out.Rows, store.Row{Message: agent.Message{ID: r.ID, Role: r.Role, Model: r.Model, Parts: parts}, At: time.UnixMilli(r.At)})
	}
	return out, nil
}

// isWhole reports whether a run could have left the turn: it begins and ends as it says, and can be shown.
func isWhole(t store.ArchivedTurn) bool {
	if len(t.Log) == 0 {
		return false
	}
	started, begun := t.Log[0].Event.(agent.TurnStarted)
	done, ended := t.Log[len(t.Log)-1].Event.(agent.TurnCompleted)
	_, err := uistream.View("", t.Log)
	for _, row := range t.Rows {
		switch row.Role {
		case agent.RoleSystem, agent.RoleUser, agent.RoleAssistant, agent.RoleTool:
		default:
			return false
		}
	}
	return begun && ended && err == nil && t.ID != "" && started.UserMessage == t.UserMessage && started.Message == t.Message && done.StopReason == t.StopReason
}
