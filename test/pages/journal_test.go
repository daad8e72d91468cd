package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestJournal: each record of a type with a journal has a tab with its entries, the newest first, and adds one about itself.
func TestJournal(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	other := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 2", "slug": "lis2"})
	entry := func(of int64, comments string) {
		create(t, s, "/api/extras/journal-entries/", obj{"assigned_object_type": "dcim.site", "assigned_object_id": of, "comments": comments,
			"kind": "warning"})
	}
	entry(site, "Power is *out*.\n<script>alert(1)</script>")
	entry(site, "Power is back.")
	entry(other, "Not about this site.")
	path := fmt.Sprintf("/dcim/sites/%d/", site)

	shows(t, b.get(t, path).Want(t, http.StatusOK), `href="`+path+`journal/">Journal <span class="badge text-bg-secondary">2</span></a>`)
	tab := b.get(t, path+"journal/").Want(t, http.StatusOK)
	shows(t, tab, "Created</th>", "Kind</th>", "Created by</th>", "Comments</th>", `<span class="badge state-warning">Warning</span>`,
		`<a href="/users/users/1/">admin</a>`, "Power is *out*.\n&lt;script&gt;alert(1)&lt;/script&gt;")
	hides(t, tab, "<script>alert", "Not about this site", "Assigned object</th>")
	if text := string(tab.Raw); strings.Index(text, "Power is back") > strings.Index(text, "Power is *out*") {
		t.Error("the newest entry is not the first one")
	}
	add := fmt.Sprintf(`/extras/journal-entries/add/?assigned_object_id=%d&assigned_object_type=dcim.site&next=%s`, site,
		url.QueryEscape(path+"journal/"))
	shows(t, tab, `href="`+strings.ReplaceAll(add, "&", "&amp;")+`"`)

	form := b.get(t, add).Want(t, http.StatusOK)
	shows(t, form, `<option value="dcim.site" selected>`, fmt.Sprintf(`name="assigned_object_id" id="id_assigned_object_id" value="%d"`, site))
	hides(t, form, `name="created_by"`)
	made := b.post(t, add, url.Values{"assigned_object_type": {"dcim.site"}, "assigned_object_id": {fmt.Sprint(site)}, "kind": {"info"},
		"comments": {"From the form."}}).Want(t, http.StatusSeeOther)
	if to := made.Header.Get("Location"); to != path+"journal/" {
		t.Errorf("the form leads to %s, want %sjournal/", to, path)
	}
	shows(t, b.get(t, path+"journal/").Want(t, http.StatusOK), "From the form.", "1–3 of 3")
	page := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/journal-entries/?ordering=-id&limit=1", Token: s.Admin}).Page(t)
	if author := page.Results[0]["created_by"]; author != 1.0 {
		t.Errorf("the form makes %v the author, want who sent it", author)
	}
	b.get(t, fmt.Sprintf("/extras/journal-entries/%d/journal/", apitest.ID(page.Results[0]))).Want(t, http.StatusNotFound)
	b.get(t, "/extras/tags/1/journal/").Want(t, http.StatusNotFound)

	s.User(t, "reader", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	reader := login(t, s, "reader")
	hides(t, reader.get(t, path).Want(t, http.StatusOK), "Journal")
	reader.get(t, path+"journal/").Want(t, http.StatusForbidden)
}
