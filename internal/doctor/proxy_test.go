package doctor

import (
	"strings"
	"testing"

	"terrier/internal/account"
	"terrier/internal/hops"
)

// TestJudgeHops goes through what may arrive of a request with a forged X-Forwarded-For.
func TestJudgeHops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		trusted   bool
		forwarded []string
		want      Status
		says      string
	}{
		{"no proxy", false, []string{hops.Forged}, OK, "no proxy"},
		{"a proxy that hides itself", false, nil, OK, "no proxy"},
		{"a trusted proxy that appends", true, []string{hops.Forged + ", 198.51.100.7"}, OK, "names 198.51.100.7"},
		{"a trusted proxy that adds a header", true, []string{hops.Forged, "198.51.100.7"}, OK, "names 198.51.100.7"},
		{"a trusted proxy that replaces", true, []string{"198.51.100.7"}, OK, "names 198.51.100.7"},
		{"a proxy that is not trusted", false, []string{"198.51.100.7"}, Fail, "not trusted"},
		{"a trusted proxy that passes on what clients send", true, []string{hops.Forged}, Fail, "choose their address"},
		{"a trusted proxy that sends nothing", true, nil, Fail, "sends no X-Forwarded-For"},
	} {
		f := judgeHops(hops.Seen{Peer: "10.0.0.5", PeerTrusted: c.trusted, ForwardedFor: c.forwarded, Client: "198.51.100.7"})
		if f.Status != c.want || !strings.Contains(f.Seen, c.says) || (f.Remedy == "") != (c.want == OK) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
}

// TestJudgeUnixSocket: a proxy that reaches the server by its Unix socket needs no entry in the trusted proxies.
func TestJudgeUnixSocket(t *testing.T) {
	t.Parallel()
	var proxies account.Proxies
	for says, forwarded := range map[string][]string{
		"names 198.51.100.7": {hops.Forged, "198.51.100.7"}, "choose their address": {hops.Forged}, "sends no X-Forwarded-For": nil,
	} {
		peer, trusted := proxies.Peer("@")
		f := judgeHops(hops.Seen{Peer: peer.String(), PeerTrusted: trusted, ForwardedFor: forwarded, Client: "198.51.100.7"})
		if !strings.Contains(f.Seen, says) || strings.Contains(f.Seen, "invalid") {
			t.Errorf("%q: %+v", forwarded, f)
		}
	}
}
