package store_test

import (
	"regexp"
	"strings"
	"testing"

	"terrier/internal/store"
)

// TestTallyLooksChangesUp: each change is looked up by its id in one partition, however many there are.
func TestTallyLooksChangesUp(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	for _, statement := range []string{
		`INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version, data)
		SELECT now(), '', gen_random_uuid(), 'update', 'dcim.site', n, '', 1, '{}' FROM generate_series(1, 20000) n`,
		"INSERT INTO extras_position SELECT row_number() OVER (), id, changed_at FROM extras_objectchange",
		"VACUUM ANALYZE extras_objectchange, extras_position",
	} {
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	plan := genericPlan(t, s.Pool(), store.TallyChangesStatement, "10000")
	scans := regexp.MustCompile(`\w+ Scan .*on (extras_objectchange_\d+|extras_position)`).FindAllString(plan, -1)
	for _, scan := range scans {
		if !strings.HasPrefix(scan, "Index Scan") {
			t.Errorf("it reads by %s", scan)
		}
	}
	if len(scans) < 5 || t.Failed() {
		t.Errorf("the plan is\n%s", plan)
	}
}

// TestWaitsReadsTheIndex: how many deliveries have ended does not matter. For a row that VACUUM could not mark as visible to all, because
// a transaction was open, a block of the table is read besides those of the index. All of the table has more than 300.
func TestWaitsReadsTheIndex(t *testing.T) {
	t.Parallel()
	_, _, db := open(t)
	for _, statement := range []string{
		`INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
			state, round, tries, attempt_count, job_id, queued_at, reason)
		SELECT n, now(), n, 1, 1, 'created', 'dcim.site', n, gen_random_uuid(), CASE WHEN n % 200 = 0 THEN 'queued' ELSE 'successful' END,
			1, 0, 0, n, now(), '' FROM generate_series(1, 20000) n`,
		"VACUUM ANALYZE extras_delivery",
	} {
		if _, err := db.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	var plan []struct {
		Plan struct {
			Hit  int64 `json:"Shared Hit Blocks"`
			Read int64 `json:"Shared Read Blocks"`
		}
	}
	if err := db.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+store.WaitsStatement()).Scan(&plan); err != nil {
		t.Fatal(err)
	}
	if got := plan[0].Plan; got.Hit+got.Read > 150 {
		t.Errorf("%d blocks for 100 of 20,000 deliveries", got.Hit+got.Read)
	}
}
