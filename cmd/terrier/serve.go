package main

import (
	"context"

	"terrier/internal/app"
)

type serveCommand struct{}

func (serveCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error { return a.Serve(ctx) })
}
