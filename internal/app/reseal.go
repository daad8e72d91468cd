package app

import (
	"context"

	"terrier/internal/ledger"
)

// Resealed is what `terrier secret reseal` shows.
type Resealed struct {
	ledger.Resealed
	OldTokens int // still kept with an old key
}

// Reseal frees the encrypted secrets of the old keys, and counts the tokens that need one.
func (a *App) Reseal(ctx context.Context) (Resealed, error) {
	secrets, err := a.Ledger.Reseal(ctx)
	if err != nil {
		return Resealed{}, err
	}
	tokens, err := a.Store.TokensOfOldKeys(ctx, a.keys.ID(), a.now())
	return Resealed{secrets, tokens}, err
}
