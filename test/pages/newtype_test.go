package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/internal/record"
	"terrier/test/apitest"
)

// TestNewType: a record type that is declared in one file has all its pages at once.
func TestNewType(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(c *app.Config) { c.Types = []record.Type{cable} })
	if _, err := s.DB.Exec(t.Context(), cableTable); err != nil {
		t.Fatal(err)
	}
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	create(t, s, "/api/extras/tags/", obj{"name": "core", "slug": "core"})
	create(t, s, "/api/extras/custom-fields/", obj{"name": "colour_code", "content_types": []string{"dcim.cable"}, "label": "Colour code"})
	b := login(t, s, "admin")

	// The navigation and the empty list.
	shows(t, b.get(t, "/").Want(t, http.StatusOK), "Connections", "/dcim/cables/")
	shows(t, b.get(t, "/dcim/cables/").Want(t, http.StatusOK), "There are no Cables yet", "A cable between two places.")

	// The form: every widget, field errors, saving.
	shows(t, b.get(t, "/dcim/cables/add/").Want(t, http.StatusOK), `name="label"`, "Fibre", "/dcim/sites/choices/", "In metres.",
		`name="shielded"`, "Colour code")
	refused := b.post(t, "/dcim/cables/add/", url.Values{"label": {"A1"}, "kind": {"string"}, "length": {"long"}}).
		Want(t, http.StatusBadRequest)
	shows(t, refused, "is not a valid choice", "A valid integer is required", `value="A1"`)
	made := b.post(t, "/dcim/cables/add/", url.Values{"label": {"A1"}, "kind": {"fibre"}, "site": {"Lisbon 1"}, "length": {"12"},
		"shielded": {"true"}, "tags": {"core"}, "cf_colour_code": {"blue"}}).Want(t, http.StatusSeeOther)
	path := made.Header.Get("Location")

	// The record, the list and its tools, what refers to the site.
	shows(t, b.get(t, path).Want(t, http.StatusOK), "A1", "Fibre", "Lisbon 1", "12", "core", "blue", path+"edit/", path+"delete/",
		path+"changelog/")
	shows(t, b.get(t, "/dcim/cables/?kind=fibre&ordering=-length").Want(t, http.StatusOK), "A1", "Kind is fibre", "1–1 of 1")
	shows(t, b.get(t, "/dcim/cables/?q=zzz").Want(t, http.StatusOK), "Nothing matches")
	shows(t, b.get(t, "/dcim/sites/1/").Want(t, http.StatusOK), "/dcim/cables/?site_id=1")
	shows(t, b.get(t, "/search/?q=A1").Want(t, http.StatusOK), path)

	// Changing it, and the change log.
	b.post(t, path+"edit/", url.Values{"label": {"A1"}, "kind": {"copper"}, "length": {"15"}, "version": {"1"}}).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, path+"changelog/").Want(t, http.StatusOK), "<del>fibre</del>", "<ins>copper</ins>", "<del>12</del>", "<ins>15</ins>")

	// Export, and import of more.
	csv := b.get(t, "/dcim/cables/export/?format=csv").Want(t, http.StatusOK)
	shows(t, csv, "label", "A1", "copper", "15")
	for format, text := range map[string]string{"csv": "label,kind,site\nB1,fibre,lis1\n", "json": `[{"label": "B2"}]`,
		"yaml": "- label: B3\n  kind: copper\n"} {
		b.post(t, "/dcim/cables/import/", url.Values{"format": {format}, "text": {text}, "mode": {"import"}})
	}
	list := b.get(t, "/dcim/cables/").Want(t, http.StatusOK)
	shows(t, list, "A1", "B1", "B2", "B3", "1–4 of 4")

	// Bulk, deletion, and the API behind it all.
	asked := b.post(t, "/dcim/cables/delete/", url.Values{"all": {"true"}, "query": {"label__isw=B"}}).Want(t, http.StatusOK)
	shows(t, asked, "B1", "B2", "B3")
	b.post(t, "/dcim/cables/delete/", hidden(asked)).Want(t, http.StatusSeeOther)
	b.post(t, path+"delete/", url.Values{}).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, "/dcim/cables/").Want(t, http.StatusOK), "There are no Cables yet")
	if a := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/object-changes/?changed_object_type=dcim.cable",
		Token: s.Admin}).Page(t); a.Count != 9 {
		t.Errorf("%d changes are logged, want 9: 4 made, 1 changed, 4 deleted", a.Count)
	}
	if !strings.Contains(string(s.Do(t, apitest.Call{Method: "GET", Path: "/api/schema/"}).Raw), `"/api/dcim/cables/"`) {
		t.Error("the API document does not name the type")
	}
}
