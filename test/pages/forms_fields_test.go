package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestFormFields: a form has no box for what only the server knows, and chooses nothing that nobody chose.
func TestFormFields(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for _, typ := range s.App.Registry.Types() {
		if typ.ReadOnly {
			continue
		}
		form := b.get(t, strings.TrimPrefix(typ.Path(), "/api")+"add/")
		if form.Status != http.StatusOK {
			form.Want(t, http.StatusNotFound) // it has no such form
			continue
		}
		for _, in := range typ.Infos() {
			if in.ReadOnly {
				hides(t, form, `name="`+in.Name+`"`)
			}
		}
	}
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lisbon"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	model := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "X", "slug": "x"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Server", "slug": "server"})
	create(t, s, "/api/dcim/devices/", obj{"name": "a", "device_type": model, "device_role": role, "site": site})
	const add = "/dcim/interfaces/add/"
	shows(t, b.get(t, add).Want(t, http.StatusOK), `<option value="">—</option><option value="virtual">Virtual</option>`)
	b.post(t, add, url.Values{"device": {"a"}, "name": {"[1-48]"}, "type": {""}}).Want(t, http.StatusBadRequest)
	hides(t, b.get(t, "/dcim/racks/add/").Want(t, http.StatusOK), `<option value="">—</option><option value="reserved">`) // it has a default
	create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": site})
	units := url.Values{"rack": {"R1"}, "units": {"1, 2,5-7"}, "user": {"admin"}, "description": {"ours"}}
	b.post(t, "/dcim/rack-reservations/add/", units).Want(t, http.StatusSeeOther)
	if n := number(t, s, "SELECT count(*) FROM dcim_rackreservation WHERE units = '{1,2,5,6,7}'"); n != 1 {
		t.Error("the units of the reservation are others")
	}
}
