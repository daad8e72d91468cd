package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestActionForm holds that an action which a type declares has a button on the page of a record and a form that its Body makes, for
// those who may use it.
func TestActionForm(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	shelf := create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	path := fmt.Sprintf("/trial/shelves/%d/", shelf)
	s.User(t, "looks", apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view"}})
	admin, looks := login(t, s, "admin"), login(t, s, "looks")

	link := `href="` + path + `free-pegs/">Take a peg</a>`
	if page := string(admin.get(t, path).Raw); strings.Count(page, link) != 1 {
		t.Errorf("the page has no button: %.2000s", page)
	}
	if page := string(looks.get(t, path).Raw); strings.Contains(page, "free-pegs") {
		t.Error("somebody who may add no peg is offered one")
	}
	looks.get(t, path+"free-pegs/").Want(t, http.StatusForbidden)
	looks.post(t, path+"free-pegs/", url.Values{"start": {"3"}}).Want(t, http.StatusForbidden)

	form := string(admin.get(t, path+"free-pegs/").Want(t, http.StatusOK).Raw)
	for _, part := range []string{"Take a peg: upper", "Take the lowest free pegs of a shelf.", `name="start"`, `value="1"`, "The lowest number to take."} {
		if !strings.Contains(form, part) {
			t.Errorf("the form lacks %q", part)
		}
	}
	refused := string(admin.post(t, path+"free-pegs/", url.Values{"start": {"0"}}).Want(t, http.StatusBadRequest).Raw)
	if !strings.Contains(refused, "greater than or equal to 1") || !strings.Contains(refused, `value="0"`) {
		t.Errorf("what is wrong is not beside the field: %.3000s", refused)
	}
	a := admin.post(t, path+"free-pegs/", url.Values{"start": {"3"}}).Want(t, http.StatusSeeOther)
	if page := string(admin.get(t, a.Header.Get("Location")).Want(t, http.StatusOK).Raw); !strings.Contains(page, "peg 3") {
		t.Errorf("it leads to %s", a.Header.Get("Location"))
	}
}
