package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestImportLabels: an import takes the labels of choices that people read on the pages.
func TestImportLabels(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	if got := note(t, b, b.paste(t, "/dcim/sites/import/", "name,slug,status\nLisbon 1,lis1,Planned\n", "import")); got != "Created 1 site." {
		t.Error(got)
	}
	if n := list(t, s, "/api/dcim/sites/?status=planned").Count; n != 1 {
		t.Errorf("%d sites are planned", n)
	}
}

// TestImportGroupsErrors: rows with the same error share a line, which has their number, the first of their lines, the record of the first
// with its owner, and what the field can be.
func TestImportGroupsErrors(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "R00", "site": site})
	var text strings.Builder
	text.WriteString("name,site,status\n")
	for i := range 50 {
		fmt.Fprintf(&text, "R%02d,Lisbon 1,Dreamt\n", i)
	}
	text.WriteString("R50,Nowhere,active\n")
	page := b.paste(t, "/dcim/racks/import/", text.String(), "check").Want(t, http.StatusBadRequest)
	shows(t, page, "<td>2, 3, 4, 5, 6 and 45 more</td>", `<th scope="row">R00 (Lisbon 1) and others</th>`,
		"50 rows: &#34;Dreamt&#34; is not a valid choice.", "Choices: reserved, available, planned, active, deprecated.",
		"<td>52</td>", `<th scope="row">R50 (Nowhere)</th>`, "<td>There is no site &#34;Nowhere&#34;")
	if n := strings.Count(string(page.Raw), "is not a valid choice"); n != 1 {
		t.Errorf("the error is there %d times", n)
	}
	page = b.paste(t, "/dcim/racks/import/", fmt.Sprintf("id,status\n%d,Dreamt\n", rack), "check").Want(t, http.StatusBadRequest)
	shows(t, page, fmt.Sprintf(`<a href="/dcim/racks/%d/">R00 (Lisbon 1)</a>`, rack))
}
