package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestNewKindsOnPages takes ports with every kind of value through the form, the list, its filters, and files of each format.
// What is exported can be imported and gives the same records.
func TestNewKindsOnPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	create(t, s, "/api/trial/hosts/", obj{"address": "192.0.2.1/24", "network": "192.0.2.0/24"})
	form := url.Values{"shelf": {"upper"}, "name": {"Eth1"}, "installed": {"2026-01-31"}, "mac_address": {"001b.4411.3ab7"},
		"wwn": {"500601603ce01a2b"}, "vlans": {"20\r\n10"}, "width": {"10"}, "speed": {""}, "prefix": {"2001:DB8::/32"},
		"address": {"10.0.0.7"}, "weight": {"2.5"}, "weight_unit": {"kg"}, "gateway": {"192.0.2.1/24"}}
	b.post(t, "/trial/ports/add/", form).Want(t, http.StatusSeeOther)
	create(t, s, "/api/trial/ports/", obj{"shelf": obj{"name": "upper"}, "name": "Eth2"})
	id := list(t, s, "/api/trial/ports/?name=Eth1").IDs()[0]

	shows(t, b.get(t, fmt.Sprintf("/trial/ports/%d/", id)).Want(t, http.StatusOK), "2026-01-31", "00:1B:44:11:3A:B7",
		"50:06:01:60:3C:E0:1A:2B", "20, 10", "10 inches", "2001:db8::/32", "10.0.0.7/32", "2.5", "Kilograms", "192.0.2.1/24")
	shows(t, b.get(t, fmt.Sprintf("/trial/ports/%d/edit/", id)).Want(t, http.StatusOK),
		`type="date" name="installed" id="id_installed" value="2026-01-31"`, "\n20\n10</textarea>", `value="10.0.0.7/32"`)
	form.Set("installed", "soon")
	form.Set("mac_address", "x")
	shows(t, b.post(t, fmt.Sprintf("/trial/ports/%d/edit/", id), form).Want(t, http.StatusBadRequest),
		`type="text" name="installed"`, "Date has wrong format", "Enter a MAC address")
	for _, query := range []string{"within=2001::/16", "parent=10.0.0.0/8", "mac_address__ic=1B:44",
		"installed__gte=2026-01-01&installed__lte=2026-12-31", "vlans=10", "width=10", "weight__gte=2kg"} {
		page := b.get(t, "/trial/ports/?"+query).Want(t, http.StatusOK)
		shows(t, page, ">Eth1<")
		hides(t, page, ">Eth2<")
	}
	before := state(t, s, "/api/trial/ports/")
	for _, format := range []string{"csv", "json", "yaml"} {
		file := string(b.get(t, "/trial/ports/export/?format="+format).Want(t, http.StatusOK).Raw)
		for _, id := range list(t, s, "/api/trial/ports/").IDs() {
			s.Do(t, apitest.Call{Method: "DELETE", Path: fmt.Sprintf("/api/trial/ports/%d/", id), Token: s.Admin}).Want(t, http.StatusNoContent)
		}
		b.paste(t, "/trial/ports/import/", withoutIDs(t, format, file), "import").Want(t, http.StatusSeeOther)
		if after := state(t, s, "/api/trial/ports/"); after != before {
			t.Errorf("%s gives\n%s\nwant\n%s\nfrom\n%s", format, after, before, file)
		}
	}
}
