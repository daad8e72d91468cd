package main

import (
	"context"
	"errors"
	"fmt"

	"terrier/internal/app"
)

type secretCommands struct {
	Reseal secretResealCommand `cmd:"" help:"Move all secrets to the current secret key."`
}

type secretResealCommand struct{}

// Run fails if a secret can't be opened, so that no script removes a key that is still needed.
func (secretResealCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		done, err := a.Reseal(ctx)
		if err != nil {
			return err
		}
		if err := s.printf("secrets re-encrypted: %d\nsecrets that open with the current key: %d\ntokens still kept with an old key: %d\n",
			done.Reencrypted, done.Whole, done.OldTokens); err != nil {
			return err
		}
		if len(done.Locked) > 0 {
			return fmt.Errorf("keep all old keys; these secrets open with none of the keys there are:\n%w", errors.Join(done.Locked...))
		}
		if done.OldTokens > 0 {
			return s.printf("%s\n", oldTokens)
		}
		return nil
	})
}

const oldTokens = "Each of these tokens moves to the current key when it is next used. Tokens that have not moved when the old key is " +
	"removed stop working."
