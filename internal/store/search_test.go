package store_test

import (
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestSearchLooksAtTheNewest: a search of deliveries reads the newest that pass the filters, so that it costs the
// same however many are kept; a filter by time leads it further back.
func TestSearchLooksAtTheNewest(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	deliveries := reg.Type(store.DeliveryType)
	newest := deliveries.SearchNewest
	now := time.Now().UTC().Truncate(time.Millisecond)
	milliseconds, shift, _ := record.TimedIDs(now)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`INSERT INTO extras_objectchange (id, changed_at, user_name, request_id, action, object_type, object_id, object_repr, version, data)
		SELECT i, $1::timestamptz + i * interval '1 us', '', gen_random_uuid(), 'create', 'dcim.site', i,
			CASE WHEN i IN (1, 2, $2::bigint / 2) THEN 'Needle ' ELSE 'Hay ' END || i, 1, '' FROM generate_series(1, $2 + 2) i`, now, newest)
	exec(`INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
			state, round, tries, attempt_count, job_id, queued_at, reason)
		SELECT $1 + c.id, c.changed_at, c.id, 7, 1, 'created', c.object_type, c.object_id, c.request_id, 'successful', 1, 1, 1, c.id,
			c.changed_at, '' FROM extras_objectchange c`, milliseconds<<shift)
	find := func(where ...record.Predicate) store.Page {
		t.Helper()
		page, err := s.List(t.Context(), deliveries, store.Query{Scope: access.Machine(), Where: where, Search: "needle", Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	if page := find(); page.Count != 1 || len(page.Rows) != 1 || page.Rows[0].Int("object_id") != int64(newest/2) {
		t.Errorf("found %d, %v", page.Count, page.Rows)
	}
	before := record.Predicate{Field: deliveries.Field("time"), Lookup: record.Less,
		Values: []any{now.Add(time.Duration(newest/4) * time.Microsecond)}}
	if page := find(before); page.Count != 2 || len(page.Rows) != 2 {
		t.Errorf("before the last ones: found %d, %v", page.Count, page.Rows)
	}
}
