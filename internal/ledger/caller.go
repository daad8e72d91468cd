package ledger

import (
	"context"

	"terrier/internal/access"
)

type callerKey struct{}

// WithCaller puts the caller of a request into its context.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller of a request, or the zero Caller if there is none.
func CallerFrom(ctx context.Context) Caller {
	if c, ok := ctx.Value(callerKey{}).(Caller); ok {
		return c
	}
	return Caller{Subject: &access.Subject{}}
}
