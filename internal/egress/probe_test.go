package egress

import (
	"crypto/tls"
	"testing"
	"time"
)

// TestHandshakeExpiry: the certificates that count are those that the receiver is verified with, not all that it sends. Without
// verification its own counts.
func TestHandshakeExpiry(t *testing.T) {
	dir, ca := caDirs(t)
	c := newClient(t, func(config *Config) { config.CADir = dir })
	own, stale := ca.server(t, "127.0.0.1", time.Hour), newAuthority(t).server(t, "127.0.0.1", -time.Hour)
	want := time.Now().Add(time.Hour)
	own.Certificate = append(own.Certificate, stale.Certificate...) // as after a change of the authority
	receiver := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{own}})
	for _, r := range []Request{{URL: receiver.URL, CAFile: "good.pem"}, {URL: receiver.URL, InsecureSkipVerify: true}} {
		expires, err := c.Handshake(t.Context(), r, false)
		if err != nil || expires.Sub(want).Abs() > time.Minute {
			t.Errorf("%+v: expires at %s, want %s: %v", r, expires, want, err)
		}
	}
}
