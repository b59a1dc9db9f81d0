package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"parley/backend/agent"
	"parley/backend/session"
	"parley/backend/store"
	"parley/backend/uistream"
)

// stream writes a turn as Server-Sent Events. A client that goes away ends its stream and nothing else.
func (d inside) stream(w http.ResponseWriter, r *http.Request, x exchange) {
	out, framer := startStream(w, r, x.after)
	ping := func() error { return out.write([]byte(": ping\n\n")) }
	var buffer []byte
	err := out.write(nil) // the headers, also if nothing is said for long
	if err == nil {
		err = d.follow(r.Context(), x, func(*session.Turn) {}, func(chunks []uistream.Chunk) error {
			buffer = framer.Append(buffer[:0], chunks)
			return out.write(buffer)
		}, ping)
	}
	if err == nil {
		out.write(framer.Done(nil))
	}
}

// startStream sets the headers of a stream that begins after a chunk, as the client knows streams.
func startStream(w http.ResponseWriter, r *http.Request, after int) (flusher, *uistream.Framer) {
	h := w.Header()
	h.Set("content-type", string(asStream))
	h.Set("x-vercel-ai-ui-message-stream", "v1")
	h.Set("cache-control", "no-cache")
	h.Set("connection", "keep-alive")
	h.Set("x-accel-buffering", "no")
	return newFlusher(w), uistream.NewFramer(after, r.Header.Get(coalesceName) != "0", uistream.DialectOf(r.Header.Get(dialectName)))
}

// follow says when the turn of an exchange has begun, gives its chunks as they come until nothing more is said in it, and
// calls ping in silence. If the turn could not be stored to its end, the last chunks say so.
func (d inside) follow(ctx context.Context, x exchange, began func(*session.Turn), emit func([]uistream.Chunk) error, ping func() error) error {
	t, err := x.turn, error(nil)
	if t == nil {
		t, err = patiently(ctx, ping, func(ctx context.Context) (*session.Turn, error) {
			return d.Sessions.Await(ctx, x.key, x.queued.Message.ID)
		})
	}
	if errors.Is(err, store.ErrNotFound) {
		return emit(uistream.Withdrawn())
	}
	if err != nil {
		return err
	}
	began(t)
	encoder := uistream.NewEncoder(t.Key.Session)
	var chunks []uistream.Chunk
	for n := 0; ; {
		records, err := patiently(ctx, ping, func(ctx context.Context) ([]agent.Record, error) { return t.Records(ctx, n) })
		switch {
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
			some := records[:min(portion, len(records))]
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

// patiently waits for something, and calls ping in silence.
func patiently[T any](ctx context.Context, ping func() error, wait func(context.Context) (T, error)) (T, error) {
	for {
		limited, cancel := context.WithTimeout(ctx, pingAfter)
		got, err := wait(limited)
		silent := err != nil && limited.Err() != nil && ctx.Err() == nil
		cancel()
		if !silent {
			return got, err
		}
		if err := ping(); err != nil {
			return got, err
		}
	}
}
