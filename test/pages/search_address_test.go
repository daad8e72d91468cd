package pages_test

import (
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestSearchPageFindsPrimaryAddresses: the search of all types finds a virtual machine by the beginning of its primary address.
func TestSearchPageFindsPrimaryAddresses(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lisbon"})
	machine := create(t, s, "/api/virtualization/virtual-machines/", obj{"name": "web", "site": site})
	port := create(t, s, "/api/virtualization/interfaces/", obj{"name": "eth0", "virtual_machine": machine})
	address := create(t, s, "/api/ipam/ip-addresses/", obj{"address": "10.77.12.9/24",
		"assigned_object_type": "virtualization.vminterface", "assigned_object_id": port})
	s.Do(t, apitest.Call{Method: http.MethodPatch, Path: "/api/virtualization/virtual-machines/1/", Token: s.Admin,
		Body: obj{"primary_ip4": address}}).Want(t, http.StatusOK)
	admin := login(t, s, "admin")
	shows(t, admin.get(t, "/search/?q=10.77.1").Want(t, http.StatusOK), hit("/virtualization/virtual-machines/", machine, "web"))
	hides(t, admin.get(t, "/search/?q=0.77.1").Want(t, http.StatusOK), hit("/virtualization/virtual-machines/", machine, "web"))
}
