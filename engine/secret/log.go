package secret

import (
	"context"
	"fmt"
	"log/slog"
)

// Log is a handler of a log that shows no secrets: hide removes them from a text.
func Log(to slog.Handler, hide func(string) string) slog.Handler { return hidingHandler{to, hide} }

type hidingHandler struct {
	slog.Handler
	hide func(string) string
}

// Handle implements slog.Handler.
func (h hidingHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, h.hide(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.attr(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (h hidingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.attr(a)
	}
	return hidingHandler{h.Handler.WithAttrs(clean), h.hide}
}

// WithGroup implements slog.Handler.
func (h hidingHandler) WithGroup(name string) slog.Handler {
	return hidingHandler{h.Handler.WithGroup(name), h.hide}
}

func (h hidingHandler) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, h.hide(v.String()))
	case slog.KindAny:
		text := fmt.Sprint(v.Any())
		if clean := h.hide(text); clean != text {
			return slog.String(a.Key, clean)
		}
	case slog.KindGroup:
		var inner []any
		for _, g := range v.Group() {
			inner = append(inner, h.attr(g))
		}
		return slog.Group(a.Key, inner...)
	default: // numbers and times
	}
	return slog.Attr{Key: a.Key, Value: v}
}
