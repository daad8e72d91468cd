package main

import (
	"context"

	"terrier/internal/app"
)

type workerCommand struct{}

func (workerCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error { return a.Run(ctx, a.Work) })
}
