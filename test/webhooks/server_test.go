package webhooks_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"syscall"
	"testing"
	"time"

	"terrier/test/install"
)

// TestServerKilledInMidBulk kills the server at many moments of a bulk create. Each time there is everything or
// nothing: sites, change rows, deliveries and jobs. In the end a worker sends exactly what there is.
func TestServerKilledInMidBulk(t *testing.T) {
	t.Parallel()
	const rounds, size, hooks = 12, 300, 2
	w := newWorld(t)
	w.hook("/a", nil)
	w.hook("/b", object{"type_update": false})
	began := time.Now()
	w.sites(size)
	usual := time.Since(began)

	outcomes := map[string]int{}
	total := size
	for round := range rounds {
		facility := fmt.Sprint("round-", round)
		answered := make(chan install.Answer, 1)
		go func() { answered <- w.server.Do(http.MethodPost, sitesPath, w.admin, siteBodies(size, facility)) }()
		// Every part of the request is hit, and a little beyond its end.
		<-time.After((time.Duration(round) + time.Duration(rand.IntN(100))/100) * (usual * 5 / 4) / rounds)
		w.server.Kill()
		if got := w.server.EndedBy(); got != syscall.SIGKILL {
			t.Fatalf("round %d: the server ended by %v", round, got)
		}
		a := <-answered
		install.Eventually(t, "PostgreSQL should notice that its clients are gone", func() bool {
			return w.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'terrier'") == 0
		})
		made := w.number("SELECT count(*) FROM dcim_site WHERE facility = $1", facility)
		switch {
		case made != 0 && made != size:
			t.Errorf("round %d: %d of %d sites", round, made, size)
		case a.Status == http.StatusCreated && made != size:
			t.Errorf("round %d: acknowledged, and there are %d sites", round, made)
		case a.Status != http.StatusCreated && a.Err == nil:
			t.Errorf("round %d: %v", round, a)
		}
		outcomes[fmt.Sprintf("made=%t acknowledged=%t", made > 0, a.Status == http.StatusCreated)]++
		total += made
		for what, c := range map[string]struct {
			query string
			want  int
		}{
			"sites":      {"SELECT count(*) FROM dcim_site", total},
			"changes":    {"SELECT count(*) FROM extras_objectchange WHERE object_type = 'dcim.site'", total},
			"deliveries": {"SELECT count(*) FROM extras_delivery", total * hooks},
			"jobs":       {"SELECT count(*) FROM river_job", total * hooks},
			"deliveries with their job": {`SELECT count(*) FROM extras_delivery d JOIN river_job j ON j.id = d.job_id
				WHERE (j.args->>'delivery')::bigint = d.id AND j.state = 'available'`, total * hooks},
		} {
			if n := w.number(c.query); n != c.want {
				t.Errorf("round %d: %d %s, want %d", round, n, what, c.want)
			}
		}
		w.server = w.Serve()
	}
	t.Logf("%d kills in a request of %v: %v", rounds, usual.Round(time.Millisecond), outcomes)
	w.Work()
	w.receiver.await("/a", total)
	w.receiver.await("/b", total)
	install.Eventually(t, "every delivery should end", func() bool {
		return w.number("SELECT count(*) FROM extras_delivery WHERE state = 'queued'") == 0
	})
	// The counts of the API are kept beside the rows, and are exact.
	var page struct{ Count int }
	if w.do(http.MethodGet, deliveriesPath+"?limit=1", nil).Read(t, &page); page.Count != total*hooks {
		t.Errorf("the API counts %d deliveries, want %d", page.Count, total*hooks)
	}
}
