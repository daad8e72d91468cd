package system_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// TestKillInMidAllocation kills one of two servers while clients of both take addresses, singly and several at once. A request
// has all of its addresses or none, an acknowledged one has them all, and the other server goes on.
func TestKillInMidAllocation(t *testing.T) {
	t.Parallel()
	const size, killAfter, enough = 5, 60, 300
	r := newRegistrar(t)
	vrf := r.create(t, "/api/ipam/vrfs/", object{"name": "red"})
	places := []string{r.prefix(t, vrf, "10.0.0.0/22"), r.prefix(t, vrf, "10.0.0.0/24")}
	wanted := map[string]int{} // by mark: how many addresses a request asked for
	acknowledged := map[string]bool{}
	unanswered, survivor := 0, 0
	var group sync.WaitGroup
	for client := range allocationClients {
		group.Go(func() {
			s := r.servers[client%2]
			for i := 0; ; i++ {
				mark, n := fmt.Sprintf("request-%d-%d", client, i), 1+i%2*(size-1)
				bodies := make([]object, n)
				for j := range bodies {
					bodies[j] = object{"description": mark}
				}
				r.mu.Lock()
				wanted[mark] = n
				r.mu.Unlock()
				a := s.Do(http.MethodPost, places[client/2%2], r.admin, bodies)
				if a.Status == http.StatusCreated {
					r.took(t, mark, a, true)
				}
				r.mu.Lock()
				switch {
				case a.Status == http.StatusCreated:
					if acknowledged[mark] = true; len(acknowledged) == killAfter {
						r.servers[0].Kill()
					}
					if len(acknowledged) > killAfter && s == r.servers[1] {
						survivor++
					}
				case a.Err != nil && s == r.servers[0]:
					unanswered++
					s = r.servers[1]
				case a.Status != http.StatusConflict || client/2%2 == 0:
					t.Errorf("%s: %v", mark, a)
				}
				done := len(r.given) >= enough || a.Status == http.StatusConflict
				r.mu.Unlock()
				if done {
					return
				}
			}
		})
	}
	group.Wait()
	if code := r.servers[0].ExitCode(); code != -1 {
		t.Fatalf("the process was not killed: exit code %d", code)
	}
	eventually(t, "PostgreSQL should notice that a client is gone", func() bool {
		return number(t, r.pool, `SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND a.datname = current_database() AND a.state <> 'idle'`) == 0 // the sequencer's connection is idle
	})
	found := r.checkWhole(t, vrf, wanted)
	t.Logf("%d requests acknowledged, %d of them by the other server after the kill; %d unanswered, of which %d were committed",
		len(acknowledged), survivor, unanswered, found-len(acknowledged))
	if unanswered == 0 || survivor == 0 {
		t.Errorf("%d requests were under way at the kill, and %d were answered by the other server", unanswered, survivor)
	}
	var free []object
	r.servers[1].Get(places[1]+"?limit=0", r.admin).Want(t, http.StatusOK).Read(t, &free)
	if len(free) > 0 {
		r.servers[1].Do(http.MethodPost, places[1], r.admin, slices.Repeat([]object{{}}, len(free))).Want(t, http.StatusCreated)
	}
	r.servers[1].Do(http.MethodPost, places[1], r.admin, object{}).Want(t, http.StatusConflict)
}

// checkWhole checks that each request has all of its addresses or none, and returns how many have them.
func (r *registrar) checkWhole(t *testing.T, vrf int, wanted map[string]int) (found int) {
	t.Helper()
	r.checkStored(t, vrf)
	rows, err := r.pool.Query(t.Context(), "SELECT description, count(*) FROM ipam_ipaddress GROUP BY description")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var mark string
		var n int
		if err := rows.Scan(&mark, &n); err != nil {
			t.Fatal(err)
		}
		if found++; n != wanted[mark] {
			t.Errorf("%s has %d of its %d addresses", mark, n, wanted[mark])
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if n := number(t, r.pool, `SELECT count(*) FROM extras_objectchange c WHERE c.object_type = 'ipam.ipaddress'
		AND NOT EXISTS (SELECT FROM ipam_ipaddress a WHERE a.id = c.object_id)`); n != 0 {
		t.Errorf("%d change rows tell of addresses that are not there", n)
	}
	return found
}
