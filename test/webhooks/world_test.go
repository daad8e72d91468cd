package webhooks_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

type object = install.Object

// loopback is what a worker must be allowed for receivers on this machine.
const loopback = "EGRESS_ALLOW=127.0.0.1/32"

// alertsAtOnce lets an alert show how soon a hold is noticed. That it usually comes a minute later is tested in internal/health.
const alertsAtOnce = "WEBHOOK_HELD_AFTER=0s"

// world is an installation and a receiver. Its audit runs when the test ends.
type world struct {
	*install.Install
	t        *testing.T
	db       *pgxpool.Pool
	database string
	admin    string
	server   *install.Process
	receiver *receiver
	names    atomic.Int64

	secrets    map[string][]string // of webhooks, by the path of the receiver; "" if there was none for a while
	duplicates int                 // requests that faults may have repeated
}

// newWorld starts a server, but no worker.
func newWorld(t *testing.T, settings ...string) *world {
	t.Helper()
	return newWorldOn(t, dbtest.New(t), settings...)
}

func newWorldOn(t *testing.T, database string, settings ...string) *world {
	t.Helper()
	w := &world{t: t, database: database, secrets: map[string][]string{}, receiver: newReceiver(t)}
	w.db = install.Connect(t, database)
	w.Install = install.New(t, database, append([]string{loopback}, settings...)...)
	w.User("admin", "right password", "--superuser")
	w.admin = w.Token("admin")
	w.server = w.Serve()
	t.Cleanup(w.audit)
	return w
}

// run is a subtest that also gets the world's own failures.
func (w *world) run(name string, fn func(t *testing.T)) {
	whole := w.t
	whole.Run(name, func(t *testing.T) {
		use := func(t *testing.T) { w.t, w.T, w.receiver.t = t, t, t }
		use(t)
		defer use(whole)
		fn(t)
	})
}

// do sends a request that must succeed.
func (w *world) do(method, path string, body any) install.Answer {
	w.t.Helper()
	a := w.server.Do(method, path, w.admin, body)
	if a.Status < 200 || a.Status > 299 {
		w.t.Fatalf("%s %s: %d %v", method, path, a.Status, a)
	}
	return a
}

const (
	sitesPath      = "/api/dcim/sites/"
	webhooksPath   = "/api/extras/webhooks/"
	deliveriesPath = "/api/extras/deliveries/"
)

// nameCanary begins the name of every webhook. Nothing that is sent may contain it.
const nameCanary = "name-of-a-webhook"

// hook makes a webhook that is notified of all changes to sites. Its address is the receiver's, with the given path,
// unless the fields say otherwise.
func (w *world) hook(path string, fields object) int64 {
	w.t.Helper()
	body := object{"name": fmt.Sprintf("%s-%d", nameCanary, w.names.Add(1)), "content_types": []string{"dcim.site"},
		"payload_url": w.receiver.URL + path,
		"type_create": true, "type_update": true, "type_delete": true}
	maps.Copy(body, fields)
	secret, _ := body["secret"].(string)
	w.signs(path, secret)
	var made struct{ ID int64 }
	w.do(http.MethodPost, webhooksPath, body).Read(w.t, &made)
	return made.ID
}

// signs records a secret that may sign requests to a path, "" for none.
func (w *world) signs(path, secret string) { w.secrets[path] = append(w.secrets[path], secret) }

// change edits a webhook.
func (w *world) change(id int64, fields object) {
	w.t.Helper()
	w.do(http.MethodPatch, fmt.Sprintf("%s%d/", webhooksPath, id), fields)
}

// act calls an action of a webhook: pause, resume.
func (w *world) act(id int64, action string) {
	w.t.Helper()
	w.do(http.MethodPost, fmt.Sprintf("%s%d/%s/", webhooksPath, id, action), nil)
}

// site is a record of whose changes webhooks are notified.
type site struct {
	w    *world
	id   int64
	path string
	last install.Answer // to the request that changed it last
}

func (w *world) site(fields object) *site {
	w.t.Helper()
	n := w.names.Add(1)
	body := object{"name": fmt.Sprintf("site-%d", n), "slug": fmt.Sprintf("site-%d", n)}
	maps.Copy(body, fields)
	a := w.do(http.MethodPost, sitesPath, body)
	var made struct{ ID int64 }
	a.Read(w.t, &made)
	return &site{w, made.ID, fmt.Sprintf("%s%d/", sitesPath, made.ID), a}
}

func (s *site) update(fields object) {
	s.w.t.Helper()
	s.last = s.w.do(http.MethodPatch, s.path, fields)
}

func (s *site) delete() {
	s.w.t.Helper()
	s.last = s.w.do(http.MethodDelete, s.path, nil)
}

func requestID(a install.Answer) string { return a.Header.Get("X-Request-ID") }

// delivery is one of /api/extras/deliveries/.
type delivery struct {
	ID       string
	State    choice
	Event    choice
	Object   int64     `json:"object_id"`
	Sequence int64     `json:"sequence"`
	Request  string    `json:"request_id"`
	Count    int       `json:"attempt_count"`
	Status   *int      `json:"status_code"`
	Reason   string    `json:"reason"`
	Queued   time.Time `json:"queued_at"`
	Finished time.Time `json:"finished_at"`
	Retry    time.Time `json:"retry_at"` // zero for none
	Attempts []attempt `json:"attempts"` // if it was read on its own
}

type choice struct{ Value string }

type attempt struct {
	Error   string
	Request struct {
		Method, Target string
		Headers        http.Header
		Body           string
	}
	Response *struct {
		Status    int
		Body      string
		Truncated bool
	}
}

// ended reports whether the delivery is final.
func (d delivery) ended() bool { return d.State.Value != "queued" && d.Retry.IsZero() }

// deliveries lists the deliveries of a webhook, the oldest first.
func (w *world) deliveries(webhook int64) []delivery {
	w.t.Helper()
	var page struct{ Results []delivery }
	w.do(http.MethodGet, fmt.Sprintf("%s?limit=0&ordering=id&webhook_id=%d", deliveriesPath, webhook), nil).Read(w.t, &page)
	return page.Results
}

// delivery reads one with its attempts.
func (w *world) delivery(id string) (d delivery) {
	w.t.Helper()
	w.do(http.MethodGet, deliveriesPath+id+"/", nil).Read(w.t, &d)
	return d
}

// ended waits until a webhook has n deliveries and all have ended.
func (w *world) ended(webhook int64, n int) (all []delivery) {
	w.t.Helper()
	return w.endedWithin(install.Patience, webhook, n)
}

func (w *world) endedWithin(bound time.Duration, webhook int64, n int) (all []delivery) {
	w.t.Helper()
	install.Within(w.t, bound, fmt.Sprintf("%d deliveries should end", n), func() bool {
		all = w.deliveries(webhook)
		if len(all) > n {
			w.t.Fatalf("%d deliveries, want %d: %+v", len(all), n, all)
		}
		for _, d := range all {
			if !d.ended() {
				return false
			}
		}
		return len(all) == n
	})
	return all
}

// only waits for the end of the only delivery of a webhook and reads it whole.
func (w *world) only(webhook int64) delivery {
	w.t.Helper()
	return w.delivery(w.ended(webhook, 1)[0].ID)
}

// want fails the test unless the delivery has this state, and failed for this reason.
func (d delivery) want(t *testing.T, state, reason string) delivery {
	t.Helper()
	if d.State.Value != state || !strings.Contains(d.Reason, reason) || (state == "successful") != (d.Reason == "") {
		t.Errorf("delivery %s is %s (%q), want %s (%q)", d.ID, d.State.Value, d.Reason, state, reason)
	}
	return d
}

// number reads one number from the database.
func (w *world) number(query string, args ...any) int {
	w.t.Helper()
	return install.Number(w.t, w.db, query, args...)
}

func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	if _, err := w.db.Exec(w.t.Context(), query, args...); err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
}

// keepJobs copies jobs that end into ended_job: they are removed with their outcome.
func (w *world) keepJobs() {
	w.t.Helper()
	w.exec(`CREATE TABLE ended_job (LIKE river_job);
		CREATE FUNCTION keep_job() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO ended_job SELECT OLD.*; RETURN NULL; END';
		CREATE TRIGGER keep_job AFTER DELETE ON river_job FOR EACH ROW EXECUTE FUNCTION keep_job()`)
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// sameJSON compares documents regardless of their formatting.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%v: %s", err, a)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	p, _ := json.Marshal(x) // what was just decoded
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}
