package main

import (
	"context"
	"time"

	"terrier/internal/app"
)

type healthcheckCommand struct {
	Worker  bool          `help:"Check the process on TERRIER_METRICS_LISTEN instead of the server on TERRIER_LISTEN."`
	Ready   bool          `help:"Check /readyz (should it get requests?) instead of /healthz (is it alive?)."`
	Timeout time.Duration `default:"5s" help:"How long to wait for the response."`
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
