package audit

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"unicode"
	"unicode/utf16"
)

// level is above that of ordinary lines. No setting hides it.
const level = slog.Level(2)

// printed returns the line of an event in the form of the program's log, text or json, without its end.
func printed(e Event, format string) []byte {
	var out bytes.Buffer
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.LevelKey {
			return slog.String(slog.LevelKey, "AUDIT")
		}
		return a
	}}
	var handler slog.Handler = slog.NewTextHandler(&out, options)
	if format == "json" {
		handler = slog.NewJSONHandler(&out, options)
	}
	r := slog.NewRecord(e.At, level, "audit", 0)
	r.AddAttrs(slog.String("event", e.Name), slog.String("user_name", e.UserName), slog.String("address", e.From()),
		slog.String("way", e.Way), slog.String("request_id", e.RequestID), slog.String("target", e.Target),
		slog.String("target_name", e.TargetName), slog.String("detail", e.Detail), slog.Int64("times", e.Count))
	_ = handler.Handle(context.Background(), r) // it writes into memory
	return escaped(bytes.TrimRight(out.Bytes(), "\n"))
}

// escaped replaces what could control a terminal. All of it is inside quotes, where text and JSON both read \u009b.
func escaped(line []byte) []byte {
	var out []byte
	for _, char := range string(line) {
		switch {
		case unicode.IsPrint(char):
			out = append(out, string(char)...)
		case char > 0xffff:
			high, low := utf16.EncodeRune(char)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, char)
		}
	}
	return out
}
