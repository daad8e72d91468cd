package app

import (
	"context"
)

// Recount counts the records of every type and puts the counts of lists right. It reports each type
// as it is done: how many records there are, and by how much the count was off.
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
