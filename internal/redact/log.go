package redact

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
)

// Handler returns a handler that hands on to next what it is told, with the secrets
// of the moment replaced.
func (l *Live) Handler(next slog.Handler) slog.Handler { return &handler{l, next} }

type handler struct {
	live *Live
	next slog.Handler
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, rec slog.Record) error {
	r := h.live.Now()
	if r.auto == nil {
		return h.next.Handle(ctx, rec)
	}
	out := slog.NewRecord(rec.Time, rec.Level, r.String(rec.Message), rec.PC)
	rec.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(r.attr(a))
		return true
	})
	return h.next.Handle(ctx, out)
}

func (h *handler) WithAttrs(as []slog.Attr) slog.Handler {
	r := h.live.Now()
	out := make([]slog.Attr, len(as))
	for i, a := range as {
		out[i] = r.attr(a)
	}
	return &handler{h.live, h.next.WithAttrs(out)}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.live, h.next.WithGroup(name)}
}

func (r *Redactor) attr(a slog.Attr) slog.Attr {
	if r.auto == nil {
		return a
	}
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, r.String(v.String()))
	case slog.KindAny:
		return slog.Any(a.Key, r.any(v.Any()))
	case slog.KindGroup:
		var out []slog.Attr
		for _, x := range v.Group() {
			out = append(out, r.attr(x))
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(out...)}
	default: // numbers, times and the like
		return slog.Attr{Key: a.Key, Value: v}
	}
}

// other is for values of other types: one that shows a secret, printed or as JSON,
// becomes the redacted text of it.
func (r *Redactor) other(v any) any {
	var text string
	if e, ok := v.(error); ok {
		text = e.Error()
	} else {
		text = fmt.Sprint(v)
	}
	if r.Has([]byte(text)) {
		return r.String(text)
	}
	if b, err := json.Marshal(v); err == nil && r.Has(b) {
		return string(r.JSON(b))
	}
	return v
}
