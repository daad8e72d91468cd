package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/test/trial"
)

// TestDeclaredFiltersAreIndexed: pages and counts by filters that find few of many records are read through an index, whatever the
// values are.
func TestDeclaredFiltersAreIndexed(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t, trial.Types()...)
	if _, err := db.Exec(t.Context(), `
		INSERT INTO dcim_site (version, name, slug, status, facility, description, physical_address, shipping_address, comments, time_zone,
			asns, tags, custom_fields, created, last_updated)
			SELECT 1, 's' || i, 's' || i, 'active', 'f' || i, '', '', '', '', '', '{}', '{}', '{}', now(), now() FROM generate_series(1, 500) i;
		INSERT INTO trial_shelf (id, version, name, site_id, places, tags, custom_fields, created, last_updated)
			SELECT i, 1, 'shelf ' || i, 1 + i % 500, 1, '{}', '{}', now(), now() FROM generate_series(1, 1000) i;
		INSERT INTO trial_port (version, shelf_id, name, mac_address, vlans, width, hosts, private, tags, custom_fields, created, last_updated)
			SELECT 1, 1 + i % 1000, 'eth' || i, lpad(to_hex(i), 12, '0')::macaddr, '{}', 19, '{}', false, '{}', '{}', now(), now()
			FROM generate_series(1, 10000) i;
		INSERT INTO trial_item (version, shelf_id, name, friends, weight, tags, custom_fields, created, last_updated)
			SELECT 1, 1 + i % 1000, 'Item ' || i, '{}', 0, '{}', '{}', now(), now() FROM generate_series(1, 10000) i;
		INSERT INTO ipam_prefix (version, prefix, status, is_pool, mark_utilized, description, comments, tags, custom_fields, created,
			last_updated)
			SELECT 1, set_masklen('10.0.0.0'::cidr + i * 256, 24)::cidr, 'active', false, false, '', '', '{}', '{}', now(), now()
			FROM generate_series(1, 10000) i;
		ANALYZE`); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ typ, filter, value, index string }{
		{"trial.item", "name", "x", "trial_item_name_folded"},
		{"trial.item", "modified_by_request", "91635b28-4304-442e-aa60-f0033ccb6b76", "trial_item_pkey"},
		{"trial.port", "shelf_id", "1", "trial_port_order"},
		{"trial.port", "shelf", "x", "trial_port_order"},
		{"trial.shelf", "mac_address", "00:00:00:00:00:01", "trial_port_mac_address"},
		{"trial.shelf", "stocked", "false", "trial_item_order"},
		{"trial.shelf", "used", "true", "trial_port_order"},
		{"ipam.prefix", "mask_length", "16", "ipam_prefix_prefix_mask"},
	} {
		page, plan := filterPlan(t, s, db, reg.Type(c.typ), c.filter, c.value, "{}")
		if !strings.Contains(plan, " "+c.index+" ") || strings.Contains(plan, "Seq Scan on trial_port") ||
			strings.Contains(plan, "Seq Scan on trial_item") {
			t.Errorf("%s of %s is not read through %s:\n%s\n%s", c.filter, c.typ, c.index, page, plan)
		}
	}
}

// filterPlan returns the statement that reads a page of a list with a filter, and its plan for any values; array is one that its arrays may
// be.
func filterPlan(t *testing.T, s *store.Store, db *pgxpool.Pool, typ *record.Type, filter, value, array string) (page, plan string) {
	t.Helper()
	test, _, err := typ.ParseFilter(filter, []string{value})
	if err != nil {
		t.Fatal(err)
	}
	statements, err := store.ListStatement(s, typ, store.Query{Scope: access.Machine(), Limit: 50, View: record.View{Only: []string{"id"}},
		Where: []record.Predicate{test}})
	if err != nil {
		t.Fatal(err)
	}
	_, page, _ = strings.Cut(statements, ";")
	var args []string
	for n := 1; strings.Contains(page, fmt.Sprintf("$%d", n)); n++ {
		arg := array
		if strings.Contains(page, fmt.Sprintf(" = $%d", n)) {
			arg = "1"
		}
		args = append(args, arg)
	}
	return page, genericPlan(t, db, page, args...)
}
