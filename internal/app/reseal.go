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

// Reseal encrypts the secrets with the current key, and counts the tokens that still need an old one.
func (a *App) Reseal(ctx context.Context) (Resealed, error) {
	secrets, err := a.Ledger.Reseal(ctx)
	if err != nil {
		return Resealed{}, err
	}
	tokens, err := a.Store.TokensOfOldKeys(ctx, a.keys.ID(), a.now())
	return Resealed{secrets, tokens}, err
}
