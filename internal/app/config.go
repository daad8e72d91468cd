package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"terrier/internal/account"
	"terrier/internal/audit"
	"terrier/internal/memory"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
)

const (
	minSecretKey  = account.MinSecret
	makeSecretKey = "openssl rand -base64 48"
)

// Config is every setting of Terrier. The tags are read by the command line in cmd/terrier, which fills the struct from
// flags, environment and file; docs/configuration.md is generated from them.
type Config struct {
	DatabaseURL      string   `json:"-" env:"TERRIER_DATABASE_URL" placeholder:"URL" help:"The one PostgreSQL database: postgres://user:password@host:5432/terrier."`
	DatabaseURLFile  string   `json:"-" env:"TERRIER_DATABASE_URL_FILE" placeholder:"FILE" help:"File with the address of the database, instead of TERRIER_DATABASE_URL."`
	SecretKey        string   `json:"-" env:"TERRIER_SECRET_KEY" placeholder:"KEY" help:"At least 50 random characters, from which the keys for hashing and encryption are derived. Other users of the machine can read flags: set it in the environment or the file."`
	SecretKeyFile    string   `json:"-" env:"TERRIER_SECRET_KEY_FILE" placeholder:"FILE" help:"File with the secret key, instead of TERRIER_SECRET_KEY. A newline at its end does not count."`
	SecretKeyOld     []string `json:"-" env:"TERRIER_SECRET_KEY_OLD" placeholder:"KEY" help:"Old secret keys, still accepted until everything is encrypted with the new one."`
	SecretKeyOldFile string   `json:"-" env:"TERRIER_SECRET_KEY_OLD_FILE" placeholder:"FILE" help:"File with the old secret keys, one on each line, instead of TERRIER_SECRET_KEY_OLD."`

	Listen        string        `env:"TERRIER_LISTEN" default:"127.0.0.1:8000" help:"Address to serve on: a host and a port, or a Unix socket such as unix:/run/terrier/http.sock."`
	TLSCert       string        `name:"tls-cert" env:"TERRIER_TLS_CERT" placeholder:"FILE" help:"Certificate for https, in PEM, followed by those of its issuers. It is read again when it changes, and on SIGHUP. Empty: plain http."`
	TLSKey        string        `name:"tls-key" env:"TERRIER_TLS_KEY" placeholder:"FILE" help:"Private key of TERRIER_TLS_CERT, in PEM."`
	BaseURL       string        `env:"TERRIER_BASE_URL" default:"http://127.0.0.1:8000" help:"Address at which users and clients reach Terrier; links in responses begin with it."`
	MetricsListen string        `env:"TERRIER_METRICS_LISTEN" placeholder:"ADDRESS" help:"Address for monitoring, of servers and workers: /metrics, /healthz and /readyz, such as 127.0.0.1:9464. They need no login, so only your monitoring should reach it. Empty: no such address."`
	ShutdownDelay time.Duration `env:"TERRIER_SHUTDOWN_DELAY" default:"2s" help:"How long a server still answers after the signal to stop, while /readyz returns 503: longer than your load balancer takes to notice. 20s at most."`

	ExemptViewPermissions []string `env:"TERRIER_EXEMPT_VIEW_PERMISSIONS" placeholder:"TYPE" help:"Record types that anyone may view without permission, such as dcim.site. * means all except users, groups, permissions, tokens, saved filters, webhooks, deliveries, condition errors and audit events: name these if you want them."`
	LoginRequired         bool     `env:"TERRIER_LOGIN_REQUIRED" default:"false" help:"Show no records without authentication, even those that are exempt."`
	StrictFilters         bool     `env:"TERRIER_STRICT_FILTERS" default:"true" negatable:"" help:"Refuse a list request with an unknown filter instead of ignoring the filter."`
	StrictBodies          bool     `env:"TERRIER_STRICT_BODIES" default:"false" help:"Refuse a write with a key that its record type does not have, instead of ignoring the key. A request with the header Prefer: handling=strict is refused in any case."`
	EnforceGlobalUnique   bool     `env:"TERRIER_ENFORCE_GLOBAL_UNIQUE" default:"false" help:"Refuse a second prefix with the same network, and a second address with the same host, in the global table. VRFs have a flag of their own."`
	PreferIPv4            bool     `name:"prefer-ipv4" env:"TERRIER_PREFER_IPV4" default:"false" help:"Show the IPv4 address as primary_ip of a device or virtual machine that has primary addresses of both families. The default is the IPv6 address."`
	DependantsLimit       int      `env:"TERRIER_DEPENDANTS_LIMIT" default:"10000" placeholder:"RECORDS" help:"How many records a request may delete because they belong to the records that it names, such as the parts of a device. A tenth as many may change because they refer to these records."`
	MapsURL               string   `name:"maps-url" env:"TERRIER_MAPS_URL" placeholder:"URL" help:"Map service that the page of a site links to, such as https://maps.example/?q={place}, where {place} becomes the coordinates of the site, or else its physical address. Empty: no link."`
	TrustedProxies        []string `env:"TERRIER_TRUSTED_PROXIES" placeholder:"CIDR" help:"Networks of the reverse proxies whose X-Forwarded-For is trusted."`

	EgressAllow       string `env:"TERRIER_EGRESS_ALLOW" placeholder:"NETWORKS" help:"What webhooks may reach in addition to public addresses: the words private (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, fc00::/7) and loopback, and networks, each with an optional port, such as private,127.0.0.1/32:9000,[::1]/128:9000; or none. Empty: private, and loopback while the host of TERRIER_BASE_URL is loopback. Terrier itself, its metrics and its database are reached only by an entry with exactly their port."`
	WebhookCADir      string `env:"TERRIER_WEBHOOK_CA_DIR" placeholder:"DIR" help:"Directory of the certificate authorities that webhooks may name, instead of the well-known directories."`
	WebhookMaxRetries int    `env:"TERRIER_WEBHOOK_MAX_RETRIES" default:"0" placeholder:"RETRIES" help:"Automatic retries of a webhook that is created and does not say how many, 0 to 20. They are stored with it: to change the setting changes no webhook. 0 is what existing clients expect; 10 take up to 3 h. Forms suggest 10, unless this or TERRIER_WEBHOOK_HOLD is set."`
	WebhookHold       bool   `env:"TERRIER_WEBHOOK_HOLD" default:"false" help:"Whether a webhook that is created and does not say so keeps its deliveries queued while its receiver is away. It is stored with it."`

	WebhookTimeout   time.Duration `env:"TERRIER_WEBHOOK_TIMEOUT" default:"10s" help:"Maximum time for a request to a receiver, from the lookup of its name to the last byte of the response; 30s at most."`
	WebhookHeldAfter time.Duration `env:"TERRIER_WEBHOOK_HELD_AFTER" default:"1m" help:"How long a webhook must have been held until its health, the home page and terrier doctor say so: the restart of a receiver is over sooner. 0s: at once."`

	ChangelogRetention int `env:"TERRIER_CHANGELOG_RETENTION" default:"90" placeholder:"DAYS" help:"Days for which the change log and the audit log are kept; 0 keeps them forever."`
	DeliveryRetention  int `env:"TERRIER_DELIVERY_RETENTION" default:"30" placeholder:"DAYS" help:"Days for which deliveries, their attempts and condition errors are kept: not longer than the change log. Deliveries that could not be sent in that time fail as expired. 0 keeps them forever."`

	AuditLog string `env:"TERRIER_AUDIT_LOG" placeholder:"TARGET" help:"Where else to write the audit log: stderr, file:/path, syslog: for the socket of this machine, syslog:/path of another socket, syslog:udp://host:514 or syslog:tcp://host:514."`

	MemoryLimit string `env:"TERRIER_MEMORY_LIMIT" placeholder:"SIZE" help:"Memory that the process may use, such as 512MiB: Go's runtime aims for four fifths of it. Empty: the limit of its control group, which containers and services have. GOMEMLIMIT overrides it."`

	LogLevel  string `env:"TERRIER_LOG_LEVEL" default:"info" enum:"debug,info,warn,error" help:"Least severe messages to log: debug, info, warn or error."`
	LogFormat string `env:"TERRIER_LOG_FORMAT" default:"text" enum:"text,json" help:"Format of the log: text or json."`

	// Version is the program's version; it is built in, not set.
	Version string `kong:"-"`

	// SettingsFile is where settings were read from, besides environment and flags; "" for nowhere.
	SettingsFile string `kong:"-" json:"-"`

	filesRead []string // of those that contain one setting, such as SecretKeyFile

	// Types are used besides those of the inventory. A test adds one to see what follows from it.
	Types []record.Type `kong:"-" json:"-"`
}

// Validate reports everything that is wrong with the settings. It normalises those that have several spellings, and reads
// those that are in files of their own.
func (c *Config) Validate() error {
	problems := []error{c.ValidateDatabase(), c.validateSecretKeys(), c.validateAddresses()}
	for _, name := range c.ExemptViewPermissions {
		app, model, _ := strings.Cut(name, ".")
		if name != "*" && (app == "" || model == "" || name != strings.ToLower(name)) {
			problems = append(problems,
				fmt.Errorf("TERRIER_EXEMPT_VIEW_PERMISSIONS contains %q and needs lower-case names such as dcim.site, or *", name))
		}
	}
	if c.DependantsLimit < 0 {
		problems = append(problems, fmt.Errorf("TERRIER_DEPENDANTS_LIMIT is %d and must be a number of records, such as 10000",
			c.DependantsLimit))
	}
	if _, err := c.memory(); err != nil {
		problems = append(problems, fmt.Errorf("TERRIER_MEMORY_LIMIT is %q: %w", c.MemoryLimit, err))
	}
	if _, err := audit.ParseTarget(c.AuditLog, nil); err != nil {
		problems = append(problems, fmt.Errorf("TERRIER_AUDIT_LOG is %q: %w", c.AuditLog, err))
	}
	if err := web.CheckMapsURL(c.MapsURL); err != nil {
		problems = append(problems, fmt.Errorf("TERRIER_MAPS_URL is %q: %w", c.MapsURL, err))
	}
	_, err := c.ProxyNetworks()
	return errors.Join(append(problems, err, store.CheckConnections(c.DatabaseURL), c.validateWebhooks(), c.validateRetention())...)
}

// LimitMemory keeps the process below its memory limit.
func (c *Config) LimitMemory(log *slog.Logger) error {
	size, err := c.memory()
	if err != nil {
		return err
	}
	aim, why := memory.Limit(size, os.DirFS("/"))
	log.Debug("memory limit", "bytes", aim, "from", why)
	return nil
}

// memory returns the memory that the process may use, in bytes; 0 if that is not set.
func (c *Config) memory() (int64, error) {
	if c.MemoryLimit == "" {
		return 0, nil
	}
	return memory.Parse(c.MemoryLimit)
}

// ValidateDatabase is the part of Validate that a command needs which only prepares the database.
func (c *Config) ValidateDatabase() error {
	if err := c.takeFile("TERRIER_DATABASE_URL", &c.DatabaseURL, &c.DatabaseURLFile); err != nil {
		return err
	}
	if c.DatabaseURL == "" {
		return errors.New("TERRIER_DATABASE_URL is not set: name the database, such as postgres://user:password@host:5432/terrier")
	}
	if _, err := pgconn.ParseConfig(c.DatabaseURL); err != nil {
		return fmt.Errorf("TERRIER_DATABASE_URL is not understood: %w", err)
	}
	return nil
}

func (c *Config) validateSecretKeys() error {
	if err := c.takeKeyFiles(); err != nil {
		return err
	}
	if c.SecretKey == "" {
		return fmt.Errorf("TERRIER_SECRET_KEY is not set: make one of at least %d characters, and keep it: %s", minSecretKey, makeSecretKey)
	}
	if n := utf8.RuneCountInString(c.SecretKey); n < minSecretKey {
		return fmt.Errorf("TERRIER_SECRET_KEY has %s and needs at least %d: %s", characters(n), minSecretKey, makeSecretKey)
	}
	for i, key := range c.SecretKeyOld {
		if n := utf8.RuneCountInString(key); n < minSecretKey {
			return fmt.Errorf("TERRIER_SECRET_KEY_OLD: key %d has %s and needs at least %d: separate old keys by commas", i+1,
				characters(n), minSecretKey)
		}
	}
	return nil
}

func characters(n int) string {
	if n == 1 {
		return "1 character"
	}
	return fmt.Sprintf("%d characters", n)
}

func (c *Config) validateAddresses() error {
	var problems []error
	problems = append(problems, c.validateListen())
	if _, _, err := net.SplitHostPort(c.MetricsListen); c.MetricsListen != "" && err != nil {
		problems = append(problems,
			fmt.Errorf("TERRIER_METRICS_LISTEN is %q and needs a host and a port, such as 127.0.0.1:9464", c.MetricsListen))
	}
	c.BaseURL = strings.ToLower(strings.TrimRight(c.BaseURL, "/")) // scheme and host, which are the same in capitals
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Hostname() == "" ||
		base.User != nil || base.Path != "" || base.RawQuery != "" || base.ForceQuery || base.Fragment != "" {
		problems = append(problems,
			errors.New("TERRIER_BASE_URL needs an absolute address without user, path, query or fragment, such as https://terrier.example.com"))
	}
	if c.ShutdownDelay < 0 || c.ShutdownDelay > mostDelay {
		problems = append(problems, fmt.Errorf("TERRIER_SHUTDOWN_DELAY is %s and must be between 0s and %s", c.ShutdownDelay, mostDelay))
	}
	return errors.Join(problems...)
}

// mostDelay leaves a server eight seconds of its drainTimeout to finish.
const mostDelay = 20 * time.Second

// The bounds of the time that a receiver may take. A River job runs a little longer than the longest.
const (
	leastTimeout = time.Second
	mostTimeout  = 30 * time.Second
)

// mostRetries is what a webhook may have.
const mostRetries = 20

func (c *Config) validateWebhooks() error {
	var problems []error
	if c.WebhookHeldAfter < 0 {
		problems = append(problems, fmt.Errorf("TERRIER_WEBHOOK_HELD_AFTER is %s and must be 0s or longer", c.WebhookHeldAfter))
	}
	if c.WebhookTimeout < leastTimeout || c.WebhookTimeout > mostTimeout {
		problems = append(problems, fmt.Errorf("TERRIER_WEBHOOK_TIMEOUT is %s and must be between %s and %s", c.WebhookTimeout,
			leastTimeout, mostTimeout))
	}
	if c.WebhookMaxRetries < 0 || c.WebhookMaxRetries > mostRetries {
		problems = append(problems, fmt.Errorf("TERRIER_WEBHOOK_MAX_RETRIES is %d and must be between 0 and %d", c.WebhookMaxRetries,
			mostRetries))
	}
	if _, err := c.egressPolicy(); err != nil {
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// mostDays is a century. For longer, write 0.
const mostDays = 36_500

func (c *Config) validateRetention() error {
	err := errors.Join(validateDays("TERRIER_CHANGELOG_RETENTION", c.ChangelogRetention),
		validateDays("TERRIER_DELIVERY_RETENTION", c.DeliveryRetention))
	if err == nil && c.ChangelogRetention > 0 && (c.DeliveryRetention == 0 || c.DeliveryRetention > c.ChangelogRetention) {
		err = fmt.Errorf("TERRIER_DELIVERY_RETENTION is %s and TERRIER_CHANGELOG_RETENTION only %s, but deliveries are made from the "+
			"change log: raise TERRIER_CHANGELOG_RETENTION, or lower TERRIER_DELIVERY_RETENTION",
			daysText(c.DeliveryRetention), daysText(c.ChangelogRetention))
	}
	return err
}

func validateDays(name string, n int) error {
	if n < 0 || n > mostDays {
		return fmt.Errorf("%s is %d and must be a number of days, %d at most, or 0 to keep everything", name, n, mostDays)
	}
	return nil
}

func daysText(n int) string {
	if n == 0 {
		return "0 (forever)"
	}
	return fmt.Sprintf("%d days", n)
}

// ProxyNetworks returns TrustedProxies, parsed.
func (c *Config) ProxyNetworks() (account.Proxies, error) {
	networks, err := account.ParseProxies(c.TrustedProxies)
	if err != nil {
		return nil, fmt.Errorf("TERRIER_TRUSTED_PROXIES: %w: write addresses or networks such as 10.0.0.0/8", err)
	}
	return networks, nil
}

// LogValue returns what a log may contain of the settings: no secret keys, and of the database only where it is.
func (c Config) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("database", c.databaseAddress()),
		slog.Int("old_secret_keys", len(c.SecretKeyOld)),
		slog.String("listen", c.Listen),
		slog.String("tls_cert", c.TLSCert),
		slog.String("base_url", c.BaseURL),
		slog.String("metrics_listen", c.MetricsListen),
		slog.Duration("shutdown_delay", c.ShutdownDelay),
		slog.Any("exempt_view_permissions", c.ExemptViewPermissions),
		slog.Bool("login_required", c.LoginRequired),
		slog.Bool("strict_filters", c.StrictFilters),
		slog.Bool("strict_bodies", c.StrictBodies),
		slog.Any("trusted_proxies", c.TrustedProxies),
		slog.String("egress_allow", c.EgressAllow),
		slog.String("webhook_ca_dir", c.WebhookCADir),
		slog.Int("webhook_max_retries", c.WebhookMaxRetries),
		slog.Bool("webhook_hold", c.WebhookHold),
		slog.Duration("webhook_timeout", c.WebhookTimeout),
		slog.Duration("webhook_held_after", c.WebhookHeldAfter),
		slog.Int("changelog_retention", c.ChangelogRetention),
		slog.Int("delivery_retention", c.DeliveryRetention),
		slog.String("audit_log", c.AuditLog),
		slog.String("log_level", c.LogLevel),
		slog.String("log_format", c.LogFormat),
	)
}

// Format keeps the secrets out of every fmt verb.
func (c Config) Format(state fmt.State, _ rune) {
	_, _ = fmt.Fprint(state, c.LogValue().String()) // fmt offers no way to report a failed write
}

func (c Config) databaseAddress() string {
	database, err := pgconn.ParseConfig(c.DatabaseURL)
	if err != nil {
		return "not understood"
	}
	return fmt.Sprintf("%s:%d/%s", database.Host, database.Port, database.Database)
}
