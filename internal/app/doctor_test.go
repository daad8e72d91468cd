package app

import (
	"slices"
	"testing"
)

// TestFiles: doctor looks at the same files before the settings are validated, as the command does, and afterwards, as the
// page of a server does.
func TestFiles(t *testing.T) {
	t.Parallel()
	c := valid()
	c.DatabaseURL, c.DatabaseURLFile = "", secretFile(t, c.DatabaseURL)
	c.SecretKey, c.SecretKeyFile = "", secretFile(t, c.SecretKey)
	c.SecretKeyOldFile = secretFile(t, longKey)
	c.SettingsFile, c.TLSCert, c.TLSKey = "settings.json", "cert.pem", "key.pem"
	want := []string{c.SettingsFile, c.TLSKey, c.DatabaseURLFile, c.SecretKeyFile, c.SecretKeyOldFile}
	for _, when := range []string{"before", "after", "after twice"} {
		if got := c.files(); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSettingsIn: what Kubernetes sets for a service named terrier is no setting, there alone. Empty ones have no effect.
func TestSettingsIn(t *testing.T) {
	t.Parallel()
	environ := []string{"PATH=/bin", "TERRIER_LISTEN=:80", "TERRIER_LOG_LEVEL=", "TERRIER_PORT=tcp://10.0.0.1:80",
		"TERRIER_SERVICE_HOST=10.0.0.1",
		"TERRIER_PORT_80_TCP_ADDR=10.0.0.1", "TERRIER_METRICS_SERVICE_PORT_HTTP=9464"}
	if got, want := settingsIn(environ), 5; len(got) != want {
		t.Errorf("%v", got)
	}
	if got := settingsIn(append(environ, "KUBERNETES_SERVICE_HOST=10.0.0.1")); !slices.Equal(got, []string{"TERRIER_LISTEN"}) {
		t.Errorf("%v", got)
	}
}
