package doctor_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"terrier/internal/doctor"
	"terrier/test/install"
	"terrier/test/mutual"
)

// fixture makes one check say something else than of a healthy system.
type fixture struct {
	check  string
	want   doctor.Status
	remedy string   // a part of it
	skips  []string // the checks that can't be made then
	set    func(*trial)
}

var withoutKey = []string{"fleet-keys", "keys-sealed", "keys-tokens", "keys-audit", "proxy-reach", "proxy-forwarded"}

var fixtures = []fixture{
	{"settings-parse", doctor.Fail, "docs/configuration.md", nil, func(x *trial) { x.config.ExemptViewPermissions = []string{"dcim.sit"} }},
	{"settings-parse", doctor.Fail, "docs/configuration.md", nil, func(x *trial) {
		x.config.DatabaseURL += "&pool_max_conns=1"
	}},
	{"settings-file", doctor.Warn, "chmod 640 /", nil, func(x *trial) { x.config.SettingsFile = x.file(0o644) }},
	{"settings-file", doctor.Fail, "chmod 640 /", nil, func(x *trial) { x.config.SettingsFile = x.file(0o660) }},
	{"settings-file", doctor.Fail, "ls -l /", nil, func(x *trial) { x.config.SettingsFile = "/does/not/exist" }},
	{"settings-names", doctor.Warn, "unset TERRIER_SECRT_KEY", nil, func(x *trial) {
		x.environ = []string{"TERRIER_LISTEN", "TERRIER_SECRT_KEY"}
	}},
	{"settings-base-url", doctor.Warn, "TERRIER_BASE_URL=https://terrier.example.com:8443", nil, func(x *trial) {
		x.config.BaseURL = "http://terrier.example.com:8443"
	}},
	{"settings-base-url", doctor.Fail, "getent hosts nowhere.invalid", nil, func(x *trial) { x.config.BaseURL = "https://nowhere.invalid" }},
	{"settings-key", doctor.Fail, "openssl rand", withoutKey, func(x *trial) { x.config.SecretKey = "short" }},
	{"settings-retention", doctor.Fail, "TERRIER_CHANGELOG_RETENTION=90", []string{"schema-retention", "fleet-retention"}, func(x *trial) {
		x.config.DeliveryRetention = 100
	}},

	{"database-hosts", doctor.Warn, "pg_isready -h 127.0.0.1 -p ", nil, func(x *trial) {
		x.config.DatabaseURL = strings.Replace(x.config.DatabaseURL, "/terrier?", ","+freeAddress(x.t)+"/terrier?", 1)
	}},
	{"database-version", doctor.Fail, "upgrade PostgreSQL to 99", nil, func(x *trial) { x.limits.LeastVersion = 99_00_00 }},
	{"database-encoding", doctor.Fail, "createdb --encoding=UTF8", nil, func(x *trial) {
		x.options.Only = []string{"database"} // the indexes of tables contain letters that no other encoding has
		x.during("UPDATE pg_database SET encoding = pg_char_to_encoding('LATIN1') WHERE datname = 'terrier'",
			"UPDATE pg_database SET encoding = pg_char_to_encoding('UTF8') WHERE datname = 'terrier'")
	}},
	{"database-collation", doctor.Warn, "ALTER COLLATION natural_order REFRESH VERSION", nil, func(x *trial) {
		x.during("UPDATE pg_collation SET collversion = '0.' || collversion WHERE collname = 'natural_order'",
			"UPDATE pg_collation SET collversion = substr(collversion, 3) WHERE collname = 'natural_order'")
	}},
	{"database-owner", doctor.Fail, "ALTER TABLE %s OWNER TO %I$f$, t, $u$guest$u$", nil, func(x *trial) {
		x.during("CREATE ROLE guest LOGIN IN ROLE pg_read_all_data, pg_monitor", "DROP ROLE guest")
		x.config.DatabaseURL = strings.Replace(x.config.DatabaseURL, "terrier:", "guest:", 1)
	}},
	{"database-durability", doctor.Warn, "ALTER SYSTEM RESET fsync", nil, func(x *trial) { x.setting("fsync", "off") }},
	{"database-durability", doctor.Warn, "ALTER SYSTEM RESET synchronous_commit", nil, func(x *trial) {
		x.setting("synchronous_commit", "off")
	}},
	{"database-autovacuum", doctor.Warn, "ALTER SYSTEM RESET autovacuum", nil, func(x *trial) { x.setting("autovacuum", "off") }},
	{"database-autovacuum", doctor.Warn, "ALTER TABLE dcim_site RESET", nil, func(x *trial) {
		x.during("ALTER TABLE dcim_site SET (autovacuum_enabled = false)", "ALTER TABLE dcim_site RESET (autovacuum_enabled)")
	}},
	{"database-writable", doctor.Fail, "RESET default_transaction_read_only", nil, func(x *trial) {
		x.config.DatabaseURL += "&default_transaction_read_only=on"
	}},
	{"database-tls", doctor.Warn, "sslmode=verify-full", []string{"system-disk"}, func(x *trial) { x.farAway() }},
	{"database-pooler", doctor.Fail, "pool_mode = session", nil, func(x *trial) {
		x.config.DatabaseURL = pgbouncer(x.t, x.config.DatabaseURL)
	}},
	{"database-connections", doctor.Warn, "max_connections", nil, func(x *trial) {
		for range 80 {
			if err := install.Connect(x.t, x.config.DatabaseURL).Ping(x.t.Context()); err != nil {
				x.t.Fatal(err)
			}
		}
	}},
	{"database-connections", doctor.Warn, "max_connections", nil, func(x *trial) { // those of another user, as a user who sees none of them
		x.during("CREATE ROLE stranger LOGIN", "DROP ROLE stranger")
		x.during("CREATE ROLE guest LOGIN IN ROLE terrier, pg_read_all_settings", "DROP ROLE guest")
		for range 80 {
			if err := install.Connect(x.t, strings.Replace(x.config.DatabaseURL, "terrier:", "stranger:", 1)).Ping(x.t.Context()); err != nil {
				x.t.Fatal(err)
			}
		}
		x.config.DatabaseURL = strings.Replace(x.config.DatabaseURL, "terrier:", "guest:", 1)
	}},
	{"database-transactions", doctor.Warn, "pg_terminate_backend(", nil, func(x *trial) { x.openTransaction() }},
	{"database-wraparound", doctor.Warn, "vacuumdb --freeze terrier", nil, func(x *trial) { x.limits.OldIDs = 1 }},

	{"schema-migrations", doctor.Fail, "terrier migrate", nil, func(x *trial) {
		x.during("UPDATE goose_db_version SET is_applied = false WHERE version_id = 34",
			"UPDATE goose_db_version SET is_applied = true WHERE version_id = 34")
	}},
	{"schema-migrations", doctor.Warn, "install the version of Terrier", nil, func(x *trial) {
		x.during("INSERT INTO goose_db_version (version_id, is_applied) VALUES (90001, true)",
			"DELETE FROM goose_db_version WHERE version_id = 90001")
	}},
	{"schema-river", doctor.Fail, "install the version of Terrier", nil, func(x *trial) {
		x.during("INSERT INTO river_migration (line, version) VALUES ('main', 99)", "DELETE FROM river_migration WHERE version = 99")
	}},
	{"schema-partitions", doctor.Fail, "terrier serve", nil, func(x *trial) {
		next := "extras_attempt_" + mondayAfter(time.Now()).Format("20060102")
		x.during("ALTER TABLE "+next+" RENAME TO hidden", "ALTER TABLE hidden RENAME TO "+next)
	}},
	{"schema-retention", doctor.Warn, "terrier serve", nil, func(x *trial) {
		x.during("CREATE TABLE forgotten PARTITION OF extras_attempt FOR VALUES FROM ('2020-01-06') TO ('2020-01-13')", "DROP TABLE forgotten")
	}},
	{"schema-indexes", doctor.Warn, "REINDEX INDEX CONCURRENTLY record_count_type", nil, func(x *trial) {
		x.during("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'record_count_type'::regclass",
			"UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'record_count_type'::regclass")
	}},
	{"schema-search", doctor.Warn, "terrier migrate", nil, func(x *trial) {
		x.during("ALTER INDEX dcim_site_search RENAME TO hidden", "ALTER INDEX hidden RENAME TO dcim_site_search")
	}},
	{"schema-counts", doctor.Warn, "terrier recount", nil, func(x *trial) {
		x.during("INSERT INTO record_count (type, n) VALUES ('dcim.site', 5)", "INSERT INTO record_count (type, n) VALUES ('dcim.site', -5)")
	}},

	{"fleet-workers", doctor.Fail, "terrier worker", nil, func(x *trial) {
		x.during("UPDATE extras_worker SET seen_at = now() - interval '1 minute'", "UPDATE extras_worker SET seen_at = now() + interval '1 hour'")
	}},
	{"fleet-versions", doctor.Warn, "install one version", nil, func(x *trial) {
		x.during("UPDATE extras_process SET program = '0.1 ' || program WHERE id = 'w'",
			"UPDATE extras_process SET program = substr(program, 5) WHERE id = 'w'")
	}},
	{"fleet-clocks", doctor.Fail, "ssh worker-host timedatectl", nil, func(x *trial) {
		x.during("UPDATE extras_worker SET clock_wrong = true", "UPDATE extras_worker SET clock_wrong = false")
	}},
	{"fleet-clocks", doctor.Warn, "ssh worker-host timedatectl", nil, func(x *trial) {
		x.during("UPDATE extras_process SET kind = 'server', clock_offset = '-3s' WHERE id = 'w'",
			"UPDATE extras_process SET kind = 'worker', clock_offset = NULL WHERE id = 'w'")
	}},
	{"fleet-keys", doctor.Fail, "the same TERRIER_SECRET_KEY", nil, func(x *trial) {
		x.during("UPDATE extras_process SET key_ids = '{00000000}' || key_ids WHERE id = 'w'",
			"UPDATE extras_process SET key_ids = key_ids[2:] WHERE id = 'w'")
	}},
	{"fleet-retention", doctor.Warn, "the same TERRIER_CHANGELOG_RETENTION", nil, func(x *trial) {
		x.during("UPDATE extras_process SET delivery_retention = 7 WHERE id = 'w'",
			"UPDATE extras_process SET delivery_retention = 30 WHERE id = 'w'")
	}},
	{"fleet-panics", doctor.Warn, "report the stack", nil, func(x *trial) {
		x.during("UPDATE extras_process SET panics = 1, panicked = 'probe' WHERE id = 'w'",
			"UPDATE extras_process SET panics = 0, panicked = '' WHERE id = 'w'")
	}},
	{"fleet-waiting", doctor.Warn, "raise pool_max_conns", nil, func(x *trial) {
		x.during("UPDATE extras_process SET waiting = 'writes: 3' WHERE id = 'w'", "UPDATE extras_process SET waiting = '' WHERE id = 'w'")
	}},

	{"queues-oldest", doctor.Warn, `terrier webhook tail "Chat"`, nil, func(x *trial) {
		x.during("UPDATE extras_delivery SET queued_at = now() - interval '1 hour'", "UPDATE extras_delivery SET queued_at = now()")
	}},
	{"queues-running", doctor.Warn, "restart the workers", nil, func(x *trial) {
		x.during("UPDATE river_job SET state = 'running', attempted_at = now() - interval '1 hour', attempted_by = '{w}'",
			"UPDATE river_job SET state = 'available', attempted_at = NULL, attempted_by = NULL")
	}},
	{"queues-lost", doctor.Warn, "terrier worker", nil, func(x *trial) {
		x.during("UPDATE extras_delivery SET job_id = -job_id, state = 'failed', retry_at = now(), finished_at = now() - interval '1 hour'",
			"UPDATE extras_delivery SET job_id = -job_id, state = 'queued', retry_at = NULL, finished_at = NULL, queued_at = now()")
	}},
	{"queues-paused", doctor.Warn, "/resume/", nil, func(x *trial) {
		x.during("INSERT INTO extras_webhook_pause SELECT id, now() - interval '30 days' FROM extras_webhook", "DELETE FROM extras_webhook_pause")
	}},
	{"queues-feed", doctor.Warn, "pg_terminate_backend(", nil, func(x *trial) {
		x.limits.FeedLag = time.Microsecond
		const hide = "WITH settled AS (UPDATE extras_sequencer SET settled = -settled) UPDATE extras_position SET change_id = -change_id"
		x.during(hide, hide)
	}},

	{"webhooks-dns", doctor.Fail, "getent hosts nowhere.invalid", nil, func(x *trial) { x.sendTo("https://nowhere.invalid/secret-path") }},
	{"webhooks-egress", doctor.Fail, "add 10.1.2.3/32 (or its network) to TERRIER_EGRESS_ALLOW", nil, func(x *trial) {
		x.sendTo("https://10.1.2.3/secret-path")
	}},
	{"webhooks-tls", doctor.Fail, "openssl s_client -connect 127.0.0.1:", nil, func(x *trial) {
		plain := httptest.NewServer(http.NotFoundHandler())
		x.t.Cleanup(plain.Close)
		x.sendTo(strings.Replace(plain.URL, "http://", "https://", 1) + "/secret-path")
	}},
	{"webhooks-tls", doctor.Fail, "openssl s_client -connect 127.0.0.1:", nil, func(x *trial) {
		x.sendTo(mutual.New(x.t).Receiver(x.t).URL + "/secret-path") // it demands a client certificate
		x.during("UPDATE extras_webhook SET client_certificate = '', ssl_verification = FALSE",
			"UPDATE extras_webhook SET client_certificate = '"+x.certificate+"', ssl_verification = TRUE")
	}},
	{"webhooks-certificate", doctor.Warn, "renew the certificate of 127.0.0.1", nil, func(x *trial) {
		x.limits.Certificate = 100 * 365 * 24 * time.Hour
	}},
	{"webhooks-ca-file", doctor.Fail, "TERRIER_WEBHOOK_CA_DIR", nil, func(x *trial) {
		x.during("UPDATE extras_webhook SET ca_file_path = 'missing.pem'", "UPDATE extras_webhook SET ca_file_path = 'ca.pem'")
	}},
	{"webhooks-client-certificate", doctor.Warn, "renew the client certificate", nil, func(x *trial) {
		soon, _ := mutual.New(x.t).Client(x.t, "terrier", 10*24*time.Hour)
		x.during("UPDATE extras_webhook SET client_certificate = '"+soon+"'",
			"UPDATE extras_webhook SET client_certificate = '"+x.certificate+"'")
	}},
	{"webhooks-health", doctor.Warn, "terrier webhook tail", nil, func(x *trial) {
		x.during(`INSERT INTO extras_webhook_state (webhook_id, state, since, reason, failures, outages, attempted_at, version, probe_at,
				probe_step)
			SELECT id, 'held', now(), 'The receiver answered 503 Service Unavailable.', 5, 5, now(), version, now() + interval '1 day', '10 s'
			FROM extras_webhook`, "DELETE FROM extras_webhook_state")
	}},

	{"keys-sealed", doctor.Fail, "TERRIER_SECRET_KEY_OLD", nil, func(x *trial) {
		x.during("UPDATE extras_webhook SET secret_sealed = reverse(secret_sealed)",
			"UPDATE extras_webhook SET secret_sealed = reverse(secret_sealed)")
	}},
	{"keys-tokens", doctor.Warn, "terrier token list", nil, func(x *trial) {
		x.during("UPDATE users_token SET key_sealed = reverse(key_sealed)", "UPDATE users_token SET key_sealed = reverse(key_sealed)")
	}},
	{"keys-audit", doctor.Fail, "terrier audit verify", nil, func(x *trial) {
		install.Eventually(x.t, "the chain of the audit log has entries", func() bool {
			var chained bool
			err := x.db.QueryRow(context.Background(), "SELECT EXISTS (SELECT FROM extras_auditchain)").Scan(&chained)
			return err == nil && chained
		})
		const turn = "UPDATE extras_auditchain SET digest = substr(digest, %[1]d) || substr(digest, 1, %[1]d - 1) " +
			"WHERE position = (SELECT min(position) FROM extras_auditchain)"
		x.during(fmt.Sprintf(turn, 2), fmt.Sprintf(turn, 32))
	}},

	{"proxy-trusted", doctor.Warn, "TERRIER_TRUSTED_PROXIES=", nil, func(x *trial) {
		x.config.TrustedProxies = []string{"192.0.2.1", "10.0.0.0/8", "2001:db8::/63"}
	}},
	{"proxy-reach", doctor.Fail, "/healthz", []string{"proxy-forwarded"}, func(x *trial) { x.options.Via = "http://" + freeAddress(x.t) }},
	{"proxy-reach", doctor.Fail, "/healthz", []string{"proxy-forwarded"}, func(x *trial) {
		other := httptest.NewServer(http.NotFoundHandler())
		x.t.Cleanup(other.Close)
		x.options.Via = other.URL
	}},
	{"proxy-forwarded", doctor.Fail, "add 127.0.0.1 to TERRIER_TRUSTED_PROXIES", nil, func(x *trial) {
		target, err := url.Parse(x.server.Base)
		if err != nil {
			x.t.Fatal(err)
		}
		proxy := httptest.NewServer(httputil.NewSingleHostReverseProxy(target)) // it appends to X-Forwarded-For
		x.t.Cleanup(proxy.Close)
		x.options.Via = proxy.URL
	}},

	{"system-files", doctor.Warn, "LimitNOFILE", nil, func(x *trial) { x.limits.OpenFiles = 1 << 40 }},
	{"system-disk", doctor.Warn, "df -h /", nil, func(x *trial) { x.limits.FreeDisk = 1 << 62 }},
}

// file makes a settings file with a mode.
func (x *trial) file(mode os.FileMode) string {
	path := filepath.Join(x.t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		x.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		x.t.Fatal(err)
	}
	return path
}

func (x *trial) sendTo(address string) {
	x.during("UPDATE extras_webhook SET payload_url = '"+address+"', ca_file_path = ''",
		"UPDATE extras_webhook SET payload_url = '"+x.receiver.URL+"', ca_file_path = 'ca.pem'")
}

// openTransaction leaves a transaction open for longer than the limit.
func (x *trial) openTransaction() {
	x.limits.LongTransaction = 500 * time.Millisecond
	db := install.Connect(x.t, x.config.DatabaseURL)
	tx, err := db.Begin(x.t.Context())
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { _ = tx.Rollback(context.Background()) }) // before the pool is closed, which would wait for it
	install.Eventually(x.t, "it is old enough", func() bool {
		return install.Number(x.t, x.db, "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND xact_start < "+
			"now() - interval '500 ms'") == 1
	})
}

// farAway puts the database behind an address that is not the machine's loopback.
func (x *trial) farAway() {
	address, err := url.Parse(x.config.DatabaseURL)
	if err != nil {
		x.t.Fatal(err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(outerAddress(x), "0"))
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(func() { _ = l.Close() })
	near := address.Host
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", near)
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(to, from); _ = to.Close() }()
			go func() { _, _ = io.Copy(from, to); _ = from.Close() }()
		}
	}()
	address.Host = l.Addr().String()
	x.config.DatabaseURL = address.String()
}

func outerAddress(x *trial) string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		x.t.Fatal(err)
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			return n.IP.String()
		}
	}
	x.t.Skip("this machine has no address besides its loopback")
	return ""
}

func mondayAfter(t time.Time) time.Time {
	t = t.UTC()
	days := (8 - int(t.Weekday())) % 7
	if days == 0 {
		days = 7
	}
	return t.AddDate(0, 0, days)
}
