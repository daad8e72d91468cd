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

// TestAnyRefPages walks a record that refers to records of several types through its pages: the form asks for the type and
// offers records of it, the record and its list lead to what it refers to, and that leads back.
func TestAnyRefPages(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	const page = "/trial/stickers/"
	shelf := create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lisbon"})
	shows(t, b.get(t, page+"add/").Want(t, http.StatusOK), `<option value="trial.shelf">Shelf</option>`,
		`<option value="">—</option><option value="dcim.region">Region</option>`,
		`hx-get="/trial/stickers/choices/?for=scope"`, `data-of="id_scope_type"`, `data-of="id_content_type"`)
	shows(t, b.get(t, page+"choices/?for=scope&of=dcim.site&typed=lis").Want(t, http.StatusOK),
		fmt.Sprintf(`<option value="%d">Lisbon</option>`, site))
	s.User(t, "few", apitest.Grant{Types: []string{"trial.sticker"}, Actions: []string{"view", "add"}})
	for query, who := range map[string]browser{"for=scope&of=tenancy.tenant": b, "for=scope": b, "for=name&of=dcim.site": b,
		"for=nothing&of=dcim.site": b, "for=scope&of=dcim.site": login(t, s, "few")} {
		if a := who.get(t, page+"choices/?"+query).Want(t, http.StatusOK); strings.Contains(string(a.Raw), "<option") {
			t.Errorf("%s offers %s", query, a.Raw)
		}
	}
	form := url.Values{"name": {"red"}, "stuck_on_type": {"trial.shelf"}, "stuck_on_id": {fmt.Sprint(shelf)}, "scope_type": {"dcim.site"}}
	shows(t, b.post(t, page+"add/", form).Want(t, http.StatusBadRequest), "scope_type and scope_id go together: give both, or null for both.")
	form.Set("scope_id", fmt.Sprint(site))
	path := b.post(t, page+"add/", form).Want(t, http.StatusSeeOther).Header.Get("Location")
	record := b.get(t, path).Want(t, http.StatusOK)
	shows(t, record, fmt.Sprintf(`<a href="/dcim/sites/%d/">Lisbon</a>`, site), fmt.Sprintf(`<a href="/trial/shelves/%d/">upper</a>`, shelf))
	hides(t, record, "Scope id", "Scope type", "Object id")
	listed := b.get(t, page).Want(t, http.StatusOK)
	shows(t, listed, fmt.Sprintf(`<a href="/dcim/sites/%d/">Lisbon</a>`, site))
	shows(t, b.get(t, fmt.Sprintf("/dcim/sites/%d/", site)).Want(t, http.StatusOK),
		fmt.Sprintf("/trial/stickers/?scope_id=%d&amp;scope_type=dcim.site", site), "Stickers (scope)")
	shows(t, b.get(t, fmt.Sprintf("/trial/shelves/%d/delete/", shelf)).Want(t, http.StatusOK), "red", "deleted too")
	shows(t, b.get(t, fmt.Sprintf("/dcim/sites/%d/delete/", site)).Want(t, http.StatusOK), "red", "loses its reference")

	edit := b.get(t, path+"edit/").Want(t, http.StatusOK).Form(t)
	edit.Set("scope_type", "trial.shelf")
	edit.Set("scope_id", fmt.Sprint(shelf))
	b.post(t, path+"edit/", edit).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, path+"changelog/").Want(t, http.StatusOK), "<del>dcim.site</del>", "<ins>trial.shelf</ins>")
	edit = b.get(t, path+"edit/").Want(t, http.StatusOK).Form(t)
	edit.Set("scope_type", "")
	edit.Set("scope_id", "")
	b.post(t, path+"edit/", edit).Want(t, http.StatusSeeOther)
}

// TestAnyRefInFiles takes records that refer to records of several types out and in again, in every format.
func TestAnyRefInFiles(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	const page, api = "/trial/stickers/", "/api/trial/stickers/"
	shelf := create(t, s, "/api/trial/shelves/", obj{"name": "upper"})
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lisbon"})
	create(t, s, api, obj{"name": "red", "stuck_on_type": "trial.shelf", "stuck_on_id": shelf, "scope_type": "dcim.site", "scope_id": site})
	create(t, s, api, obj{"name": "blue", "stuck_on_type": "trial.shelf", "stuck_on_id": shelf})
	want := state(t, s, api)
	for _, format := range []string{"csv", "json", "yaml"} {
		file := string(b.get(t, page+"export/?format="+format).Want(t, http.StatusOK).Raw)
		shows(t, b.paste(t, page+"import/", file, "check").Want(t, http.StatusOK), "</strong> 0 stickers would be updated")
		all := hidden(b.post(t, page+"delete/", url.Values{"all": {"true"}}).Want(t, http.StatusOK))
		b.post(t, page+"delete/", all).Want(t, http.StatusSeeOther)
		if got := note(t, b, b.paste(t, page+"import/", withoutIDs(t, format, file), "import")); got != "Created 2 stickers." {
			t.Errorf("%s: %s", format, got)
		}
		if got := state(t, s, api); got != want {
			t.Errorf("%s came back as\n%s\nwant\n%s", format, got, want)
		}
	}
	refused := b.paste(t, page+"import/", fmt.Sprintf("name,stuck_on_type,stuck_on_id,scope_type\ngreen,trial.shelf,%d,dcim.site\n",
		shelf), "check")
	shows(t, refused, "scope_type and scope_id go together")
}
