package doctor

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"terrier/internal/egress"
)

// among returns an examination whose receivers have been visited.
func among(receivers ...receiver) *examination {
	return &examination{receivers: func() ([]receiver, error) { return receivers, nil }}
}

// TestEgressRemedy: the remedy names the address that is refused, not another one of the same host.
func TestEgressRemedy(t *testing.T) {
	t.Parallel()
	e := among(receiver{Host: "a.example", Targets: []egress.Target{
		{Addr: netip.MustParseAddrPort("198.51.100.7:443")},
		{Addr: netip.MustParseAddrPort("[fd00::7]:443"), Refused: errors.New("not public")},
	}})
	f, err := e.hookEgress(t.Context())
	if err != nil || f.Status != Fail || !strings.Contains(f.Remedy, "add fd00::7/128 to") || f.Seen != "a.example: not public" {
		t.Errorf("%+v %v", f, err)
	}
}
