package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestAllocationIsConstrained: who takes a free place creates a record, and may only if a permission to add one fits what was created.
// A request that is refused leaves neither the record nor a change row, and the place is still free.
func TestAllocationIsConstrained(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	tenant := admin.create(t, "/api/tenancy/tenants/", obj{"name": "Ours", "slug": "ours"})
	other := admin.create(t, "/api/tenancy/tenants/", obj{"name": "Theirs", "slug": "theirs"})
	vrf := admin.create(t, "/api/ipam/vrfs/", obj{"name": "red"})
	prefix := fmt.Sprintf("/api/ipam/prefixes/%d/", admin.create(t, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/16"}))
	inVRF := fmt.Sprintf("/api/ipam/prefixes/%d/", admin.create(t, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/16", "vrf": vrf}))
	ips, prefixes := "available-ips/", "available-prefixes/"
	ours, theirs := obj{"tenant": tenant}, obj{"tenant": other}
	for n, c := range []struct {
		adds        string
		constraints any
		path        string
		body        any
		want        int
	}{
		{"ipam.ipaddress", nil, prefix + ips, obj{}, http.StatusCreated},
		{"ipam.ipaddress", obj{"status": "reserved"}, prefix + ips, obj{"status": "reserved"}, http.StatusCreated},
		{"ipam.ipaddress", obj{"status": "reserved"}, prefix + ips, obj{"status": "active"}, http.StatusForbidden},
		{"ipam.ipaddress", obj{"status": "reserved"}, prefix + ips, obj{}, http.StatusForbidden}, // the default is active
		{"ipam.ipaddress", obj{"tenant__slug": "ours"}, prefix + ips, ours, http.StatusCreated},
		{"ipam.ipaddress", obj{"tenant__slug": "ours"}, prefix + ips, theirs, http.StatusForbidden},
		{"ipam.ipaddress", obj{"tenant__slug": "ours"}, prefix + ips, []any{ours, ours}, http.StatusCreated},
		{"ipam.ipaddress", obj{"tenant__slug": "ours"}, prefix + ips, []any{ours, theirs}, http.StatusForbidden}, // all or none
		{"ipam.ipaddress", []any{obj{"status": "dhcp"}, obj{"tenant": tenant}}, prefix + ips, ours, http.StatusCreated},
		{"ipam.ipaddress", obj{"vrf__name": "red"}, inVRF + ips, obj{}, http.StatusCreated},
		{"ipam.ipaddress", obj{"vrf__name": "red"}, prefix + ips, obj{"vrf": vrf}, http.StatusForbidden}, // it gets the VRF of the prefix
		{"ipam.ipaddress", nil, prefix + prefixes, obj{"prefix_length": 28}, http.StatusForbidden},
		{"ipam.prefix", nil, prefix + ips, obj{}, http.StatusForbidden},
		{"ipam.prefix", obj{"status": "container"}, prefix + prefixes, obj{"prefix_length": 28, "status": "container"}, http.StatusCreated},
		{"ipam.prefix", obj{"status": "container"}, prefix + prefixes, obj{"prefix_length": 28}, http.StatusForbidden},
	} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			_, user := newActor(t, s, fmt.Sprint("user-", n),
				apitest.Grant{Types: []string{"ipam.prefix", "tenancy.tenant", "ipam.vrf"}, Actions: []string{"view"}},
				apitest.Grant{Types: []string{c.adds}, Actions: []string{"view", "add"}, Constraints: c.constraints})
			free := admin.get(t, c.path).Want(t, http.StatusOK).Raw
			changes := admin.page(t, "/api/extras/object-changes/?limit=1").Count
			user.do(t, "POST", c.path, c.body).Want(t, c.want)
			if c.want == http.StatusCreated {
				return
			}
			if now := admin.get(t, c.path).Want(t, http.StatusOK).Raw; string(now) != string(free) {
				t.Errorf("a refused request took something: %.200s, before %.200s", now, free)
			}
			want(t, "changes", admin.page(t, "/api/extras/object-changes/?limit=1").Count, changes)
		})
	}
}
