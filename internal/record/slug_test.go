package record_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"terrier/internal/record"
)

// TestSlugOf: the slug of a name has only what a slug may have. The browser tests hold the script of the pages against the same table.
func TestSlugOf(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/slugs.json")
	if err != nil {
		t.Fatal(err)
	}
	var table map[string]string
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	table[strings.Repeat("a", 99)+" b"] = strings.Repeat("a", 99)
	table[strings.Repeat("ß", 80)] = strings.Repeat("s", 100)
	for name, want := range table {
		got := record.SlugOf(name)
		if got != want {
			t.Errorf("the slug of %q is %q, want %q", name, got, want)
		}
		if _, err := (record.Slug{Name: "slug"}).Parse(got); got != "" && err != nil {
			t.Errorf("the slug of %q is refused: %v", name, err)
		}
	}
}
