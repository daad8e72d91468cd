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

// TestSyncPages: the page of a record shows how it differs from its type and adds what is missing. The page of the type does so for all
// its records, step by step, with a form that continues automatically.
func TestSyncPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	kit := create(t, s, "/api/trial/kits/", obj{"name": "kit"})
	var crates []obj
	for n := range 101 {
		crates = append(crates, obj{"name": fmt.Sprint("crate ", n), "kit": kit})
	}
	s.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/crates/", Token: s.Admin, Body: crates}).Want(t, http.StatusCreated)
	first := number(t, s, "SELECT min(id) FROM trial_crate")
	create(t, s, "/api/trial/slot-templates/", obj{"kit": kit, "name": "<one>"})
	create(t, s, "/api/trial/slots/", obj{"crate": first, "name": "own"})
	b := login(t, s, "admin")
	one, all := fmt.Sprintf("/trial/crates/%d/", first), fmt.Sprintf("/trial/kits/%d/", kit)

	shows(t, b.get(t, one).Want(t, http.StatusOK), `href="`+one+`sync-components/">Compare with type</a>`)
	shows(t, b.get(t, one+"sync-components/").Want(t, http.StatusOK), "Add what is missing (1)", "&lt;one&gt;", "Extra", "own")
	done := b.post(t, one+"sync-components/", url.Values{}).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, done.Header.Get("Location")), "Compare with type")
	hides(t, b.get(t, one+"sync-components/").Want(t, http.StatusOK), "Add what is missing", "&lt;one&gt;")

	shows(t, b.get(t, all+"sync-components/").Want(t, http.StatusOK), "There are 101 crates", "Add what is missing")
	step := b.post(t, all+"sync-components/", url.Values{"of": {"101"}, "dry_run": {"true"}}).Want(t, http.StatusOK)
	shows(t, step, "100 of 101 crates compared", "Components: 99 missing", `hx-trigger="load, submit"`, "Continue")
	if n := number(t, s, "SELECT count(*) FROM trial_slot"); n != 2 {
		t.Errorf("comparing has left %d slots, want 2", n)
	}
	step = b.post(t, all+"sync-components/", url.Values{"of": {"101"}}).Want(t, http.StatusOK)
	step = b.post(t, all+"sync-components/", hidden(step)).Want(t, http.StatusOK)
	shows(t, step, "101 of 101 crates compared", "Components: 100 added", "Done.",
		"Only those of the last 1 crate are listed.", `<th scope="col">Crate</th>`)
	hides(t, step, "Continue")
	if n := number(t, s, "SELECT count(*) FROM trial_slot"); n != 102 {
		t.Errorf("there are %d slots, want 102", n)
	}
	if page := string(b.get(t, all).Want(t, http.StatusOK).Raw); !strings.Contains(page, `sync-components/">Compare crates`) {
		t.Error("the page of the kit has no button")
	}
	s.User(t, "looks", apitest.Grant{Types: []string{"trial.kit", "trial.crate"}, Actions: []string{"view"}})
	looks := login(t, s, "looks")
	for _, path := range []string{one, all} {
		hides(t, looks.get(t, path).Want(t, http.StatusOK), "sync-components")
		looks.post(t, path+"sync-components/", url.Values{}).Want(t, http.StatusForbidden)
	}
}
