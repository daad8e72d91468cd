package ledger_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"terrier/internal/ledger"
)

// TestBulkDeleteIsLoggedInIDOrder: the change rows and deliveries of one delete are in the order of the records' ids. So are those of
// the records whose reference the delete empties.
func TestBulkDeleteIsLoggedInIDOrder(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.create(t, "extras.webhook", ledger.Input{"name": "all", "payload_url": "http://127.0.0.1:1/", "type_delete": true, "type_update": true,
		"content_types": []any{"dcim.region", "dcim.site"}})
	const n = 40
	regions, sites := make([]ledger.Input, n), make([]ledger.Input, n)
	for i := range n {
		regions[i] = named(i)
	}
	var edits []ledger.Edit
	for i, region := range b.create(t, "dcim.region", regions...) {
		edits = append(edits, ledger.Edit{ID: region.ID()})
		sites[i] = within(named(i), "region", region)
	}
	b.create(t, "dcim.site", sites...)
	slices.Reverse(edits)
	if err := b.Delete(t.Context(), b.root, b.reg.Type("dcim.region"), edits); err != nil {
		t.Fatal(err)
	}
	for name, sql := range map[string]string{
		"deletes":    "SELECT object_id FROM extras_objectchange WHERE object_type = 'dcim.region' AND action = 'delete' ORDER BY id",
		"updates":    "SELECT object_id FROM extras_objectchange WHERE object_type = 'dcim.site' AND action = 'update' ORDER BY id",
		"deliveries": "SELECT object_id FROM extras_delivery WHERE object_type = 'dcim.region' ORDER BY id",
		"of updates": "SELECT object_id FROM extras_delivery WHERE object_type = 'dcim.site' ORDER BY id",
		"jobs by age": "SELECT d.object_id FROM river_job j JOIN extras_delivery d ON d.id = (j.args->>'delivery')::bigint WHERE " +
			"d.object_type = 'dcim.region' ORDER BY j.id",
	} {
		rows, err := b.db.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) != n || !slices.IsSorted(ids) {
			t.Errorf("%s: %v", name, ids)
		}
	}
}
