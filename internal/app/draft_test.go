package app_test

import (
	"os"
	"strings"
	"testing"

	"terrier/internal/app"
)

// TestExampleOfRecordTypes: docs/record-types.md shows the file, the line and the migration of a type as they are.
func TestExampleOfRecordTypes(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		text, err := os.ReadFile("../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, line := read("docs/record-types.md"), "\t\tdcim.Manufacturer,\n"
	migration, err := app.DraftMigration([]string{"dcim.manufacturer"})
	if err != nil {
		t.Fatal(err)
	}
	for what, shown := range map[string]string{
		"the type file": "```go\n" + read("internal/inventory/dcim/manufacturer.go") + "```\n",
		"the line":      "```go\n" + line + "```\n",
		"the migration": "```sql\n" + migration + "```\n",
	} {
		if !strings.Contains(page, shown) {
			t.Errorf("docs/record-types.md does not show %s as it is:\n%s", what, shown)
		}
	}
	if !strings.Contains(read("internal/inventory/inventory.go"), line) {
		t.Errorf("internal/inventory/inventory.go has no line %q", line)
	}
}
