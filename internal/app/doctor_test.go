package app

import (
	"slices"
	"testing"
)

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
