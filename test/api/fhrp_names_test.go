package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestGroupsAreNamedByAddressesThatTheCallerSees: an FHRP group is called by the lowest of its addresses that the caller may see.
func TestGroupsAreNamedByAddressesThatTheCallerSees(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	group := admin.create(t, "/api/ipam/fhrp-groups/", obj{"protocol": "vrrp2", "group_id": 1})
	for _, address := range []string{"10.0.0.1/24", "10.0.0.2/24"} {
		admin.create(t, addresses, obj{"address": address, "assigned_object_type": "ipam.fhrpgroup", "assigned_object_id": group})
	}
	machine := admin.create(t, "/api/virtualization/virtual-machines/", obj{"name": "m",
		"site": admin.create(t, "/api/dcim/sites/", obj{"name": "s", "slug": "s"})})
	member := admin.create(t, "/api/ipam/fhrp-group-assignments/", obj{"group": group, "priority": 1,
		"interface_type": "virtualization.vminterface",
		"interface_id":   admin.create(t, "/api/virtualization/interfaces/", obj{"name": "eth0", "virtual_machine": machine})})
	groups := apitest.Grant{Types: []string{"ipam.fhrpgroup", "ipam.fhrpgroupassignment"}, Actions: []string{"view", "change"}}
	_, blind := newActor(t, s, "blind", groups)
	_, some := newActor(t, s, "some", groups, apitest.Grant{Types: []string{"ipam.ipaddress"}, Actions: []string{"view", "change"},
		Constraints: obj{"address": "10.0.0.2/24"}})
	for i, c := range []struct {
		who  string
		as   actor
		want string
	}{{"admin", admin, "VRRPv2: 1 (10.0.0.1/24)"}, {"some", some, "VRRPv2: 1 (10.0.0.2/24)"}, {"blind", blind, "VRRPv2: 1"}} {
		path := at("/api/ipam/fhrp-groups/", group)
		want(t, c.who+" reads it", c.as.get(t, path).Want(t, http.StatusOK).Object(t)["display"], any(c.want))
		want(t, c.who+" reads a list", c.as.page(t, "/api/ipam/fhrp-groups/?brief=true").Results[0]["display"], any(c.want))
		changed := c.as.patch(t, "/api/ipam/fhrp-groups/", group, obj{"description": "by " + c.who})
		want(t, c.who+" changes it", changed["display"], any(c.want))
		changed = c.as.patch(t, "/api/ipam/fhrp-group-assignments/", member, obj{"priority": 10 + i})
		want(t, c.who+" changes a member", nestedIn(changed, "group")["display"], any(c.want))
	}
	id := apitest.ID(some.page(t, addresses).Results[0])
	nested := nestedIn(some.get(t, at(addresses, id)).Object(t), "assigned_object")
	want(t, "nested", nested["display"], any("VRRPv2: 1 (10.0.0.2/24)"))
	changed := some.patch(t, addresses, id, obj{"description": "changed"})
	want(t, "nested in the answer to a change", fmt.Sprint(nestedIn(changed, "assigned_object")["display"]), "VRRPv2: 1 (10.0.0.2/24)")
}
