package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Claim is a caller known from an earlier request, at a generation of the accounts. The first read of the request, or
// the start of its transaction, proves it: it asks for the generation in its own round trip and returns only ErrStale
// if that has moved on.
type Claim struct {
	Generation int64
	Proven     bool
}

// ErrStale says that the accounts have changed since the claim was made.
var ErrStale = errors.New("the accounts have changed: the caller must be looked up again")

type claimKey struct{}

// WithClaim makes the reads and the change set of a request prove a claim.
func WithClaim(ctx context.Context, c *Claim) context.Context {
	return context.WithValue(ctx, claimKey{}, c)
}

// Unproven reports whether a request's caller is only claimed. No answer may be given then.
func Unproven(ctx context.Context) bool {
	c, ok := ctx.Value(claimKey{}).(*Claim)
	return ok && !c.Proven
}

// prove puts the query for the generation in front of a read or a change set.
func prove(ctx context.Context, batch *pgx.Batch) {
	c, ok := ctx.Value(claimKey{}).(*Claim)
	if !ok || c.Proven {
		return
	}
	batch.Queue("SELECT n FROM users_generation").QueryRow(func(row pgx.Row) error {
		var now int64
		if err := row.Scan(&now); err != nil {
			return err
		}
		if now != c.Generation {
			return ErrStale
		}
		c.Proven = true
		return nil
	})
}
