package main

import (
	"context"

	"terrier/internal/app"
)

type recountCommand struct{}

// Run prints a line for each type as it is counted: a large table takes minutes.
func (recountCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		return a.Recount(ctx, func(key string, count, off int64) error {
			if off == 0 {
				return s.printf("%-24s %12d\n", key, count)
			}
			return s.printf("%-24s %12d  was %d, corrected\n", key, count, count+off)
		})
	})
}
