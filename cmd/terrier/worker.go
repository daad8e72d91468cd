package main

import (
	"context"
	"os/signal"
	"syscall"

	"terrier/internal/app"
)

type workerCommand struct{}

func (workerCommand) Run(ctx context.Context, s *session) error {
	// There is no certificate to read again, but a reload must not end it.
	signal.Ignore(syscall.SIGHUP)
	return s.withApp(ctx, func(a *app.App) error { return a.Run(ctx, a.Work) })
}
