package main

import (
	"context"
	"time"

	"terrier/internal/app"
)

type demoCommand struct {
	Size string `enum:"small,medium,large" default:"small" help:"Small, medium or large: about 5,000, 18,000 or 117,000 records."`
}

// Run fills an empty register, and says how to start again if it is interrupted.
func (c demoCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		bar := newProgress(newScreen(s.err), "days", app.DemoDays, time.Now)
		err := a.Demo(ctx, c.Size, func(days int) { _ = bar.show(int64(days)) })
		if end := bar.end(); err == nil {
			err = end
		}
		if err != nil {
			return err
		}
		return s.printf("Created a %s demo network.\n", c.Size)
	})
}
