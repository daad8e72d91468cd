package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"terrier/internal/demo"
	"terrier/internal/store"
)

// DemoDays is how many days of changes Demo makes.
const DemoDays = demo.Days

// Demo fills an empty register with a demo network of a size: small, medium or large. It reports how many days of its changes are made.
func (a *App) Demo(ctx context.Context, size string, report func(days int)) error {
	wanted, ok := demo.Sizes[size]
	if !ok {
		return fmt.Errorf("there is no size %q: small, medium or large", size)
	}
	return a.demo(ctx, wanted, a.now(), report)
}

func (a *App) demo(ctx context.Context, size demo.Size, moment time.Time, report func(days int)) error {
	if err := demo.Run(ctx, a.Ledger, size, moment, report); err != nil {
		return err
	}
	// Partitions of 90 days were made of every table, but deliveries are kept for a shorter time.
	keep := store.Retention{Changes: a.cfg.ChangelogRetention, Deliveries: a.cfg.DeliveryRetention}
	if _, err := a.Store.Retain(ctx, keep, a.now()); err != nil && !errors.Is(err, store.ErrElsewhere) {
		return err
	}
	return nil
}
