package system_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"terrier/internal/dbtest"
)

// TestKillInMidBulkIsAllOrNothing kills the process while several bulk requests are under way. At any moment, a request has created all
// of its sites or none, and each site has exactly one change row. Only an acknowledged request must have its sites.
func TestKillInMidBulkIsAllOrNothing(t *testing.T) {
	t.Parallel()
	const rounds, workers, size = 6, 4, 100
	database := dbtest.New(t)
	in := newInstall(t, database)
	in.User("admin", "right password", "--superuser")
	admin := in.Token("admin")
	pool := connect(t, database)

	acknowledged, unanswered := map[string]bool{}, 0
	for round := range rounds {
		s := in.Serve()
		var mu sync.Mutex
		var wg sync.WaitGroup
		answered := 0
		for worker := range workers {
			wg.Go(func() {
				for i := 0; ; i++ {
					batch := fmt.Sprintf("batch-%d-%d-%d", round, worker, i)
					sites := make([]object, size)
					for j := range sites {
						name := fmt.Sprintf("%s-%d", batch, j)
						sites[j] = object{"name": name, "slug": name, "facility": batch}
					}
					a := s.Do(http.MethodPost, "/api/dcim/sites/", admin, sites)
					mu.Lock()
					switch {
					case a.Status == http.StatusCreated:
						acknowledged[batch] = true
						// The other requests are at any point of their work now, at another one each round.
						if answered++; answered == 2+round {
							s.Kill()
						}
					case a.Err != nil:
						unanswered++
					default:
						t.Errorf("%s: %v", batch, a)
					}
					mu.Unlock()
					if a.Status != http.StatusCreated {
						return
					}
				}
			})
		}
		wg.Wait()
		if code := s.ExitCode(); code != -1 {
			t.Fatalf("the process was not killed: exit code %d", code)
		}
		eventually(t, "PostgreSQL should notice that its clients are gone", func() bool {
			return number(t, pool, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'terrier'") == 0
		})
	}

	found := map[string]int{}
	rows, err := pool.Query(t.Context(), "SELECT facility, count(*) FROM dcim_site GROUP BY facility")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var batch string
		var n int
		if err := rows.Scan(&batch, &n); err != nil {
			t.Fatal(err)
		}
		if found[batch] = n; n != size {
			t.Errorf("%s has %d of its %d sites", batch, n, size)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for batch := range acknowledged {
		if found[batch] != size {
			t.Errorf("%s was acknowledged and has %d sites", batch, found[batch])
		}
	}
	t.Logf("%d kills: %d requests acknowledged, %d unanswered, of which %d were committed", rounds, len(acknowledged), unanswered,
		len(found)-len(acknowledged))
	if unanswered < rounds {
		t.Errorf("only %d requests were under way at the %d kills", unanswered, rounds)
	}

	if n := number(t, pool, `SELECT count(*) FROM dcim_site s WHERE 1 <> (SELECT count(*) FROM extras_objectchange c
		WHERE c.object_type = 'dcim.site' AND c.object_id = s.id AND c.action = 'create')`); n != 0 {
		t.Errorf("%d sites do not have exactly one change row", n)
	}
	if n := number(t, pool, `SELECT count(*) FROM extras_objectchange c WHERE c.object_type = 'dcim.site'
		AND NOT EXISTS (SELECT FROM dcim_site s WHERE s.id = c.object_id)`); n != 0 {
		t.Errorf("%d change rows tell of sites that are not there", n)
	}

	// The counts of the API are stored separately from the rows, and are exact.
	s := in.Serve()
	for path, table := range map[string]string{"/api/dcim/sites/": "dcim_site", "/api/extras/object-changes/": "extras_objectchange"} {
		var page struct{ Count int }
		s.Get(path+"?limit=1", admin).Want(t, http.StatusOK).Read(t, &page)
		if n := number(t, pool, "SELECT count(*) FROM "+table); page.Count != n {
			t.Errorf("%s counts %d, and there are %d rows", path, page.Count, n)
		}
	}
}
