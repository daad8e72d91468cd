package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// TestLoadDueLooksUp: the planner has no statistics of the newest changes and expects none. Reading a hundred
// deliveries must not scan all of them a hundred times.
func TestLoadDueLooksUp(t *testing.T) {
	t.Parallel()
	_, reg, db := open(t)
	workers, err := store.Open(t.Context(), db.Config().ConnString(), reg, nil, store.ForWorkers...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(workers.Close)
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := db.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	const changes = `INSERT INTO extras_objectchange (id, changed_at, user_name, request_id, action, object_type, object_id, object_repr,
		version, data)
		SELECT n, $1::timestamptz + n * interval '1 microsecond', 'x', gen_random_uuid(), 'create', 'dcim.site', n, 'x', 1, repeat('x', 900)
		FROM generate_series($2::bigint, $3::bigint) n`
	now := time.Now().UTC().Truncate(time.Second)
	exec(changes, now.Add(-time.Second), 1, 10_000)
	exec("ANALYZE extras_objectchange")
	exec(changes, now, 10_001, 15_000)
	milliseconds, shift, _ := record.TimedIDs(now)
	exec(`INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
			state, round, tries, attempt_count, job_id, queued_at, reason)
		SELECT (($1::bigint + c.id / 1000) << $2::int) | (c.id % 1000), c.changed_at, c.id, 1, 1, 'created', 'dcim.site', c.id,
			c.request_id, 'queued', 1, 0, 0, c.id, c.changed_at, ''
		FROM extras_objectchange c WHERE c.id > 10000`, milliseconds, shift)
	var ids []int64
	if err := db.QueryRow(t.Context(), "SELECT array_agg(id) FROM (SELECT id FROM extras_delivery ORDER BY random() LIMIT 100) x").
		Scan(&ids); err != nil {
		t.Fatal(err)
	}
	from, to := store.LoadDueRanges(ids)
	var plan []struct {
		Plan struct {
			Rows   int64 `json:"Actual Rows"`
			Blocks int64 `json:"Shared Hit Blocks"`
		}
	}
	err = workers.Pool().QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+store.LoadDueStatement, ids, from, to, now,
		now.Add(time.Second)).Scan(&plan)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan[0].Plan; got.Rows != int64(len(ids)) || got.Blocks > 30*int64(len(ids)) {
		t.Errorf("%d rows for %d deliveries, %d blocks read", got.Rows, len(ids), got.Blocks)
	}
}

// TestLoadDueReadsAChangeOnce: a change that many webhooks are notified of is read with the first of its deliveries
// and shared by the others.
func TestLoadDueReadsAChangeOnce(t *testing.T) {
	t.Parallel()
	s, _, db := open(t)
	now := time.Now().UTC().Truncate(time.Second)
	milliseconds, shift, _ := record.TimedIDs(now)
	for _, statement := range []string{
		`INSERT INTO extras_objectchange (id, changed_at, user_name, request_id, action, object_type, object_id, object_repr, version,
			prechange, data)
			SELECT n, $1, 'user ' || n, gen_random_uuid(), 'delete', 'dcim.site', n, 'x', 7, '{"was":' || n || '}', '{"is":' || n || '}'
				FROM generate_series(1, 3) n
			WHERE ($2::bigint, $3::int) IS NOT NULL`,
		`INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
				state, round, tries, attempt_count, job_id, queued_at, reason)
			SELECT ($2::bigint << $3::int) | (c.id + 3 * w), $1, c.id, w, c.version, 'deleted', c.object_type, c.object_id, c.request_id,
				'queued', 1, 0, 0, 10 * w + c.id, $1, ''
			FROM extras_objectchange c, generate_series(1, 4) w`,
	} {
		if _, err := db.Exec(t.Context(), statement, now, milliseconds, shift); err != nil {
			t.Fatal(err)
		}
	}
	var ids []int64
	if err := db.QueryRow(t.Context(), "SELECT array_agg(id ORDER BY random()) FROM extras_delivery").Scan(&ids); err != nil {
		t.Fatal(err)
	}
	due, err := s.LoadDue(t.Context(), ids)
	if err != nil || len(due) != 12 {
		t.Fatalf("%d deliveries (%v)", len(due), err)
	}
	events := map[*webhook.Event]int{}
	for _, d := range due {
		events[d.Event]++
		change := (d.ID&(1<<shift-1)-1)%3 + 1
		want := fmt.Sprintf(`"model":"site","username":"user %d","request_id":"%s","data":{"is":%d},"snapshots":{"prechange":{"was":%d},`+
			`"postchange":null}}`, change, d.RequestID, change, change)
		if body := string(d.Event.Body()); !strings.HasPrefix(body,
			`{"event":"deleted","timestamp":"`+now.Format("2006-01-02T15:04:05")) || !strings.HasSuffix(body, want) {
			t.Errorf("delivery %d of change %d tells %s", d.ID, change, body)
		}
	}
	if len(events) != 3 {
		t.Errorf("3 changes were read %d times", len(events))
	}
}
