package app

import (
	"context"
	"fmt"
	"log/slog"

	"parley/backend/redact"
)

// redacted is a log that no secret gets into.
type redacted struct {
	slog.Handler
	known func() *redact.Known
}

func (h redacted) Handle(ctx context.Context, r slog.Record) error {
	known := h.known()
	if known == nil {
		return h.Handler.Handle(ctx, r)
	}
	safe := slog.NewRecord(r.Time, r.Level, known.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		safe.AddAttrs(withoutSecrets(known, a))
		return true
	})
	return h.Handler.Handle(ctx, safe)
}

func (h redacted) WithAttrs(attrs []slog.Attr) slog.Handler {
	safe := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		safe[i] = withoutSecrets(h.known(), a)
	}
	return redacted{h.Handler.WithAttrs(safe), h.known}
}

func (h redacted) WithGroup(name string) slog.Handler {
	return redacted{h.Handler.WithGroup(name), h.known}
}

func withoutSecrets(known *redact.Known, a slog.Attr) slog.Attr {
	switch v := a.Value.Resolve(); v.Kind() {
	case slog.KindGroup:
		var safe []slog.Attr
		for _, inner := range v.Group() {
			safe = append(safe, withoutSecrets(known, inner))
		}
		a.Value = slog.GroupValue(safe...)
	case slog.KindString:
		a.Value = slog.StringValue(known.Text(v.String()))
	case slog.KindAny:
		a.Value = slog.StringValue(known.Text(fmt.Sprint(v.Any())))
	}
	return a
}
