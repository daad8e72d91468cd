package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestLaterOnPages checks that pages, forms and files lack the fields about types that come later.
func TestLaterOnPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	id := create(t, s, "/api/trial/plugs/", obj{"name": "a"})
	for _, path := range []string{"", fmt.Sprint(id, "/"), fmt.Sprint(id, "/edit/"), "add/", "import/", "export/?format=csv",
		"export/?format=json", "export/?format=yaml"} {
		hides(t, b.get(t, "/trial/plugs/"+path).Want(t, http.StatusOK), "cable", "Cable", "occupied", "Occupied", "link_peers", "Link peers")
	}
}
