// Command fill adds sites to the database of the browser tests: "Depot 1" and so on, with the words of fill.ForSearch.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"terrier/internal/fill"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

func main() {
	if err := run(context.Background(), os.Getenv("TERRIER_DATABASE_URL"), os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, "fill:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, database, rows string) error {
	n, err := strconv.Atoi(rows)
	if err != nil {
		return fmt.Errorf("how many rows: %w", err)
	}
	registry, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, database, registry, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	recipe := fill.ForSearch()
	recipe["name"] = func(r fill.Row) any { return fmt.Sprintf("Depot %d", r.Number) }
	return fill.New(s, 1).Fill(ctx, registry.Type("dcim.site"), n, recipe)
}
