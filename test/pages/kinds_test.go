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

// TestTypedReferencesByAddress: where an address names records, a text means one by its address, by its id, or by both, in forms
// and files. An address that several have needs the id, and an id with another address is refused.
func TestTypedReferencesByAddress(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	const api, page = "/api/trial/leases/", "/trial/leases/"
	first := create(t, s, api, obj{"address": "192.0.2.7/24"})
	second := create(t, s, api, obj{"address": "192.0.2.7/24"})
	alone := create(t, s, api, obj{"address": "192.0.2.8/24"})
	for n, c := range []struct {
		text string
		want int64 // 0 where it is refused
		says string
	}{
		{fmt.Sprintf("#%d", first), first, ""},
		{fmt.Sprintf("192.0.2.7/24 #%d", second), second, ""},
		{fmt.Sprintf("192.0.2.7/24#%d", second), second, ""},
		{"192.0.2.8/24", alone, ""},
		{"192.0.2.8", alone, ""},
		{"192.0.2.7/24", 0, "Several are called"},
		{fmt.Sprintf("192.0.2.7/24 #%d", alone), 0, "the name and the id must belong to the same one"},
		{"192.0.2.7/24 #999999", 0, "There is no lease"},
		{"#999999", 0, "There is no lease"},
		{"gateway", 0, "is not an IP address"},
	} {
		address := fmt.Sprintf("198.51.100.%d/24", n)
		form := url.Values{"address": {address}, "renews": {c.text}}
		file := fmt.Sprintf("address,renews,rivals\n203.0.113.%d/24,\"%s\",\"%s\"\n", n, c.text, c.text)
		if c.want == 0 {
			shows(t, b.post(t, page+"add/", form).Want(t, http.StatusBadRequest), c.says)
			b.paste(t, page+"import/", file, "import").Want(t, http.StatusBadRequest)
			continue
		}
		b.post(t, page+"add/", form).Want(t, http.StatusSeeOther)
		b.paste(t, page+"import/", file, "import").Want(t, http.StatusSeeOther)
		found := list(t, s, fmt.Sprintf("%s?renews_id=%d&address=%s&address=203.0.113.%d", api, c.want, address, n))
		if found.Count != 2 {
			t.Errorf("%q means the lease %d in %d of 2 places", c.text, c.want, found.Count)
			continue
		}
		edit := fmt.Sprintf("%s%d/edit/", page, found.IDs()[0])
		if n == 0 { // an id with another address does not mean the one that the record has
			form.Set("renews", fmt.Sprintf("192.0.2.8/24 #%d", first))
			shows(t, b.post(t, edit, form).Want(t, http.StatusBadRequest), "the name and the id must belong to the same one")
		}
	}
	before := state(t, s, api)
	var emptied []obj
	for _, id := range list(t, s, api+"?renews_id__n=null").IDs() {
		emptied = append(emptied, obj{"id": id, "renews": nil, "rivals": []int64{}})
	}
	for _, format := range []string{"csv", "json", "yaml"} {
		file := string(b.get(t, page+"export/?format="+format).Want(t, http.StatusOK).Raw)
		s.Do(t, apitest.Call{Method: "PATCH", Path: api, Token: s.Admin, Body: emptied}).Want(t, http.StatusOK)
		b.paste(t, page+"import/", file, "import").Want(t, http.StatusSeeOther)
		if after := state(t, s, api); after != before {
			t.Errorf("%s gives\n%s\nwant\n%s", format, after, before)
		}
	}
}
