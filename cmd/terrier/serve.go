package main

import (
	"context"

	"terrier/internal/app"
)

type serveCommand struct {
	Worker bool `help:"Also send deliveries to webhooks, as the worker command does: for small installations."`
}

func (c serveCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		if c.Worker {
			return a.Run(ctx, a.Serve, a.Work)
		}
		return a.Run(ctx, a.Serve)
	})
}
