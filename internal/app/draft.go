package app

import (
	"fmt"
	"slices"
	"strings"

	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// DraftMigration returns the migration that makes the tables of record types, as their declarations require, for a
// person to review. It needs no database.
func DraftMigration(names []string) (string, error) {
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		return "", err
	}
	var types []*record.Type
	var tables []string
	for _, name := range names {
		t := reg.Type(name)
		switch {
		case t == nil:
			return "", fmt.Errorf("there is no record type %q: declare it, and add it to internal/inventory/inventory.go", name)
		case t.ReadOnly:
			return "", fmt.Errorf("%s is written by the machine alone: its table is partitioned and made by hand", name)
		}
		types, tables = append(types, t), append(tables, t.Table())
	}
	slices.Reverse(tables) // tables that refer to others come later, and go first
	return fmt.Sprintf("-- +goose Up\n%s\n-- +goose Down\nDROP TABLE %s;\n", strings.Join(store.DraftTables(types), "\n"),
		strings.Join(tables, ", ")), nil
}
