package main

import (
	"context"

	"terrier/internal/app"
)

type migrateCommand struct{}

func (migrateCommand) Run(ctx context.Context, s *session) error {
	if err := s.config.ValidateDatabase(); err != nil {
		return err
	}
	return app.Migrate(ctx, s.config, s.log)
}
