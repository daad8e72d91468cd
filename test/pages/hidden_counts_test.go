package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
)

// TestHiddenCountsAreNotZero: a count of records that the caller may not see reads "hidden" on the page of a record and in a list. The API
// keeps its number. A caller who may see some of the records reads how many.
func TestHiddenCountsAreNotZero(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	for i := range 7 {
		create(t, s, "/api/dcim/racks/", obj{"name": fmt.Sprint("R", i), "site": site})
	}
	s.User(t, "bob", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	s.User(t, "some", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.rack"}, Actions: []string{"view"}, Constraints: obj{"name": "R3"}})
	page, list := fmt.Sprintf("/dcim/sites/%d/", site), "/dcim/sites/"
	for _, name := range []string{"bob", "some", "admin"} {
		login(t, s, name).post(t, "/dcim/sites/columns/", url.Values{"columns": {"name", "rack_count"}}).Want(t, http.StatusSeeOther)
	}
	const hiddenCount = `<span class="nothing">hidden<span class="visually-hidden">: you may not see what is counted</span></span>`
	for _, path := range []string{page, list} {
		shows(t, login(t, s, "bob").get(t, path).Want(t, http.StatusOK), "Rack count", hiddenCount)
		hides(t, login(t, s, "some").get(t, list).Want(t, http.StatusOK), hiddenCount)
		hides(t, login(t, s, "admin").get(t, path).Want(t, http.StatusOK), hiddenCount)
	}
	shows(t, login(t, s, "some").get(t, page).Want(t, http.StatusOK), "Rack count", "<td>1</td>")
	shows(t, login(t, s, "admin").get(t, page).Want(t, http.StatusOK), "<td>7</td>")
}
