package doctor

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/egress"
	"terrier/internal/store"
)

// among returns an examination whose receivers have been visited.
func among(receivers ...receiver) *examination {
	return &examination{receivers: func() ([]receiver, error) { return receivers, nil }}
}

// TestVisitAll: a receiver that there was no time for is not said to fail, and neither is one that is beyond the limit.
func TestVisitAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
		defer cancel()
		begun := time.Now()
		found := visitAll(ctx, make([]store.Receiver, mostReceivers+50), func(ctx context.Context, _ store.Receiver) receiver {
			<-ctx.Done() // none of them answers
			return receiver{Host: "slow", LookupErr: ctx.Err()}
		})
		if took := time.Since(begun); took > timeLimit {
			t.Errorf("it took %s", took)
		}
		f, err := among(found...).hookDNS(t.Context())
		if err != nil || f.Status != Fail || !strings.Contains(f.Seen, "and 27 more; 218 hosts not visited") { // two turns of 16
			t.Errorf("%+v %v", f, err)
		}
	})
	for want, found := range map[Status][]receiver{
		Skip: {{NotVisited: true}}, OK: {{Host: "a"}, {NotVisited: true}}, Fail: {{Host: "a", LookupErr: errors.New("no")}, {NotVisited: true}},
	} {
		if f, err := among(found...).hookDNS(t.Context()); err != nil || f.Status != want || !strings.Contains(f.Seen, "1 host not visited") {
			t.Errorf("%+v %v", f, err)
		}
	}
}

// TestExpiry: a certificate that has expired is not said to expire in a negative time.
func TestExpiry(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for says, left := range map[string]time.Duration{
		"has expired": -time.Hour, "expires in 2 days": 49 * time.Hour, "expires soon": 50 * 24 * time.Hour,
	} {
		e := among(receiver{Host: "a.example", Expires: now.Add(left)})
		e.Now, e.Limits = func() time.Time { return now }, usual
		if f, err := e.hookCertificate(t.Context()); err != nil || !strings.Contains(f.Seen, says) {
			t.Errorf("%s: %+v %v", left, f, err)
		}
	}
}

// TestEgressRemedy: the remedy names the address that is refused, not another one of the same host.
func TestEgressRemedy(t *testing.T) {
	t.Parallel()
	policy, err := egress.ParsePolicy("192.0.2.0/24")
	if err != nil {
		t.Fatal(err)
	}
	refusal := func(addr string) egress.Target {
		to := netip.MustParseAddrPort(addr)
		return egress.Target{Addr: to, Refused: policy.Allows(t.Context(), to)}
	}
	for addr, remedy := range map[string]string{
		"[fd00::7]:443": "add fd00::7/128 (or its network) to TERRIER_EGRESS_ALLOW, if", "169.254.169.254:80": "give the webhook another address",
	} {
		e := among(receiver{Host: "a.example", Targets: []egress.Target{refusal("198.41.0.4:443"), refusal(addr)}})
		f, err := e.hookEgress(t.Context())
		if err != nil || f.Status != Fail || !strings.Contains(f.Remedy, remedy) || !strings.HasPrefix(f.Seen, "a.example: ") {
			t.Errorf("%s: %+v %v", addr, f, err)
		}
	}
}
