package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestImmutableOnPages checks that a field which can't change is asked for on creation, and shown in the form of a record.
func TestImmutableOnPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	create(t, s, "/api/trial/shelves/", obj{"name": "lower"})
	hides(t, b.get(t, "/trial/plugs/add/").Want(t, http.StatusOK), "readonly")
	b.post(t, "/trial/plugs/add/", url.Values{"name": {"a"}, "shelf": {"upper"}}).Want(t, http.StatusSeeOther)
	path := fmt.Sprintf("/trial/plugs/%d/", list(t, s, "/api/trial/plugs/").IDs()[0])
	form := b.get(t, path+"edit/").Want(t, http.StatusOK)
	shows(t, form, `value="upper" placeholder="" list="id_shelf_list" autocomplete="off" readonly`, "A plug stays on its shelf")
	b.post(t, path+"edit/", edited(t, b, path, "name", "b")).Want(t, http.StatusSeeOther)
	shows(t, b.post(t, path+"edit/", edited(t, b, path, "shelf", "lower")).Want(t, http.StatusBadRequest), "A plug stays on its shelf")
	id := fmt.Sprint(list(t, s, "/api/trial/plugs/").IDs()[0])
	b.paste(t, "/trial/plugs/import/", "id,name,shelf\n"+id+",c,upper\n", "import").Want(t, http.StatusSeeOther)
	shows(t, b.paste(t, "/trial/plugs/import/", "id,name,shelf\n"+id+",c,lower\n", "import").Want(t, http.StatusBadRequest), "A plug stays")
	if plug := api(t, s, path); plug["name"] != "c" || plug["shelf"].(obj)["name"] != "upper" {
		t.Errorf("the plug is %v", plug)
	}
}
