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

// TestAddMany: a range in the form of a new record makes several of them in one request, after they were shown.
func TestAddMany(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	shelf := create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	create(t, s, "/api/trial/ports/", obj{"name": "xe-0/0/2", "shelf": shelf})
	back := fmt.Sprintf("/trial/shelves/%d/", shelf)
	address := "/trial/ports/add/?" + url.Values{"shelf": {"upper"}, "next": {back}}.Encode()
	count := func() int64 {
		return s.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/", Token: s.Admin}).Page(t).Count
	}
	shows(t, b.get(t, address).Want(t, http.StatusOK), `value="upper"`, "Several at once: port[1-48]", `href="`+back+`">Cancel`)
	hides(t, b.get(t, "/trial/ports/1/edit/").Want(t, http.StatusOK), "Several at once")

	form := url.Values{"shelf": {"upper"}, "name": {"xe-0/0/[0-3]"}, "alias": {"up[a-d]"}, "width": {"19"}}
	refused := b.post(t, address, form).Want(t, http.StatusBadRequest)
	shows(t, refused, "What is wrong", `<th scope="row">xe-0/0/2</th>`, "must make a unique set", `value="xe-0/0/[0-3]"`)
	hides(t, refused, `<th scope="row">xe-0/0/1</th>`, "form.many")

	form.Set("name", "xe-0/1/[0-3]")
	form.Set("alias", "up[a-c]")
	shows(t, b.post(t, address, form).Want(t, http.StatusBadRequest), "This makes 3 values, and Name makes 4")
	form.Set("alias", "up[d-a]")
	shows(t, b.post(t, address, form).Want(t, http.StatusBadRequest), "[d-a] counts down")
	form.Set("alias", "up[a-d]")
	form.Set("width", "7")
	shows(t, b.post(t, address, form).Want(t, http.StatusBadRequest), "is not a valid choice")

	form.Set("width", "10")
	shown := b.post(t, address, form).Want(t, http.StatusOK)
	shows(t, shown, "Create 4 ports", "<td>4</td><td>xe-0/1/3</td><td>upd</td>", "Nothing is saved yet")
	if n := count(); n != 1 {
		t.Fatalf("there are %d ports before anybody confirmed, want 1", n)
	}
	for key, values := range hidden(shown) {
		form[key] = values
	}
	form.Set("name", "xe-0/2/[0-3]")
	shows(t, b.post(t, address, form).Want(t, http.StatusOK), "<td>xe-0/2/3</td>") // not what was shown: it is shown first
	form.Set("name", "xe-0/1/[0-3]")
	made := b.post(t, address, form).Want(t, http.StatusSeeOther)
	if to := made.Header.Get("Location"); to != back {
		t.Errorf("the form leads to %s, want %s", to, back)
	}
	ports := s.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/?name__isw=xe-0/1/", Token: s.Admin}).Page(t)
	var names []string
	for _, port := range ports.Results {
		names = append(names, fmt.Sprint(port["name"], "=", port["alias"]))
	}
	if got, want := strings.Join(names, " "), "xe-0/1/0=upa xe-0/1/1=upb xe-0/1/2=upc xe-0/1/3=upd"; got != want {
		t.Errorf("the ports are %s, want %s", got, want)
	}
	changes := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/object-changes/?changed_object_type=trial.port", Token: s.Admin}).Page(t)
	requests := map[any]bool{}
	for _, c := range changes.Results[:4] {
		requests[c["request_id"]] = true
	}
	if len(requests) != 1 {
		t.Errorf("four ports were created by %d requests, want 1", len(requests))
	}

	// A range of one is no text: it makes one record at once.
	form = url.Values{"shelf": {"upper"}, "name": {"xe-0/3/[5-5]"}, "alias": {"up[7-7]"}, "width": {"19"}}
	b.post(t, address, form).Want(t, http.StatusSeeOther)
	one := s.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/ports/?name=xe-0/3/5&alias=up7", Token: s.Admin}).Page(t)
	if one.Count != 1 {
		t.Errorf("[5-5] made %d ports with the number 5, want 1", one.Count)
	}

	// One more, without a range; and then another form with the same parent.
	again := url.Values{"shelf": {"upper"}, "name": {"mgmt[0]"}, "width": {"19"}, "again": {"true"}}
	added := b.post(t, address, again).Want(t, http.StatusSeeOther)
	if to := added.Header.Get("Location"); to != address {
		t.Errorf("another form is at %s, want %s", to, address)
	}
	if n := count(); n != 7 {
		t.Errorf("there are %d ports, want 7", n)
	}
	elsewhere := b.post(t, "/trial/ports/add/?next=//example.com/", url.Values{"shelf": {"upper"}, "name": {"p1"}, "width": {"19"}}).Want(t,
		http.StatusSeeOther)
	if to := elsewhere.Header.Get("Location"); !strings.HasPrefix(to, "/trial/ports/") {
		t.Errorf("the form leads to another site: %s", to)
	}
}
