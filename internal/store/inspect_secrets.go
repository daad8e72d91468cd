package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/audit"
	"terrier/internal/record"
)

// KeptSecrets reads encrypted secrets as Store.KeptSecrets does.
func (i *Inspector) KeptSecrets(ctx context.Context, t *record.Type, secret record.Secrecy, after int64,
	limit int) (kept []Kept, err error) {
	defer named(&err, "read secrets of %s", t)
	err = i.Read(ctx, func(tx pgx.Tx) error {
		kept, err = keptSecrets(ctx, tx, keptQuery{t, secret, after, limit})
		return err
	})
	return kept, err
}

// TokensOfOldKeys counts tokens as Store.TokensOfOldKeys does.
func (i *Inspector) TokensOfOldKeys(ctx context.Context, current string, now time.Time) (n int, err error) {
	defer named(&err, "count tokens of old keys")
	err = i.row(ctx, []any{&n}, countOldTokens, current, now)
	return n, err
}

// Types lists the record types.
func (i *Inspector) Types() []*record.Type { return i.reg.Types() }

// VerifyChain checks the chain of the audit log since a time, as Store.VerifyChain does, and returns how many entries there are.
func (i *Inspector) VerifyChain(ctx context.Context, keys audit.Chainer, since time.Time) (n int64, err error) {
	defer named(&err, "verify the chain of the audit log")
	err = i.Read(ctx, func(tx pgx.Tx) error {
		_, n, err = verifyChain(ctx, tx, keys, since, "")
		return err
	})
	return n, err
}
