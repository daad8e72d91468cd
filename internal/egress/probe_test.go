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

// TestForbids: an address is judged as it is, localhost too, any other name only if it is looked up, and what is not
// known is not forbidden.
func TestForbids(t *testing.T) {
	t.Parallel()
	policy, err := ParsePolicy("10.0.0.0/8:9000")
	if err != nil {
		t.Fatal(err)
	}
	c := New(Config{Policy: policy})
	for _, test := range []struct {
		url       string
		lookUp    time.Duration
		forbidden bool
	}{
		{"http://10.0.0.1/", 0, true},
		{"http://10.0.0.1:9000/", 0, false},
		{"https://[fe80::1]/", 0, true},
		{"https://9.9.9.9/", 0, false},
		{"http://name.invalid/", 0, false},
		{"http://LocalHost.:9000/", 0, true},
		{"http://localhost:9000/", time.Minute, true},
		{"http://name.invalid/", time.Minute, false},
		{"no URL", 0, false},
	} {
		if err := c.Forbids(t.Context(), test.url, test.lookUp); (err != nil) != test.forbidden {
			t.Errorf("%s, looked up for %s: %v", test.url, test.lookUp, err)
		}
	}
}
