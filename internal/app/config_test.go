package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"
)

var longKey = strings.Repeat("k", minSecretKey)

func valid() Config {
	return Config{
		DatabaseURL: "postgres://terrier@127.0.0.1/terrier",
		SecretKey:   longKey,
		Listen:      "127.0.0.1:8000",
		BaseURL:     "http://127.0.0.1:8000",

		WebhookTimeout: 10 * time.Second,
	}
}

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*Config)
		want   []string // each must be in the error; none: there is no error
	}{
		{"minimal", func(*Config) {}, nil},
		{"everything", func(c *Config) {
			c.SecretKeyOld = []string{longKey, longKey}
			c.BaseURL = "https://terrier.example.com"
			c.Listen = ":8000"
			c.MetricsListen = ":9464"
			c.ExemptViewPermissions = []string{"*", "dcim.site"}
			c.TrustedProxies = []string{"10.0.0.0/8", "2001:db8::/32"}
			c.EgressAllow = "10.0.0.0/8,127.0.0.1/32:9000,[::1]/128:9000"
		}, nil},
		{"key counted in characters", func(c *Config) { c.SecretKey = strings.Repeat("é", minSecretKey) }, nil},

		{"no database", func(c *Config) { c.DatabaseURL = "" }, []string{"TERRIER_DATABASE_URL is not set", "postgres://"}},
		{"bad database", func(c *Config) { c.DatabaseURL = "mysql://x:canary@y" }, []string{"TERRIER_DATABASE_URL is not understood"}},
		{"three connections", func(c *Config) { c.DatabaseURL += "?pool_max_conns=3" },
			[]string{"TERRIER_DATABASE_URL: pool_max_conns=3 is too few", "write pool_max_conns=4 or more"}},
		{"four connections", func(c *Config) { c.DatabaseURL += "?pool_max_conns=4" }, nil},
		{"no key", func(c *Config) { c.SecretKey = "" }, []string{"TERRIER_SECRET_KEY is not set", makeSecretKey}},
		{"short key", func(c *Config) { c.SecretKey = "canarycanary" },
			[]string{"TERRIER_SECRET_KEY has 12 characters and needs at least 50: openssl rand -base64 48"}},
		{"short old key", func(c *Config) { c.SecretKeyOld = []string{longKey, "canary"} },
			[]string{"TERRIER_SECRET_KEY_OLD: key 2 has 6 characters"}},
		{"listen without port", func(c *Config) { c.Listen = "127.0.0.1" }, []string{`TERRIER_LISTEN is "127.0.0.1"`, "127.0.0.1:8000"}},
		{"metrics without port", func(c *Config) { c.MetricsListen = "127.0.0.1" },
			[]string{`TERRIER_METRICS_LISTEN is "127.0.0.1"`, "127.0.0.1:9464"}},
		{"negative limit", func(c *Config) { c.DependantsLimit = -1 }, []string{"TERRIER_DEPENDANTS_LIMIT is -1"}},
		{"relative base", func(c *Config) { c.BaseURL = "/terrier" }, []string{"TERRIER_BASE_URL"}},
		{"no base", func(c *Config) { c.BaseURL = "" }, []string{"TERRIER_BASE_URL"}},
		{"base without host", func(c *Config) { c.BaseURL = "http://:80" }, []string{"TERRIER_BASE_URL"}},
		{"base of another scheme", func(c *Config) { c.BaseURL = "ftp://x" }, []string{"TERRIER_BASE_URL"}},
		{"base with query", func(c *Config) { c.BaseURL = "http://x/?a=b" }, []string{"TERRIER_BASE_URL"}},
		{"base with password", func(c *Config) { c.BaseURL = "http://a:canary@x" }, []string{"TERRIER_BASE_URL"}},
		{"unclear exemption", func(c *Config) { c.ExemptViewPermissions = []string{"site"} },
			[]string{`TERRIER_EXEMPT_VIEW_PERMISSIONS contains "site"`, "dcim.site"}},
		{"exemption in capitals", func(c *Config) { c.ExemptViewPermissions = []string{"DCIM.Site"} },
			[]string{`contains "DCIM.Site"`, "lower-case"}},
		{"proxy by name", func(c *Config) { c.TrustedProxies = []string{"proxy.example.com"} },
			[]string{"TERRIER_TRUSTED_PROXIES", "proxy.example.com", "10.0.0.0/8"}},
		{"unclear network", func(c *Config) { c.EgressAllow = "10.0.0.0/8,receiver" }, []string{"TERRIER_EGRESS_ALLOW", "receiver"}},
		{"endless stop", func(c *Config) { c.ShutdownDelay = time.Minute }, []string{"TERRIER_SHUTDOWN_DELAY is 1m0s", "20s"}},
		{"endless receiver", func(c *Config) { c.WebhookTimeout = time.Minute }, []string{"TERRIER_WEBHOOK_TIMEOUT is 1m0s", "30s"}},
		{"the defaults of retention", func(c *Config) { c.ChangelogRetention, c.DeliveryRetention = 90, 30 }, nil},
		{"the same retention", func(c *Config) { c.ChangelogRetention, c.DeliveryRetention = 30, 30 }, nil},
		{"changes for ever", func(c *Config) { c.ChangelogRetention, c.DeliveryRetention = 0, 30 }, nil},
		{"deliveries for longer than changes", func(c *Config) { c.ChangelogRetention, c.DeliveryRetention = 14, 30 },
			[]string{"TERRIER_DELIVERY_RETENTION is 30 days and TERRIER_CHANGELOG_RETENTION only 14 days", "raise", "lower"}},
		{"deliveries for ever, changes not", func(c *Config) { c.ChangelogRetention = 90 },
			[]string{"TERRIER_DELIVERY_RETENTION is 0 (forever)", "only 90 days"}},
		{"negative retention", func(c *Config) { c.ChangelogRetention, c.DeliveryRetention = -1, -2 },
			[]string{"TERRIER_CHANGELOG_RETENTION is -1", "TERRIER_DELIVERY_RETENTION is -2", "0 to keep everything"}},
		{"retention beyond the calendar", func(c *Config) { c.ChangelogRetention = 1e9 },
			[]string{"TERRIER_CHANGELOG_RETENTION is 1000000000", "36500"}},
		{"all at once", func(c *Config) { *c = Config{} },
			[]string{"TERRIER_DATABASE_URL", "TERRIER_SECRET_KEY", "TERRIER_LISTEN", "TERRIER_BASE_URL"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := valid()
			test.change(&c)
			err := c.Validate()
			if len(test.want) == 0 {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("%q tells a secret", err)
			}
		})
	}
}

func TestConfigValidateNormalisesBaseURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"https://terrier.example.com//":      "https://terrier.example.com",
		"HTTPS://Terrier.Example.COM":        "https://terrier.example.com",
		"Http://127.0.0.1:8000/":             "http://127.0.0.1:8000",
		"https://[2001:DB8::1]:8443":         "https://[2001:db8::1]:8443",
		"http://[fe80::1%25eth0]:8000":       "http://[fe80::1%25eth0]:8000",
		"https://terrier.example.com:443":    "https://terrier.example.com:443",
		"https://b\u00fccher.example.com":    "https://b\u00fccher.example.com",
		"https://xn--bcher-kva.example.com/": "https://xn--bcher-kva.example.com",
	} {
		c := valid()
		c.BaseURL = given
		if err := c.Validate(); err != nil || c.BaseURL != want {
			t.Errorf("%s becomes %s, want %s: %v", given, c.BaseURL, want, err)
		}
	}
}

func TestConfigProxyNetworks(t *testing.T) {
	t.Parallel()
	c := Config{TrustedProxies: []string{"10.1.2.3/8"}}
	networks, err := c.ProxyNetworks()
	if err != nil || len(networks) != 1 || networks[0].String() != "10.0.0.0/8" {
		t.Errorf("networks are %v, %v", networks, err)
	}
}

func TestConfigTellsNoSecrets(t *testing.T) {
	t.Parallel()
	c := valid()
	c.DatabaseURL = "postgres://terrier:canary-1@db.example.com/terrier?password=canary-2"
	c.SecretKey = "canary-3" + longKey
	c.SecretKeyOld = []string{"canary-4" + longKey}

	var text, object bytes.Buffer
	slog.New(slog.NewTextHandler(&text, nil)).Info("settings", "config", c, "pointer", &c)
	slog.New(slog.NewJSONHandler(&object, nil)).Info("settings", "config", c, "list", []Config{c})
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	shown := []string{text.String(), object.String(), string(encoded)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		shown = append(shown, fmt.Sprintf(verb, c), fmt.Sprintf(verb, &c))
	}
	if i := slices.IndexFunc(shown, func(s string) bool { return strings.Contains(s, "canary") }); i >= 0 {
		t.Errorf("a secret is revealed: %s", shown[i])
	}
	if !strings.Contains(text.String(), "db.example.com") {
		t.Errorf("the log does not say which database: %s", &text)
	}
}
