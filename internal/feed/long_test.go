package feed

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/store"
	"terrier/test/storetest"
)

// TestTenMillion: with ten million changes over twelve weeks, a page of 50 takes at most 10 ms, wherever it is. A page of one record costs
// more, the more changes the record has: here a thousand.
func TestTenMillion(t *testing.T) {
	if os.Getenv("TERRIER_LONG") == "" {
		t.Skip("takes minutes: TERRIER_LONG=1 runs it")
	}
	const rows, weeks = 10_000_000, 12
	s, _, pool := storetest.Open(t, nil)
	for n := range weeks + 1 {
		must(t, s.MakePartitions(t.Context(), time.Now().AddDate(0, 0, -7*n)))
	}
	for _, sql := range []string{
		`INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version, data)
			SELECT now() - interval '84 days' * (1 - n / 1e7), 'alice', gen_random_uuid(), 'update', 'dcim.site', n % 10000, 'site', n / 10000 + 1,
				'{"name": "site", "description": "a record of a usual size"}' FROM generate_series(1, 10000000) n`,
		"INSERT INTO extras_position SELECT row_number() OVER (ORDER BY id), id, changed_at FROM extras_objectchange",
		"UPDATE extras_sequencer SET newest = 10000000, settled = 10000000",
		"VACUUM ANALYZE extras_position", "VACUUM ANALYZE extras_objectchange",
	} {
		_, err := pool.Exec(t.Context(), sql)
		must(t, err)
	}
	measure := func(what string, goal time.Duration, query func() store.FeedQuery) {
		var took []time.Duration
		for n := range 300 {
			q := query()
			q.Scope, q.Among, q.Limit = access.Machine(), 50, 50
			began := time.Now()
			part, err := s.Feed(t.Context(), q)
			must(t, err)
			if len(part.Changes) != 50 {
				t.Fatalf("%s: %d changes after %d", what, len(part.Changes), q.After)
			}
			if n >= 20 { // the first ones connect and plan
				took = append(took, time.Since(began))
			}
		}
		slices.Sort(took)
		p50, p95 := took[len(took)/2], took[len(took)*95/100]
		t.Logf("%s: p50 %v, p95 %v", what, p50, p95)
		if p95 > goal {
			t.Errorf("%s: p95 is %v", what, p95)
		}
	}
	measure("anywhere", 10*time.Millisecond, func() store.FeedQuery { return store.FeedQuery{After: rand.Int64N(rows - 50)} })
	measure("of one record", 50*time.Millisecond, func() store.FeedQuery {
		return store.FeedQuery{Type: "dcim.site", Object: rand.Int64N(10_000), After: rand.Int64N(rows - rows/10)}
	})
}
