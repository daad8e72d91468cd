package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"terrier/internal/app"
)

type serveCommand struct {
	Worker bool `help:"Also send deliveries to webhooks, as the worker command does: for small installations."`
}

func (c serveCommand) Run(ctx context.Context, s *session) error {
	// Also without a certificate, so that a reload of the service does not end it.
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	return s.withApp(ctx, func(a *app.App) error {
		a.Reload = again
		if c.Worker {
			return a.Run(ctx, a.Serve, a.Work)
		}
		return a.Run(ctx, a.Serve)
	})
}
