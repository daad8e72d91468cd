package app

import (
	"log/slog"
	"reflect"
	"testing"

	"terrier/internal/dbtest"
)

// TestChangedSettingsAreOneEvent: a start with other settings than the last one leaves one event with their names and no values. The first
// start, and one with the same settings, leave none; nor does a new secret key make the others look changed.
func TestChangedSettingsAreOneEvent(t *testing.T) {
	t.Parallel()
	cfg := valid()
	cfg.DatabaseURL = dbtest.New(t)
	start := func(change func(*Config)) []string {
		t.Helper()
		change(&cfg)
		a, err := New(t.Context(), cfg, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		for range 2 { // as two servers
			if err := a.noteSettings(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := a.Store.Pool().Query(t.Context(), `WITH gone AS (DELETE FROM extras_auditevent RETURNING *)
			SELECT array_agg(concat_ws('|', event, user_name, way, detail)) FROM gone`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var events []string
		for rows.Next() {
			if err := rows.Scan(&events); err != nil {
				t.Fatal(err)
			}
		}
		return events
	}
	secret := cfg.SecretKey
	for _, step := range []struct {
		change func(*Config)
		want   []string
	}{
		{func(*Config) {}, nil},
		{func(*Config) {}, nil},
		{func(c *Config) { c.TrustedProxies, c.LoginRequired = []string{"192.0.2.1/32"}, true },
			[]string{"settings_changed|terrier|start|TERRIER_LOGIN_REQUIRED, TERRIER_TRUSTED_PROXIES"}},
		{func(c *Config) { c.LogLevel = "debug" }, nil},
		{func(c *Config) { c.SecretKey, c.SecretKeyOld = secret+"-next", []string{secret} },
			[]string{"settings_changed|terrier|start|TERRIER_SECRET_KEY"}},
		{func(c *Config) { c.SecretKeyOld = nil }, nil},
	} {
		if got := start(step.change); !reflect.DeepEqual(got, step.want) {
			t.Errorf("%q, want %q", got, step.want)
		}
	}
}
