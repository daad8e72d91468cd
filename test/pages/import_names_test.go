package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestImportNames: a file names other records by slug or by name, and a text that means several is refused with what to write instead.
func TestImportNames(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	one := create(t, s, "/api/tenancy/tenants/", obj{"name": "edge", "slug": "core"})
	two := create(t, s, "/api/tenancy/tenants/", obj{"name": "Edge two", "slug": "edge"})
	rack := create(t, s, "/api/dcim/rack-roles/", obj{"name": "full", "slug": "half"})
	create(t, s, "/api/dcim/rack-roles/", obj{"name": "other", "slug": "full"})
	for i, name := range []string{"Hall", "Yard"} {
		site := create(t, s, "/api/dcim/sites/", obj{"name": name + " site", "slug": strings.ToLower(name)})
		create(t, s, "/api/dcim/locations/", obj{"name": "Floor 1", "slug": fmt.Sprint("f", i), "site": site})
	}
	send := func(path, text string) apitest.Answer { return b.paste(t, path, text, "import") }
	refused := func(path, text string, says ...string) {
		t.Helper()
		shows(t, send(path, text).Want(t, http.StatusBadRequest), says...)
	}
	const racks = "/dcim/racks/import/"
	refused(racks, "name,site,tenant\na,Hall site,edge\n", "<td>2</td>", "&#34;edge&#34; is the slug or name of several",
		fmt.Sprintf("Write one of these instead: #%d, #%d", two, one))
	refused(racks, "name,site,role\na,Hall site,full\n", fmt.Sprintf("Write one of these instead: #%d, half", rack+1))
	refused(racks, "name,site\na,Hall\n", "There is no site &#34;Hall&#34;")
	if got := note(t, b, send(racks, fmt.Sprintf("name,site,location,tenant,role\n"+
		"a,Hall site,Floor 1,core,half\nb,yard,Floor 1,Edge two,#%d\n"+
		"c,yard,f1,edge#%d,other\n", rack, two))); got != "Created 3 racks." {
		t.Error(got)
	}
	for name, want := range map[string]string{
		"a": "site=hall&location=f0&tenant=core&role=half",
		"b": "site=yard&location=f1&tenant=edge&role=half",
		"c": "site=yard&location=f1&tenant=edge&role=full",
	} {
		if n := list(t, s, "/api/dcim/racks/?name="+name+"&"+want).Count; n != 1 {
			t.Errorf("%s is not as the file says: %s", name, want)
		}
	}
	// Names that others have are found only among what the caller may see.
	s.User(t, "alice", apitest.Grant{Types: []string{"dcim.rack"}, Actions: []string{"view", "add"}},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: obj{"slug": "hall"}})
	shows(t, login(t, s, "alice").paste(t, racks, "name,site\nd,Yard site\n", "import").Want(t, http.StatusBadRequest),
		"There is no site &#34;Yard site&#34; that you may see.")
	// The API reads references as before.
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/racks/", Token: s.Admin, Body: obj{"name": "e", "site": "Hall site"}}).
		Want(t, http.StatusBadRequest)
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/racks/", Token: s.Admin, Body: obj{"name": "e", "site": obj{"slug": "Hall site"}}}).
		Want(t, http.StatusBadRequest)
}
