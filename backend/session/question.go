package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"parley/backend/agent"
	"parley/backend/schema"
	"parley/backend/store"
)

// ErrAnswered is returned for a question that has another answer, or whose turn does not wait any more.
var ErrAnswered = errors.New("the question does not wait for an answer any more")

// Standing is what a session is busy with.
type Standing struct {
	Turn    agent.TurnID
	Message agent.MessageID // the answer
	Paused  bool            // it waits for the questions in Open
	Open    []store.Question
}

// Standing gives the turn that runs or is paused; the zero Standing if there is none.
func (s *Sessions) Standing(ctx context.Context, key agent.SessionKey) (Standing, error) {
	if t, ok := s.Running(key); ok {
		return Standing{Turn: t.ID, Message: t.Message}, nil
	}
	row, err := s.paused(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return Standing{}, nil
	}
	if err != nil {
		return Standing{}, err
	}
	questions, err := s.Store.Questions(ctx, row.ID)
	open := slices.DeleteFunc(questions, func(q store.Question) bool { return q.Answer != nil })
	return Standing{row.ID, row.Message, true, open}, err
}

// paused gives the turn of a session that waits for answers, or store.ErrNotFound. It is the head: nothing else can be sent
// or chosen meanwhile.
func (s *Sessions) paused(ctx context.Context, key agent.SessionKey) (store.Turn, error) {
	session, err := s.Store.Session(ctx, key)
	if err != nil {
		return store.Turn{}, err
	}
	head, err := s.head(ctx, session)
	if err == nil && !head.Paused {
		err = store.ErrNotFound
	}
	return head, err
}

// Answer stores the answer to a question and, if it was the last one that the turn waited for, lets the turn go on. The turn
// is nil while other questions are open. The same answer may be given again; another one is ErrAnswered, as is any once the
// turn was stopped.
func (s *Sessions) Answer(ctx context.Context, q store.Question, r agent.InteractionResponse) (*Turn, error) {
	open, err := s.record(ctx, q, r)
	if err != nil || open > 0 {
		return nil, err
	}
	return s.resume(ctx, q.Key, q.Turn)
}

// Continue is Answer for several answers to one turn at once, each by the id of its question or, for a client's tool, by its
// call. Those that were given before are passed over: the turn that they led to is given. While the turn waits for more, it
// is given as it stands; without any answer to it, it is ErrBusy.
func (s *Sessions) Continue(ctx context.Context, key agent.SessionKey, message agent.MessageID, answers []agent.InteractionResponse) (*Turn, error) {
	row, err := s.Store.Turn(ctx, key, message)
	if err != nil {
		return nil, err
	}
	questions, err := s.Store.Questions(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	open, meant := 0, false
	for _, q := range questions {
		i := slices.IndexFunc(answers, func(r agent.InteractionResponse) bool {
			return r.ID == q.Request.ID || r.ID == "" && r.Call == q.Request.Call
		})
		meant = meant || i >= 0
		switch {
		case q.Answer != nil:
		case i < 0:
			open++
		default:
			if _, err := s.record(ctx, q, answers[i]); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case len(questions) == 0:
		return nil, agent.Errorf(agent.CodeValidation, "The message %s waits for no answer. Send a message of the person last.", message)
	case open > 0 && !meant:
		return nil, ErrBusy
	case open > 0:
		return s.replay(ctx, key, row.ID)
	}
	return s.resume(ctx, key, row.ID)
}

// record stores an answer and says how many questions of the turn are open then.
func (s *Sessions) record(ctx context.Context, q store.Question, r agent.InteractionResponse) (open int, err error) {
	r.ID, r.Call = q.Request.ID, q.Request.Call
	if r, err = shaped(q.Request, r); err != nil {
		return 0, err
	}
	r = s.safeAnswer(ctx, q.Request.Kind, r)
	record, open, err := s.Store.AnswerQuestion(context.WithoutCancel(ctx), q.Key, q.Turn, r)
	if errors.Is(err, store.ErrNotPaused) { // whoever answers at once is faster than the pause
		if t, ok := s.Running(q.Key); ok {
			select {
			case <-t.settled:
			case <-ctx.Done():
				return 0, ctx.Err()
			}
		}
		record, open, err = s.Store.AnswerQuestion(context.WithoutCancel(ctx), q.Key, q.Turn, r)
	}
	if errors.Is(err, store.ErrExists) {
		return s.answeredBefore(ctx, q, r)
	}
	if err != nil {
		return 0, err
	}
	s.changes.publish(Change{q.Key, record})
	return open, nil
}

// answeredBefore lets an answer pass that is given again: a client may not have heard that it was stored.
func (s *Sessions) answeredBefore(ctx context.Context, q store.Question, r agent.InteractionResponse) (open int, err error) {
	questions, err := s.Store.Questions(ctx, q.Turn)
	if err != nil {
		return 0, err
	}
	same := false
	for _, other := range questions {
		if other.Answer == nil {
			open++
		} else if other.Request.ID == r.ID {
			same = sameAnswer(*other.Answer, r)
		}
	}
	if !same {
		return 0, ErrAnswered
	}
	return open, nil
}

func sameAnswer(a, b agent.InteractionResponse) bool {
	x, errX := agent.EncodeEvent(a)
	y, errY := agent.EncodeEvent(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// shaped gives an answer as its kind of question needs it.
func shaped(request agent.InteractionRequest, r agent.InteractionResponse) (agent.InteractionResponse, error) {
	given := len(r.Output) > 0
	switch request.Kind {
	case agent.UserApproval:
		if given || r.Problem != "" {
			return r, agent.Errorf(agent.CodeValidation, "The question %s asks for an approval: answer it with approved.", r.ID)
		}
		if r.Scope == "" {
			r.Scope = agent.ScopeOnce
		}
		if !r.Scope.Valid() {
			return r, agent.Errorf(agent.CodeValidation, "scope must be %s, %s, %s or %s.", agent.ScopeOnce, agent.ScopeSession, agent.ScopeThisProject, agent.ScopeAlways)
		}
		if r.Approved && r.Scope != agent.ScopeOnce {
			var manifest struct{ Rule string }
			if json.Unmarshal(request.Payload, &manifest) != nil || manifest.Rule == "" {
				return r, agent.Errorf(agent.CodeValidation, "This call can be allowed once only: there is no rule for others like it.")
			}
			r.Rule = manifest.Rule // as the person has read it
		}
	case agent.UserInput:
		if r.Approved && !given {
			return r, agent.Errorf(agent.CodeValidation, "The question %s asks for something: answer it with output, or decline it.", r.ID)
		}
		if err := fits(request, r.Output); err != nil {
			return r, agent.Errorf(agent.CodeValidation, "The answer does not fit what is asked for: %v.", err)
		}
	case agent.ClientTool:
		if !given && r.Problem == "" {
			return r, agent.Errorf(agent.CodeValidation, "The call %s waits for what the client's tool gives: answer it with output.", r.Call)
		}
	}
	return r, nil
}

// fits holds a form that was filled in to the schema that the question has. A text is an answer to any question: not every
// schema can be shown as a form.
func fits(request agent.InteractionRequest, output json.RawMessage) error {
	var asked struct{ Schema json.RawMessage }
	if json.Unmarshal(request.Payload, &asked) != nil || !bytes.HasPrefix(output, []byte("{")) {
		return nil
	}
	form, err := schema.Read(asked.Schema)
	if err != nil { // the model may have written anything
		return nil
	}
	return form.Check(output)
}

// resume lets a turn go on whose questions are all answered. If somebody else did, it is given as it is.
func (s *Sessions) resume(ctx context.Context, key agent.SessionKey, id agent.TurnID) (*Turn, error) {
	ctx = context.WithoutCancel(ctx)
	t, err := s.begin(key)
	if errors.Is(err, ErrBusy) {
		return s.replay(ctx, key, id)
	}
	if err != nil {
		return nil, err
	}
	session, err := s.takeUp(ctx, t, id)
	if err != nil {
		s.end(t)
		if errors.Is(err, store.ErrExists) {
			return s.replay(ctx, key, id)
		}
		return nil, err
	}
	go s.run(ctx, t, func(log *turnLog) opened { return s.reopen(ctx, t, session, log) })
	return t, nil
}

// takeUp makes t the paused turn with that id, with its log and the record that it goes on.
func (s *Sessions) takeUp(ctx context.Context, t *Turn, id agent.TurnID) (store.Session, error) {
	session, err := s.Store.Session(ctx, t.Key)
	if err != nil {
		return session, err
	}
	records, err := s.Store.TurnLog(ctx, id)
	if err != nil {
		return session, err
	}
	resumed, err := s.Store.ResumeTurn(ctx, t.Key, id)
	if err != nil {
		return session, err
	}
	s.changes.publish(Change{t.Key, resumed})
	return session, t.take(append(records, resumed))
}

// consequences are what follows from the answers to a paused turn: the results that the answers themselves are, and the
// calls that may run now.
func (s *Sessions) consequences(ctx context.Context, t *Turn, log *turnLog) (results []agent.Event, approved []string, err error) {
	questions, err := s.Store.Questions(ctx, t.ID)
	if err != nil {
		return nil, nil, err
	}
	settled := map[string]bool{} // calls that an earlier pause was about
	for _, r := range t.records[:t.From] {
		if result, ok := r.Event.(agent.ToolResult); ok {
			settled[result.ID] = true
		}
	}
	for _, q := range questions {
		if q.Answer == nil || settled[q.Request.Call] {
			continue
		}
		switch granted := q.Request.Kind == agent.UserApproval && q.Answer.Approved; {
		case granted && log.secrets.lost(t.records, q.Request.Call):
			results = append(results, agent.ToolResult{ID: q.Request.Call, IsError: true, Output: lostInput})
		case granted && isGrant(q.Request.Call):
			results = append(results, agent.ToolResult{ID: q.Request.Call, Output: "The person allowed it."})
		case granted:
			approved = append(approved, q.Request.Call)
		default:
			results = append(results, resultOf(q.Request.Kind, *q.Answer))
		}
	}
	return results, approved, nil
}

// resultOf is an answer as the model reads it.
func resultOf(kind agent.InteractionKind, r agent.InteractionResponse) agent.ToolResult {
	switch {
	case kind == agent.UserApproval && r.Note != "":
		return agent.ToolResult{ID: r.Call, Denied: true, Output: "The person did not allow this call, and says: " + r.Note}
	case kind == agent.UserApproval:
		return agent.ToolResult{ID: r.Call, Denied: true, Output: "The person did not allow this call."}
	case r.Problem != "":
		return agent.ToolResult{ID: r.Call, IsError: true, Output: r.Problem}
	case len(r.Output) == 0:
		return agent.ToolResult{ID: r.Call, Denied: true, Output: "The person declined to answer."}
	}
	var text string
	if json.Unmarshal(r.Output, &text) == nil {
		return agent.ToolResult{ID: r.Call, Output: text}
	}
	return agent.ToolResult{ID: r.Call, Data: r.Output}
}

// stopPaused ends a turn that waits for answers: after that they do nothing.
func (s *Sessions) stopPaused(ctx context.Context, key agent.SessionKey) (Stopped, error) {
	row, err := s.paused(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return WasIdle, nil
	}
	if err != nil {
		return "", err
	}
	t, err := s.begin(key)
	if errors.Is(err, ErrBusy) { // it was answered in between
		return s.Stop(ctx, key)
	}
	if err != nil {
		return "", err
	}
	defer s.end(t)
	ctx = context.WithoutCancel(ctx)
	records, err := s.Store.TurnLog(ctx, row.ID)
	if err != nil {
		return "", err
	}
	if err := t.take(records); err != nil {
		return "", err
	}
	log := newTurnLog(s, t)
	if err := s.settle(ctx, t, log, agent.TurnCompleted{StopReason: agent.StopCancelled, Usage: log.before, Model: log.model}); err != nil {
		if errors.Is(err, store.ErrNotFound) { // settled in between
			return WasIdle, nil
		}
		return "", err
	}
	return t.stopped, nil
}
