package store_test

import (
	"encoding/json"
	"strings"
	"testing"

	"terrier/internal/access"
	"terrier/internal/store"
)

// TestCustomFieldsAreLookedUpOncePerPage: the definitions of custom fields are read once, however many rows the page has.
func TestCustomFieldsAreLookedUpOncePerPage(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	for _, statement := range []string{
		`INSERT INTO extras_customfield (version, content_types, type, name, label, description, required, weight, validation_regex,
			choices, created, last_updated)
			SELECT 1, ARRAY['dcim.site'], 'text', 'field' || n, '', '', false, 100, '', '{}', now(), now() FROM generate_series(1, 3) n`,
		`INSERT INTO dcim_site (version, name, slug, status, facility, description, physical_address, shipping_address, comments, asns,
			tags, custom_fields, created, last_updated)
			SELECT 1, 'Site ' || n, 'site-' || n, 'active', '', '', '', '', '', '{}', '{}', '{}', now(), now() FROM generate_series(1, 30) n`,
	} {
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	sql, err := store.ListStatement(s, reg.Type("dcim.site"), store.Query{Scope: access.Machine(), Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ := strings.Cut(sql, ";") // behind the count
	var plan []byte
	if err := db.QueryRow(t.Context(), "EXPLAIN (ANALYZE, FORMAT JSON) "+page).Scan(&plan); err != nil {
		t.Fatal(err)
	}
	var decoded any
	if err := json.Unmarshal(plan, &decoded); err != nil {
		t.Fatal(err)
	}
	if got := loopsOf(decoded, "extras_customfield"); got != 1 {
		t.Errorf("definitions were read %v times for a page of 30\n%s", got, plan)
	}
}

// loopsOf is how often a table was read, in a plan.
func loopsOf(node any, table string) (loops float64) {
	switch x := node.(type) {
	case []any:
		for _, item := range x {
			loops += loopsOf(item, table)
		}
	case map[string]any:
		if x["Relation Name"] == table {
			loops += x["Actual Loops"].(float64)
		}
		for _, item := range x {
			loops += loopsOf(item, table)
		}
	}
	return loops
}
