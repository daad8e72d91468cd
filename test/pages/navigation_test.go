package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestNavigationFolds checks which sections of the navigation are open: the one of the page, and those that the caller opened.
func TestNavigationFolds(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	open := func(path, cookie string) string {
		page := b.get(t, path, "Cookie", b.cookie+"; terrier_nav="+cookie).Want(t, http.StatusOK)
		var names []string
		for part := range strings.SplitSeq(string(page.Raw), "<details data-group=\"") {
			if name, rest, _ := strings.Cut(part, `"`); strings.Contains(strings.SplitN(rest, ">", 2)[0], " open") {
				names = append(names, name)
			}
		}
		return strings.Join(names, ", ")
	}
	for _, c := range []struct{ path, cookie, want string }{
		{"/", "", ""},
		{"/dcim/sites/", "", "Organization"},
		{"/dcim/rack-roles/add/", "", "Racks"},
		{"/system/tasks/", "", "System"},
		{"/dcim/sites/", "racks.!organization", "Organization, Racks"}, // that of the page is open in any case
		{"/", "racks.!organization.nonsense", "Racks"},
	} {
		if got := open(c.path, c.cookie); got != c.want {
			t.Errorf("%s with the cookie %q opens %q, want %q", c.path, c.cookie, got, c.want)
		}
	}

	// With few kinds there is nothing to fold or to search.
	s.User(t, "few", apitest.Grant{Types: []string{"dcim.site", "dcim.rackrole"}, Actions: []string{"view"}})
	b = login(t, s, "few")
	shows(t, b.get(t, "/").Want(t, http.StatusOK), "Racks")
	hides(t, b.get(t, "/").Want(t, http.StatusOK), "data-narrows")
	if got, want := open("/", ""), "Organization, Racks"; got != want {
		t.Errorf("a caller who sees two kinds has %q open, want %q", got, want)
	}
	if got, want := open("/", "!racks"), "Organization"; got != want {
		t.Errorf("a caller who closed a section has %q open, want %q", got, want)
	}
}
