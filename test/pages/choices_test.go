package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
)

// TestChoices: records of the same name are offered with what they belong to, and those of the chosen site or device alone. Where it has
// none that fits, the others are offered.
func TestChoices(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	var racks []int64
	for _, name := range []string{"Lisbon", "Porto"} {
		site := create(t, s, "/api/dcim/sites/", obj{"name": name, "slug": name})
		racks = append(racks, create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": site}))
	}
	lisbon := fmt.Sprintf(`<option value="R1 (Lisbon) #%d">R1 (Lisbon)</option>`, racks[0])
	porto := fmt.Sprintf(`<option value="R1 (Porto) #%d">R1 (Porto)</option>`, racks[1])
	offers := func(typed, site string) apitest.Answer {
		return b.get(t, "/dcim/racks/choices/?"+url.Values{"typed": {typed}, "with_site": {site}}.Encode()).Want(t, http.StatusOK)
	}
	shows(t, offers("R", ""), lisbon, porto)
	shows(t, offers("R", "Por"), lisbon, porto) // it is still being typed
	shows(t, offers("R", "Porto"), porto)
	hides(t, offers("R", "Porto"), lisbon)
	create(t, s, "/api/dcim/racks/", obj{"name": "only here", "site": obj{"name": "Lisbon"}})
	shows(t, offers("only", "Porto"), "only here (Lisbon)")
	shows(t, b.get(t, "/dcim/devices/add/").Want(t, http.StatusOK),
		`hx-get="/dcim/racks/choices/" hx-trigger="focus, input changed delay:150ms" hx-target="#id_rack_list" data-typed data-with="site"`)
}
