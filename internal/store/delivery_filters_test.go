package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/record"
	"terrier/internal/store"
)

// insertEnded adds deliveries that have ended, a microsecond after each other: the first has failed with status 500, and webhook 8 has the
// first two.
func insertEnded(t *testing.T, db *pgxpool.Pool, n int) {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	milliseconds, shift, _ := record.TimedIDs(now)
	if _, err := db.Exec(t.Context(), `INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type,
			object_id, request_id, state, round, tries, attempt_count, job_id, queued_at, finished_at, status_code, reason)
		SELECT $1::bigint + i, $2::timestamptz, i, CASE WHEN i <= 2 THEN 8 ELSE 7 END, 1, CASE WHEN i % 3 = 0 THEN 'created' ELSE 'updated' END,
			'dcim.site', i, gen_random_uuid(), CASE WHEN i = 1 THEN 'failed' ELSE 'successful' END, 1, 1, 1, i, $2,
			$2::timestamptz - interval '1 hour' + i * interval '1 us', CASE WHEN i = 1 THEN 500 ELSE 200 END, '' FROM generate_series(1, $3) i`,
		milliseconds<<shift, now, n); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "ANALYZE extras_delivery"); err != nil {
		t.Fatal(err)
	}
}

// TestDeliveryFiltersAreIndexed: a page of deliveries by webhook, status code or event and its capped count are read from an index,
// however rare the value is.
func TestDeliveryFiltersAreIndexed(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	insertEnded(t, db, 20_000)
	deliveries := reg.Type(store.DeliveryType)
	test := func(name string, value any) record.Predicate {
		return record.Predicate{Field: deliveries.Field(name), Values: []any{value}}
	}
	for _, c := range []struct {
		filter       record.Predicate
		value, index string
	}{
		{test("webhook", int64(9)), "{9}", "webhook_id_id"},
		{test("status_code", int64(503)), "{503}", "status_code_id"},
		{test("event", "deleted"), "{deleted}", "event_id"},
	} {
		statements, err := store.ListStatement(s, deliveries, store.Query{Scope: access.Machine(), Limit: 50, Count: store.CountCapped,
			View: record.View{Only: []string{"id"}}, Where: []record.Predicate{c.filter}})
		if err != nil {
			t.Fatal(err)
		}
		for statement := range strings.SplitSeq(statements, ";") {
			plan := genericPlan(t, db, statement, c.value)
			for line := range strings.SplitSeq(plan, "\n") {
				if strings.Contains(line, " on extras_delivery_") && !strings.Contains(line, c.index) {
					t.Errorf("%s:\n%s\n%s", c.value, statement, line)
				}
			}
		}
	}
}

// TestEndedIsBounded: what ended last is looked for among the newest deliveries, of one webhook or of all.
func TestEndedIsBounded(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	insertEnded(t, db, store.EndedNewest+2)
	deliveries := reg.Type(store.DeliveryType)
	failed := record.Predicate{Field: deliveries.Field("state"), Values: []any{store.Failed}}
	ofHook := record.Predicate{Field: deliveries.Field("webhook"), Values: []any{int64(8)}}
	for _, c := range []struct {
		where []record.Predicate
		want  string // the objects
	}{
		{nil, fmt.Sprint([]int64{store.EndedNewest, store.EndedNewest + 1, store.EndedNewest + 2})},
		{[]record.Predicate{failed}, "[]"},
		{[]record.Predicate{ofHook}, "[1 2]"},
		{[]record.Predicate{failed, ofHook}, "[1]"},
	} {
		ended, err := s.Ended(t.Context(), store.Query{Scope: access.Machine(), Where: c.where, Limit: 3}, time.Time{})
		objects := []int64{}
		for _, e := range ended {
			objects = append(objects, e.ObjectID)
		}
		if err != nil || fmt.Sprint(objects) != c.want {
			t.Errorf("%v: %v (%v), want %s", c.where, objects, err, c.want)
		}
	}
}

// TestDeliveryIndexesAreMade: the migration makes the indexes of every week that is there, and goes on where it was interrupted.
func TestDeliveryIndexesAreMade(t *testing.T) {
	t.Parallel()
	pool := dbtest.Pool(t)
	if err := store.MigrateTo(t.Context(), pool, 16); err != nil {
		t.Fatal(err)
	}
	var week string
	if err := pool.QueryRow(t.Context(), `SELECT min(inhrelid::regclass::text) FROM pg_inherits
		WHERE inhparent = 'extras_delivery'::regclass`).
		Scan(&week); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), fmt.Sprintf(`CREATE INDEX extras_delivery_event ON ONLY extras_delivery (event, id);
		CREATE INDEX half ON %s (event, id); ALTER INDEX extras_delivery_event ATTACH PARTITION half`, week)); err != nil {
		t.Fatal(err)
	}
	if err := store.MigrateTo(t.Context(), pool, 17); err != nil {
		t.Fatal(err)
	}
	var weeks, indexes, valid int
	if err := pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM pg_inherits WHERE inhparent = 'extras_delivery'::regclass),
			(SELECT count(*) FROM pg_inherits WHERE inhparent IN ('extras_delivery_event'::regclass, 'extras_delivery_status_code'::regclass)),
			(SELECT count(*) FROM pg_index WHERE indrelid = 'extras_delivery'::regclass AND indisvalid AND indexrelid::regclass::text IN
				('extras_delivery_event', 'extras_delivery_status_code'))`).Scan(&weeks, &indexes, &valid); err != nil {
		t.Fatal(err)
	}
	if weeks == 0 || indexes != 2*weeks || valid != 2 {
		t.Errorf("%d indexes of %d weeks, %d of 2 are valid", indexes, weeks, valid)
	}
}
