package fill_test

import (
	"testing"

	"terrier/internal/fill"
	"terrier/test/storetest"
)

// TestNetworks checks that a sample of networks has what measurements ask for: no network and no address twice, a /8 with nine of ten
// prefixes inside it, and a network whose usable addresses are all taken but the last.
func TestNetworks(t *testing.T) {
	t.Parallel()
	s, _, db := storetest.Open(t, nil)
	n := fill.Networks{Prefixes: 20_000, Addresses: 20_000}
	if err := fill.New(s, 7).Networks(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	wide, inside := n.Wide()
	for what, test := range map[string]struct {
		sql  string
		args []any
	}{
		"prefixes":            {"SELECT count(DISTINCT (vrf_id, prefix)) = 20000 FROM ipam_prefix", nil},
		"addresses":           {"SELECT count(DISTINCT address_key) = 20000 FROM ipam_ipaddress", nil},
		"inside the /8":       {"SELECT count(*) = $1 FROM ipam_prefix WHERE vrf_id IS NULL AND prefix << '10.0.0.0/8'", []any{n.Inside()}},
		"inside the wide one": {"SELECT count(*) = $2 FROM ipam_prefix WHERE vrf_id IS NULL AND prefix << $1::cidr", []any{wide, inside}},
		"no wide one":         {"SELECT count(*) = 0 FROM ipam_prefix WHERE prefix = $1::cidr", []any{wide}},
		"dense": {"SELECT count(*) = 2 ^ (32 - masklen($1::cidr)) - 3 AND NOT bool_or(address_key = broadcast($1::cidr) - 1) " +
			"FROM ipam_ipaddress WHERE address_key << $1::cidr", []any{n.Dense()}},
		"other addresses are in prefixes": {"SELECT bool_and(EXISTS (SELECT FROM ipam_prefix p WHERE p.prefix = network(a.address))) " +
			"FROM ipam_ipaddress a WHERE NOT address_key << $1::cidr", []any{n.Dense()}},
	} {
		var ok bool
		if err := db.QueryRow(t.Context(), test.sql, test.args...).Scan(&ok); err != nil || !ok {
			t.Errorf("%s: %v, %v", what, ok, err)
		}
	}
}
