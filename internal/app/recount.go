package app

import (
	"context"
)

// Recount counts the records of every type and corrects the counts of lists. For each type it reports how many
// records there are, and how far off the count was.
func (a *App) Recount(ctx context.Context, done func(key string, count, off int64) error) error {
	for _, t := range a.Registry.Types() {
		count, off, err := a.Store.Recount(ctx, t)
		if err == nil {
			err = done(t.Key(), count, off)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
