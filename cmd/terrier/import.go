package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"terrier/internal/app"
)

type importCommand struct {
	Type  string `arg:"" help:"Type of the records, such as ipam.prefix."`
	File  string `arg:"" help:"CSV, JSON or YAML file, as a list exports it; - reads it from standard input."`
	After int    `placeholder:"ROWS" help:"Skip this many rows, which an earlier import wrote."`

	Map []string `sep:"none" placeholder:"HEADING=COLUMN" help:"Field for a column of a CSV file, such as 'Device Type=device_type'. 'Notes=' skips a column. Repeatable."`
}

// Run can be interrupted at any time: what is recorded by then stays, and the command says how to go on.
func (c importCommand) Run(ctx context.Context, s *session) error {
	if c.After < 0 {
		return errors.New("--after is a number of rows: 0 or more")
	}
	columns, err := mapped(c.Map)
	if err != nil {
		return err
	}
	file := app.Import{Type: c.Type, After: c.After, Columns: columns}
	if c.File == "-" {
		file.Text, err = io.ReadAll(s.in)
	} else {
		file.Name = c.File
		file.Text, err = os.ReadFile(c.File)
	}
	if err != nil {
		return err
	}
	return s.withApp(ctx, func(a *app.App) error {
		var bar *progress
		far, err := a.Import(ctx, file, func(far app.Imported) {
			if bar == nil {
				bar = newProgress(newScreen(s.err), "rows", int64(far.Rows), time.Now)
			}
			_ = bar.show(int64(far.Done))
		})
		if bar != nil {
			if err := bar.end(); err != nil {
				return err
			}
		}
		if err != nil {
			return c.stopped(far, err)
		}
		return s.printf("rows imported: %d\n", far.Done-min(c.After, far.Rows))
	})
}

// mapped returns the columns by their headings, which may have an = too.
func mapped(pairs []string) (map[string]string, error) {
	columns := map[string]string{}
	for _, pair := range pairs {
		at := strings.LastIndex(pair, "=")
		if at < 0 {
			return nil, fmt.Errorf("--map %q: write HEADING=COLUMN, such as 'Device Type=device_type'", pair)
		}
		heading := strings.TrimSpace(pair[:at])
		if _, twice := columns[heading]; twice {
			return nil, fmt.Errorf("--map has the column %q twice", heading)
		}
		columns[heading] = strings.TrimSpace(pair[at+1:])
	}
	return columns, nil
}

func (c importCommand) stopped(far app.Imported, err error) error {
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	if far.Done == 0 {
		return fmt.Errorf("nothing is imported: %w", err)
	}
	return fmt.Errorf("%d of %d rows are imported; continue with --after %[1]d: %[3]w", far.Done, far.Rows, err)
}
