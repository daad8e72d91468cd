package database_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/test/install"
)

type object = install.Object

// world is a server, a worker and a receiver of one webhook, which is notified of all changes to sites.
type world struct {
	*install.Install
	t      *testing.T
	admin  string
	server *install.Process
	worker *install.Process

	mu       sync.Mutex
	received map[string]int // by delivery
	answers  map[int]int    // to writes, by status
	written  []acknowledged
	lost     int // deliveries that were received and are not in the database, which went back in time
}

// acknowledged is a change that the server answered with 2XX.
type acknowledged struct {
	site int64
	text string
}

// newWorld starts everything on a migrated database, which its processes reach by the given address.
func newWorld(t *testing.T, database string) *world {
	t.Helper()
	return startWorld(t, install.New(t, database))
}

// startWorld starts everything as an installation says.
func startWorld(t *testing.T, in *install.Install) *world {
	t.Helper()
	in.Set("EGRESS_ALLOW=127.0.0.1/32")
	w := &world{t: t, Install: in, received: map[string]int{}, answers: map[int]int{}}
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.received[r.Header.Get("X-Hook-Delivery")]++
	}))
	t.Cleanup(receiver.Close)
	w.User("admin", "right password", "--superuser")
	w.admin = w.Token("admin")
	w.server, w.worker = w.Serve(), w.Work()
	w.server.Do(http.MethodPost, "/api/extras/webhooks/", w.admin, object{"name": "hook", "content_types": []string{"dcim.site"},
		"payload_url": receiver.URL, "type_create": true, "type_update": true}).Want(t, http.StatusCreated)
	return w
}

// site makes a record to change.
func (w *world) site(name string) int64 {
	w.t.Helper()
	var made struct{ ID int64 }
	w.server.Do(http.MethodPost, "/api/dcim/sites/", w.admin, object{"name": name, "slug": name}).Want(w.t,
		http.StatusCreated).Read(w.t, &made)
	return made.ID
}

// path is the address of a site.
func path(site int64) string { return fmt.Sprintf("/api/dcim/sites/%d/", site) }

// change writes a site and records the answer.
func (w *world) change(site int64, text string) install.Answer {
	return w.changeAt(w.server, site, text)
}

// changeAt is change by one of several servers.
func (w *world) changeAt(server *install.Process, site int64, text string) install.Answer {
	a := server.Do(http.MethodPatch, path(site), w.admin, object{"description": text})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers[a.Status]++
	if a.Status == http.StatusOK {
		w.written = append(w.written, acknowledged{site, text})
	}
	return a
}

// audit waits until nothing is queued. Then every acknowledged change must be in the change log, the versions of every
// site must be without a gap, and every delivery must have been received.
func (w *world) audit(db *pgxpool.Pool) {
	w.t.Helper()
	const deliveries = "SELECT count(*) FROM extras_delivery"
	ended := func() bool { return install.Number(w.t, db, deliveries+" WHERE state <> 'successful'") == 0 }
	// A job whose outcome could not be written is taken back by River after 40 seconds, within its next half minute.
	install.Within(w.t, 90*time.Second, "deliveries end", ended)
	for _, a := range w.written {
		if install.Number(w.t, db,
			"SELECT count(*) FROM extras_objectchange WHERE object_type = 'dcim.site' AND object_id = $1 AND postchange::jsonb->>'description' = $2",
			a.site, a.text) != 1 {
			w.t.Errorf("site %d: the acknowledged change %q is lost", a.site, a.text)
		}
	}
	if n := install.Number(w.t, db, `SELECT count(*) FROM dcim_site s
		WHERE version <> (SELECT count(*) FROM extras_objectchange c WHERE c.object_type = 'dcim.site' AND c.object_id = s.id)`); n > 0 {
		w.t.Errorf("the versions of %d sites have gaps", n)
	}
	changes, sent := install.Number(w.t, db, "SELECT count(*) FROM extras_objectchange WHERE object_type = 'dcim.site'"),
		install.Number(w.t, db, deliveries)
	w.mu.Lock()
	defer w.mu.Unlock()
	if sent != changes || len(w.received) != changes+w.lost {
		w.t.Errorf("%d changes, %d deliveries, %d received (%d before the database went back)", changes, sent, len(w.received), w.lost)
	}
}

// wantOnly fails the test when a write was answered with another status.
func (w *world) wantOnly(statuses ...int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	left := map[int]int{}
	for status, n := range w.answers {
		left[status] = n
	}
	for _, status := range statuses {
		delete(left, status)
	}
	if len(left) > 0 {
		w.t.Errorf("answers by status: %v, want only %v\n%s", w.answers, statuses, failures(w.server.Log()))
	}
}

// failures returns the lines of a log about failed requests.
func failures(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, "failed") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[:min(len(lines), 10)], "")
}
