package doctor_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/app"
	"terrier/internal/doctor"
	"terrier/test/install"
	"terrier/test/mutual"
)

// world is a healthy system: a durable PostgreSQL, a server, a worker, and a webhook with TLS and a queued delivery. All
// its secrets are canaries. The worker is only a row, so that nobody mends what a fixture breaks.
type world struct {
	t        *testing.T
	canaries *install.Canaries
	in       *install.Install
	config   app.Config
	db       *pgxpool.Pool
	server   *install.Process
	token    string
	receiver *httptest.Server

	certificate string // the client's
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, canaries: &install.Canaries{T: t}}
	w.receiver = httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(w.receiver.Close)
	w.receiver.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	authorities := t.TempDir()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: w.receiver.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(authorities, "ca.pem"), ca, 0o600); err != nil {
		t.Fatal(err)
	}
	database := startNode(t, w.canaries.Password("the database"))
	w.in = install.New(t, database, "SECRET_KEY="+w.canaries.Watch("the secret key", install.RandomHex(32)),
		"EGRESS_ALLOW=127.0.0.1/32", "WEBHOOK_CA_DIR="+authorities, "BASE_URL=http://localhost")
	if out, code := w.in.Terrier("", "migrate"); code != 0 {
		t.Fatalf("migrate: %s", out)
	}
	w.in.User("admin", w.canaries.Password("the account"), "--superuser")
	w.token = w.canaries.Watch("the token", w.in.Token("admin"))
	w.db = install.Connect(t, database)
	w.server = w.in.Serve()
	out, _ := w.in.Terrier("", "version")
	w.config = app.Config{DatabaseURL: database, SecretKey: w.in.Settings["SECRET_KEY"], BaseURL: "http://localhost",
		Listen: "127.0.0.1:0", EgressAllow: "127.0.0.1/32", WebhookCADir: authorities, WebhookTimeout: 10 * time.Second,
		ChangelogRetention: 90, DeliveryRetention: 30, Version: strings.TrimSpace(strings.TrimPrefix(out, "terrier "))}
	var key string
	w.certificate, key = mutual.New(t).Client(t, "terrier", 200*365*24*time.Hour)
	w.canaries.Watch("the client key", strings.Split(key, "\n")[1])
	w.post("/api/extras/webhooks/", install.Object{"name": "Chat", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": w.receiver.URL + "/" + w.canaries.Key("the URL"), "ca_file_path": "ca.pem", "secret": w.canaries.Key("the webhook"),
		"client_certificate": w.certificate, "client_key": key})
	w.post("/api/dcim/sites/", install.Object{"name": "Lisbon", "slug": "lisbon"})
	install.Eventually(t, "the server says that it runs", func() bool {
		return install.Number(t, w.db, "SELECT count(*) FROM extras_process") == 1
	})
	w.exec(`INSERT INTO extras_worker (id, host, program, started_at, seen_at, sending) VALUES ('w', 'worker-host', '1', now(),
		now() + interval '1 hour', 0)`)
	w.exec(`INSERT INTO extras_process SELECT 'w', 'worker', 'worker-host', program, key_ids, changelog_retention, delivery_retention,
		now() + interval '1 hour' FROM extras_process`)
	return w
}

func (w *world) post(path string, body install.Object) {
	w.t.Helper()
	w.server.Do(http.MethodPost, path, w.token, body).Want(w.t, http.StatusCreated)
}

func (w *world) exec(statements ...string) {
	w.t.Helper()
	for _, s := range statements {
		if _, err := w.db.Exec(context.Background(), s); err != nil { // also in a cleanup
			w.t.Fatalf("%s: %v", s, err)
		}
	}
}

// noDNS finds what /etc/hosts has, and nothing else, at once.
var noDNS = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("there is no DNS in this test")
}}

// trial is a run of the checks that differs from the healthy one.
type trial struct {
	*world
	t       *testing.T // of the fixture
	config  app.Config
	options doctor.Options
	limits  doctor.Limits
	environ []string
}

// trial begins a run. The only delivery is as if just queued, however long the runs before took.
func (w *world) trial(t *testing.T) *trial {
	w.exec("UPDATE extras_delivery SET queued_at = now()")
	return &trial{world: w, t: t, config: w.config, options: doctor.Options{Via: w.server.Base}}
}

// run runs the checks, and looks for canaries in what they say.
func (x *trial) run() doctor.Report {
	x.t.Helper()
	subject, err := x.config.Subject(nil)
	if err != nil {
		x.t.Fatal(err)
	}
	subject.Limits, subject.Resolver, subject.Settings.Environ = x.limits, noDNS, x.environ
	report := doctor.Run(x.t.Context(), subject, x.options)
	text, err := json.Marshal(report)
	if err != nil {
		x.t.Fatal(err)
	}
	x.canaries.Absent("the report", string(text))
	return report
}

// during runs statements for as long as the fixture lasts.
func (x *trial) during(do, undo string) {
	x.t.Helper()
	x.exec(do)
	x.t.Cleanup(func() { x.exec(undo) })
}

// setting changes a setting of the server for as long as the fixture lasts.
func (x *trial) setting(name, value string) {
	x.t.Helper()
	wait := func(value string) {
		x.exec("SELECT pg_reload_conf()")
		install.Eventually(x.t, name+" is "+value, func() bool {
			var is string
			err := x.db.QueryRow(context.Background(), "SELECT reset_val FROM pg_settings WHERE name = $1", name).Scan(&is)
			return err == nil && is == value
		})
	}
	x.exec("ALTER SYSTEM SET " + name + " = " + value)
	x.t.Cleanup(func() {
		x.exec("ALTER SYSTEM RESET " + name)
		wait("on")
	})
	wait(value)
}
