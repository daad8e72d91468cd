package pages_test

import (
	"net/http"
	"slices"
	"testing"

	"terrier/test/apitest"
)

// TestReferenceFilterTakesSeveralValues: the filter panel keeps each record that is chosen in a reference and takes one more. A record can
// be given by its name, and one that there isn't is refused. The address of a list has only the filters that are set.
func TestReferenceFilterTakesSeveralValues(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for _, slug := range []string{"lis1", "opo1", "fra1"} {
		site := create(t, s, "/api/dcim/sites/", obj{"name": "Site " + slug, "slug": slug})
		create(t, s, "/api/dcim/racks/", obj{"name": "R " + slug, "site": site})
	}
	list := b.get(t, "/dcim/racks/?site=lis1&site=Site+opo1").Want(t, http.StatusOK)
	if names := namesOf(list); !slices.Equal(names, []string{"R lis1 (Site lis1)", "R opo1 (Site opo1)"}) {
		t.Errorf("the racks of two sites are %q", names)
	}
	if chips := chipsOf(list); !slices.Equal(chips, []string{"Site is lis1 or Site opo1"}) {
		t.Errorf("the chips are %q", chips)
	}
	shows(t, list, `type="checkbox" name="site" value="lis1" checked`, `type="checkbox" name="site" value="Site opo1" checked`,
		`name="site" id="f_site" list="f_site_list"`)
	shows(t, b.get(t, "/dcim/racks/?site=lis2").Want(t, http.StatusBadRequest), "Did you mean", "lis1")
	apply := b.get(t, "/dcim/racks/?name__ic=&site=lis1&site=&status=&serial=&u_height__gte=").Want(t, http.StatusSeeOther)
	if to := apply.Header.Get("Location"); to != "/dcim/racks/?site=lis1" {
		t.Errorf("the form leads to %s", to)
	}
}
