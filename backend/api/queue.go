package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"parley/backend/agent"
	"parley/backend/store"
	"parley/backend/uistream"
)

// Queued is a message that waits for the running turn to end.
type Queued struct {
	Number  int64           `json:"number"`
	Message json.RawMessage `json:"message"` // as useChat knows it
	At      int64           `json:"at"`      // milliseconds since 1970
	Given   bool            `json:"given"`   // to the agent, in the middle of its turn: it leaves the queue once it is heard
}

// Queue is what waits in a session, in the order in which it will be sent.
type Queue struct {
	Queue []Queued `json:"queue"`
}

// QueuedChange gives a message that waits another text.
type QueuedChange struct {
	Text string `json:"text"`
}

// Sent is the turn that a message began, or was told to in its middle.
type Sent struct {
	MessageID agent.MessageID `json:"messageId"` // of the answer
}

func (d inside) listQueue(r *http.Request) (Queue, error) {
	key, err := d.key(r)
	if err != nil {
		return Queue{}, err
	}
	if _, err := d.Store.Session(r.Context(), key); err != nil {
		return Queue{}, err
	}
	queue, err := d.queue(r.Context(), key)
	return Queue{queue}, err
}

func (d inside) queue(ctx context.Context, key agent.SessionKey) ([]Queued, error) {
	waiting, err := d.Sessions.Queue(ctx, key)
	list := make([]Queued, len(waiting))
	for i, w := range waiting {
		if list[i], err = toQueued(w.Queued); err != nil {
			break
		}
		list[i].Given = w.Given
	}
	return list, err
}

func toQueued(q store.Queued) (Queued, error) {
	message, err := uistream.UserMessage(q.Message)
	return Queued{Number: q.Number, Message: message, At: q.At.UnixMilli()}, err
}

func (d inside) changeQueued(r *http.Request, c QueuedChange) (noBody, error) {
	key, number, err := d.place(r)
	if err != nil {
		return noBody{}, err
	}
	return noBody{}, d.Sessions.ChangeQueued(r.Context(), key, number, c.Text)
}

func (d inside) removeQueued(r *http.Request) (noBody, error) {
	key, number, err := d.place(r)
	if err != nil {
		return noBody{}, err
	}
	return noBody{}, d.Sessions.Unqueue(r.Context(), key, number)
}

// place reads the session's id and the message's number in the path.
func (c caller) place(r *http.Request) (agent.SessionKey, int64, error) {
	key, err := c.key(r)
	if err != nil {
		return key, 0, err
	}
	number, err := strconv.ParseInt(r.PathValue("n"), 10, 64)
	if err != nil || number < 1 {
		return key, 0, agent.Errorf(agent.CodeValidation, "A message that waits is named by its number.")
	}
	return key, number, nil
}

// sendNow tells a message that waits, the one with number `n` or the first, to the agent in the middle of its turn; if it takes none,
// it stops what runs and sends the message.
func (d inside) sendNow(r *http.Request) (Sent, error) {
	key, err := d.key(r)
	if err != nil {
		return Sent{}, err
	}
	n, err := number(r, "n", 0, 1, 1<<53)
	if err != nil {
		return Sent{}, err
	}
	t, err := d.Sessions.SendNow(r.Context(), key, int64(n))
	if err != nil {
		return Sent{}, err
	}
	return Sent{t.Message}, nil
}
