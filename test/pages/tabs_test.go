package pages_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestManyTabs: a record with many tabs folds the empty ones, except the one that is open, and a tab leaves out the columns that are
// empty in all of its rows.
func TestManyTabs(t *testing.T) {
	t.Parallel()
	s, _ := countingServer(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Switch", "slug": "switch"})
	model := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "X", "slug": "x"})
	device := create(t, s, "/api/dcim/devices/", obj{"name": "sw-1", "device_type": model, "device_role": role, "site": site})
	create(t, s, "/api/dcim/interfaces/", obj{"device": device, "name": "eth0", "type": "1000base-t", "description": "uplink"})
	path := fmt.Sprintf("/dcim/devices/%d/", device)
	folded, tab := `<a href="`+path+`power-ports/">Power ports</a>`, `href="`+path+`power-ports/">Power ports <span`

	page := b.get(t, path).Want(t, http.StatusOK)
	shows(t, page, folded, `href="`+path+`interfaces/">Interfaces <span class="badge text-bg-secondary">1</span>`)
	hides(t, page, tab)
	page = b.get(t, path+"power-ports/").Want(t, http.StatusOK)
	shows(t, page, `aria-current="page" `+tab)
	hides(t, page, folded)
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": site})
	hides(t, b.get(t, fmt.Sprintf("/dcim/racks/%d/", rack)).Want(t, http.StatusOK), "more-tabs")

	page = b.get(t, path+"interfaces/").Want(t, http.StatusOK)
	shows(t, page, `<th scope="col">Description</th>`, `data-label="Description">uplink</td>`)
	hides(t, page, `<th scope="col">Label</th>`, "—")
	create(t, s, "/api/dcim/interfaces/", obj{"device": device, "name": "eth1", "type": "1000base-t", "label": "1"})
	shows(t, b.get(t, path+"interfaces/").Want(t, http.StatusOK), `<th scope="col">Label</th>`, "—")
}
