package api

import (
	"context"
	"net/http"
	"time"

	"parley/backend/agent"
	"parley/backend/session"
	"parley/backend/uistream"
)

// streamTurn writes the turn as Server-Sent Events, from the chunk after the given one. A client that goes away ends
// its stream and nothing else.
func (d inside) streamTurn(w http.ResponseWriter, r *http.Request, t *session.Turn, after int) {
	h := w.Header()
	h.Set("content-type", "text/event-stream")
	h.Set("x-vercel-ai-ui-message-stream", "v1")
	h.Set("cache-control", "no-cache")
	h.Set("connection", "keep-alive")
	h.Set("x-accel-buffering", "no")
	out := newFlusher(w)
	framer := uistream.NewFramer(after, r.Header.Get(coalesceName) != "0", uistream.DialectOf(r.Header.Get("x-ai-sdk")))
	var buffer []byte
	err := follow(r.Context(), t, func(chunks []uistream.Chunk) error {
		buffer = framer.Append(buffer[:0], chunks)
		return out.write(buffer)
	}, func() error {
		return out.write([]byte(": ping\n\n"))
	})
	if err == nil {
		out.write(framer.Done(nil))
	}
}

// follow gives the chunks of a turn as they come until its end, and calls ping in silence. If the turn could not be
// stored to its end, the last chunks say so.
func follow(ctx context.Context, t *session.Turn, emit func([]uistream.Chunk) error, ping func() error) error {
	encoder := uistream.NewEncoder(t.Key.Session)
	var chunks []uistream.Chunk
	for n := 0; ; {
		wait, cancel := context.WithTimeout(ctx, pingAfter)
		records, err := t.Records(wait, n)
		silent := wait.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case err != nil && silent:
			if err := ping(); err != nil {
				return err
			}
			continue
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			e := agent.AsError(err)
			last := agent.TurnCompleted{StopReason: agent.StopError, Failure: &agent.Failure{Code: e.Code, Message: e.Message}}
			return emit(encoder.Encode(nil, agent.Record{At: time.Now(), Event: last}))
		case len(records) == 0:
			return nil
		}
		n += len(records)
		for len(records) > 0 {
			some := records[:min(stretch, len(records))]
			records = records[len(some):]
			chunks = chunks[:0]
			for _, r := range some {
				chunks = encoder.Encode(chunks, r)
			}
			if err := emit(chunks); err != nil {
				return err
			}
		}
	}
}
