package main

import (
	"bufio"
	"context"
	"fmt"

	"terrier/internal/app"
)

type exportCommand struct {
	Type   string `arg:"" help:"Type of the records, such as ipam.prefix."`
	Format string `enum:"csv,json,yaml" default:"csv" help:"csv, json or yaml."`
}

// Run prints the records to standard output. If it fails, what was printed is not all.
func (c exportCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		out := bufio.NewWriter(s.out)
		n, err := a.Export(ctx, c.Type, c.Format, out)
		if err == nil {
			err = out.Flush()
		}
		if err != nil {
			return fmt.Errorf("the export is not complete: %w", err)
		}
		_, err = fmt.Fprintf(s.err, "records exported: %d\n", n)
		return err
	})
}
