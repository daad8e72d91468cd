package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestChangesNameRecords: the values of references in changes are names, with the owner where a type has full names. Records that are gone
// and those that the caller may not see are shown by their id. More changes need no more statements.
func TestChangesNameRecords(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Switch", "slug": "switch"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Corvid", "slug": "corvid"})
	model := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "CS", "slug": "cs"})
	tenants := []int64{create(t, s, "/api/tenancy/tenants/", obj{"name": "Gone", "slug": "gone"}),
		create(t, s, "/api/tenancy/tenants/", obj{"name": "Ana Lda", "slug": "ana"})}
	device := create(t, s, "/api/dcim/devices/", obj{"name": "lis1-sw01", "site": site, "device_role": role, "device_type": model,
		"tenant": tenants[0]})
	port := create(t, s, "/api/dcim/interfaces/", obj{"name": "mgmt0", "device": device, "type": "1000base-t"})
	address := create(t, s, "/api/ipam/ip-addresses/", obj{"address": "10.2.0.3/22"})
	edit := func(path string, body obj) {
		t.Helper()
		s.Do(t, apitest.Call{Method: "PATCH", Path: path, Token: s.Admin, Body: body}).Want(t, http.StatusOK)
	}
	api, page := fmt.Sprintf("/api/dcim/devices/%d/", device), fmt.Sprintf("/dcim/devices/%d/", device)
	edit(fmt.Sprintf("/api/ipam/ip-addresses/%d/", address), obj{"assigned_object_type": "dcim.interface", "assigned_object_id": port})
	edit(api, obj{"primary_ip4": address, "tenant": tenants[1]})
	change := fmt.Sprintf("/extras/object-changes/%d/", number(t, s, "SELECT max(id) FROM extras_objectchange"))
	s.Do(t, apitest.Call{Method: "DELETE", Path: fmt.Sprintf("/api/tenancy/tenants/%d/", tenants[0]), Token: s.Admin}).
		Want(t, http.StatusNoContent)
	gone := fmt.Sprintf("<del>#%d</del>", tenants[0])
	for _, path := range []string{page, page + "changelog/", change} {
		shows(t, b.get(t, path).Want(t, http.StatusOK), "<ins>10.2.0.3/22</ins>", gone, "<ins>Ana Lda</ins>")
	}
	shows(t, b.get(t, change), "<td>Lisbon 1</td>") // it is among the fields that did not change
	shows(t, b.get(t, fmt.Sprintf("/ipam/ip-addresses/%d/changelog/", address)).Want(t, http.StatusOK), "<ins>lis1-sw01 › mgmt0</ins>")

	s.User(t, "narrow", apitest.Grant{Types: []string{"dcim.device", "extras.objectchange"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"tenancy.tenant"}, Actions: []string{"view"}, Constraints: obj{"name": "Another"}})
	for _, path := range []string{page + "changelog/", change} {
		a := login(t, s, "narrow").get(t, path).Want(t, http.StatusOK)
		shows(t, a, fmt.Sprintf("<ins>#%d</ins>", address), fmt.Sprintf("<ins>#%d</ins>", tenants[1]))
		hides(t, a, "10.2.0.3/22</ins>", "Ana Lda</ins>")
	}

	before, _ := needs(t, b, page+"changelog/", wire)
	for i := range 20 {
		tenant := create(t, s, "/api/tenancy/tenants/", obj{"name": fmt.Sprint("Tenant ", i), "slug": fmt.Sprint("t", i)})
		edit(api, obj{"tenant": tenant})
	}
	if after, _ := needs(t, b, page+"changelog/", wire); after != before {
		t.Errorf("the change log needs %d statements with one change, %d with 21", before, after)
	}
	if n := strings.Count(string(b.get(t, page+"changelog/").Raw), "<ins>Tenant "); n != 20 {
		t.Errorf("the change log names %d of 20 tenants", n)
	}
}

// TestLongTextsInTheirColumn: a long text that was empty before a change is in the column After, one that is empty after it in Before. A
// text that was edited takes both.
func TestLongTextsInTheirColumn(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	empty, first := `<td><span class="nothing">—</span></td>`, `<pre class="code"><span class="%s">%s first`
	for _, step := range []struct{ text, want string }{
		{"first\nsecond", empty + "<td>" + fmt.Sprintf(first, "added", "&#43;")},
		{"first\nthird", `<td colspan="2">` + fmt.Sprintf(first, "same", " ")},
		{"", "<td>" + fmt.Sprintf(first, "removed", "-")},
	} {
		s.Do(t, apitest.Call{Method: "PATCH", Path: fmt.Sprintf("/api/dcim/sites/%d/", site), Token: s.Admin,
			Body: obj{"comments": step.text}}).Want(t, http.StatusOK)
		for _, path := range []string{fmt.Sprintf("/dcim/sites/%d/changelog/", site), "/extras/object-changes/" + lastChange(t, s) + "/"} {
			shows(t, b.get(t, path).Want(t, http.StatusOK), step.want)
		}
	}
	shows(t, b.get(t, "/extras/object-changes/"+lastChange(t, s)+"/"), "third\n</span></pre></td>"+empty)
}
