package app

import (
	"context"
	"errors"

	"terrier/internal/audit"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// Resealed is what `terrier secret reseal` shows.
type Resealed struct {
	ledger.Resealed
	OldTokens int // still kept with an old key
}

// Reseal encrypts the secrets with the current key, and counts the tokens that still need an old one.
func (a *App) Reseal(ctx context.Context) (Resealed, error) {
	secrets, err := a.Ledger.Reseal(ctx)
	if secrets.Reencrypted > 0 {
		e := a.Ledger.Event(operator(), audit.KeysResealed, record.Values{})
		e.Detail, e.Count = "key "+a.keys.ID(), int64(secrets.Reencrypted)
		err = errors.Join(err, a.Ledger.Note(ctx, e))
	}
	if err != nil {
		return Resealed{}, err
	}
	tokens, err := a.Store.TokensOfOldKeys(ctx, a.keys.ID(), a.now())
	return Resealed{secrets, tokens}, err
}
