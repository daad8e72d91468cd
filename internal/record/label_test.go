package record_test

import (
	"testing"

	"terrier/internal/record"
)

// TestLabelOf: labels that come from names are written as people write them.
func TestLabelOf(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"physical_address": "Physical address", "vlan_count": "VLAN count", "_depth": "Depth", "": "",
		"ipaddress_count": "IP address count", "present_in_vrf": "Present in VRF", "wireless_lans": "Wireless LANs",
		"ip_addresses": "IP addresses"} {
		if got := record.LabelOf(name); got != want {
			t.Errorf("%s is called %q, not %q", name, got, want)
		}
	}
}

// TestInSentence: within a sentence a label begins with a small letter, unless it begins with an abbreviation.
func TestInSentence(t *testing.T) {
	t.Parallel()
	for label, want := range map[string]string{"Parent device": "parent device", "NAT inside": "NAT inside", "Primary IPv4": "primary IPv4",
		"": ""} {
		if got := record.InSentence(label); got != want {
			t.Errorf("%q is written %q, not %q", label, got, want)
		}
	}
}
