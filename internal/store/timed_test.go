package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// insertTimed writes a delivery for each moment, with an id that is drawn from it. The counter
// of the ids goes down, so that nothing depends on it.
func insertTimed(t *testing.T, db *pgxpool.Pool, moments []time.Time) {
	t.Helper()
	ids, changes := make([]int64, len(moments)), make([]int64, len(moments))
	for i, at := range moments {
		milliseconds, shift, mask := record.TimedIDs(at)
		ids[i], changes[i] = milliseconds<<shift|int64(mask-i), int64(i)
	}
	_, err := db.Exec(t.Context(), `
		INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id, state,
			round, tries, attempt_count, job_id, queued_at, reason)
		SELECT id, at, change, 1, 1, 'created', 'dcim.site', 1, gen_random_uuid(), 'successful', 1, 0, 1, change, at, ''
		FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[]) AS x(id, at, change)`, ids, moments, changes)
	if err != nil {
		t.Fatal(err)
	}
}

// TestTimeBoundsFindTheSameRows: ids have milliseconds, times microseconds, and several values of a lookup mean any
// of them. Whatever the bound on the ids, the time decides.
func TestTimeBoundsFindTheSameRows(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	deliveries := reg.Type(store.DeliveryType)
	base := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	var moments []time.Time
	for _, microseconds := range []int{-1001, -1000, -999, -501, -1, 0, 1, 499, 500, 999, 1000, 1001, 1999, 2000} {
		moments = append(moments, base.Add(time.Duration(microseconds)*time.Microsecond))
	}
	insertTimed(t, db, moments)
	far := []time.Time{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC),
		time.UnixMilli(0).UTC(),
		time.UnixMilli(1<<42 - 1).UTC(), time.UnixMilli(1 << 42).UTC(), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}
	values := [][]time.Time{}
	for _, at := range slices.Concat(moments, far) {
		values = append(values, []time.Time{at}, []time.Time{at, moments[5]}, []time.Time{moments[8], at, moments[2]})
	}
	passes := map[record.Lookup]func(at, bound time.Time) bool{
		record.Less: time.Time.Before, record.Greater: time.Time.After,
		record.AtMost:  func(at, bound time.Time) bool { return !at.After(bound) },
		record.AtLeast: func(at, bound time.Time) bool { return !at.Before(bound) },
		record.Exact:   time.Time.Equal,
	}
	for lookup, pass := range passes {
		for _, bounds := range values {
			var want []string
			for _, at := range moments {
				if slices.ContainsFunc(bounds, func(bound time.Time) bool { return pass(at, bound) }) {
					want = append(want, at.Sub(base).String())
				}
			}
			page, err := s.List(t.Context(), deliveries, store.Query{Scope: access.Machine(), Limit: 100, Order: []string{"time"},
				Where: []record.Predicate{{Field: deliveries.Field("time"), Lookup: lookup, Values: record.AnyOf(bounds)}}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range page.Rows {
				got = append(got, v.Get("time").(time.Time).Sub(base).String())
			}
			if !slices.Equal(got, want) || page.Count != int64(len(want)) {
				t.Errorf("%q of %v: %v (%d), want %v", lookup, bounds, got, page.Count, want)
			}
		}
	}
}

// TestTimeBoundsReadWhatTheyFind: only the index of the ids knows the time. A short time must not be searched for in
// the whole week.
func TestTimeBoundsReadWhatTheyFind(t *testing.T) {
	t.Parallel()
	s, reg, db := open(t)
	const rows = 20_000
	base := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	moments := make([]time.Time, rows)
	for i := range moments {
		moments[i] = base.Add(time.Duration(i) * time.Millisecond)
	}
	insertTimed(t, db, moments)
	if _, err := db.Exec(t.Context(), "VACUUM ANALYZE extras_delivery"); err != nil {
		t.Fatal(err)
	}
	deliveries := reg.Type(store.DeliveryType)
	bound := func(lookup record.Lookup, row int) record.Predicate {
		return record.Predicate{Field: deliveries.Field("time"), Lookup: lookup, Values: []any{moments[row]}}
	}
	for name, tests := range map[string][]record.Predicate{
		"a while":      {bound(record.AtLeast, 9_000), bound(record.Less, 9_100)},
		"its end":      {bound(record.Greater, rows-100)},
		"its start":    {bound(record.AtMost, 100)},
		"of a webhook": {bound(record.AtLeast, 9_000), bound(record.Less, 9_100), {Field: deliveries.Field("webhook"), Values: []any{int64(1)}}},
	} {
		t.Run(name, func(t *testing.T) {
			sql, args, err := store.CountStatement(s, deliveries, store.Query{Scope: access.Machine(), Where: tests, Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			var plan []struct {
				Plan struct {
					Hit  int64 `json:"Shared Hit Blocks"`
					Read int64 `json:"Shared Read Blocks"`
				}
			}
			if err := db.QueryRow(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+sql, args...).Scan(&plan); err != nil {
				t.Fatal(err)
			}
			if got := plan[0].Plan; got.Hit+got.Read > 20 {
				t.Errorf("%d blocks for a hundred of %d rows: %s", got.Hit+got.Read, rows, sql)
			}
		})
	}
}
