package main

import (
	"context"

	"golang.org/x/sync/errgroup"

	"terrier/internal/app"
)

type serveCommand struct {
	Worker bool `help:"Also send deliveries to webhooks, as the worker command does: for small installations."`
}

func (c serveCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		if !c.Worker {
			return a.Serve(ctx)
		}
		both, ctx := errgroup.WithContext(ctx)
		both.Go(func() error { return a.Serve(ctx) })
		both.Go(func() error { return a.Work(ctx) })
		return both.Wait()
	})
}
