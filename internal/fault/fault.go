// Package fault owns the few kinds of error that reach a caller.
//
// Every layer returns these; the outermost one (rest, web, server) turns a kind into a status code. Anything that is
// not a *fault.Error is an internal error: it is logged, and its text never leaves the process.
package fault

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
)

// Kind says what went wrong from the caller's point of view.
type Kind int

const (
	Internal     Kind = iota
	Invalid           // the input breaks a rule; Fields or Items say where
	Denied            // the caller may not do this, or is not known
	NotFound          // no such object, or none the caller may see
	Gone              // it was there, and is not kept any more
	Held              // dependants prevent a delete
	Precondition      // If-Match names another version
	Throttled         // too many attempts; RetryAfter says when to come back
	TooLarge          // the body exceeds a limit
	LongAddress       // the address exceeds a limit
	Unsupported       // the body's media type is not understood
	NotAllowed        // the address exists but not with this method
	Slow              // the work took too long and was stopped: less of it might succeed
	Busy              // others are using what it needs; RetryAfter says when to try again
	Unavailable       // the database can't be used at the moment; nothing was committed
	Uncertain         // the database went away during a commit, which may have succeeded
)

// General is the key for messages that belong to no single field.
const General = "non_field_errors"

// Fields holds messages by field name.
type Fields map[string][]string

// Add appends a message to a field.
func (f Fields) Add(field, format string, args ...any) {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	f[field] = append(f[field], format)
}

// String names the field before its messages, unless they belong to no single field.
func (f Fields) String() string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString("; ")
		}
		if name != General {
			b.WriteString(name + ": ")
		}
		b.WriteString(strings.Join(f[name], " "))
	}
	return b.String()
}

// Error is an error a caller may see.
type Error struct {
	Kind       Kind
	Detail     string        // one sentence, for everything but Invalid
	Fields     Fields        // Invalid: messages by field
	Items      []Fields      // Invalid, bulk: messages by position; empty for valid items
	RetryAfter time.Duration // Throttled, Busy, Unavailable, and Slow if a later try may succeed
}

func (e *Error) Error() string {
	switch {
	case e.Items != nil:
		var parts []string
		for i, f := range e.Items {
			switch {
			case len(f) > 0 && len(e.Items) == 1:
				parts = append(parts, f.String())
			case len(f) > 0:
				parts = append(parts, fmt.Sprintf("item %d: %s", i, f))
			}
		}
		return strings.Join(parts, "; ")
	case len(e.Fields) > 0:
		return e.Fields.String()
	}
	return e.Detail
}

// New makes an error of a kind with one sentence for the caller.
func New(kind Kind, format string, args ...any) *Error {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return &Error{Kind: kind, Detail: format}
}

// Field makes an Invalid error with one message on one field.
func Field(name, format string, args ...any) *Error {
	f := Fields{}
	f.Add(name, format, args...)
	return &Error{Kind: Invalid, Fields: f}
}

// KindOf returns the kind of err, Internal for an error of another package.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// LogLevel returns how serious an error is, and whether to log it at all: not if the caller can do something about
// it.
func LogLevel(err error) (level slog.Level, log bool) {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok && errors.Is(err, context.Canceled):
		return slog.LevelInfo, true // the caller went away, which is not our error
	case !ok, e.Kind == Uncertain:
		return slog.LevelError, true
	}
	return slog.LevelWarn, e.Kind == Unavailable
}

// Answers that more than one package gives. Their texts are part of the contract.
var (
	ErrNotFound = New(NotFound, "Not found.")
	ErrDenied   = New(Denied, "You do not have permission to perform this action.")
	ErrNoCreds  = New(Denied, "Authentication credentials were not provided.")
)
