package store_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestCustomLinksAreCutInOrder: of more links than a page shows, it has the first ones by group, weight and name. Their ids are in the
// opposite order.
func TestCustomLinksAreCutInOrder(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	if _, err := db.Exec(t.Context(), `INSERT INTO extras_customlink (version, content_types, name, enabled, link_text, link_url, weight,
			group_name, button_class, new_window, created, last_updated)
		SELECT 1, ARRAY[CASE n % 10 WHEN 1 THEN 'dcim.rack' ELSE 'dcim.site' END], 'n' || n, n % 10 <> 2, 'x', '/x', n / 3 % 2, 'g' || n / 100,
			'blue', FALSE, now(), now() FROM generate_series(999, 100, -1) n`); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(t.Context(), `SELECT name FROM extras_customlink WHERE enabled AND content_types = '{dcim.site}'
		ORDER BY group_name, weight, name LIMIT 101`)
	if err != nil {
		t.Fatal(err)
	}
	want, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(want) != 101 {
		t.Fatalf("%d links, %v", len(want), err)
	}
	links, err := s.CustomLinks(t.Context(), reg.Type("dcim.site"), 101)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, link := range links {
		got = append(got, link.Text("name"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the links are\n%q, want\n%q", got, want)
	}
}
