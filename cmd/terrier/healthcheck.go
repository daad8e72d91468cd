package main

import (
	"context"
	"time"

	"terrier/internal/app"
)

type healthcheckCommand struct {
	Worker  bool          `help:"Ask the process on TERRIER_METRICS_LISTEN instead of the server on TERRIER_LISTEN."`
	Ready   bool          `help:"Ask /readyz, whether it should get requests, instead of /healthz, whether it lives."`
	Timeout time.Duration `default:"5s" help:"How long the answer may take."`
}

func (c healthcheckCommand) Run(ctx context.Context, s *session) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	path := "/healthz"
	if c.Ready {
		path = "/readyz"
	}
	text, err := app.Healthcheck(ctx, s.config, path, c.Worker)
	if err != nil {
		return err
	}
	return s.printf("%s\n", text)
}
