package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestConstraintHidesEntriesOfHiddenParents: a journal entry and an image name their record to everybody who may see them. The constraints
// of docs/permissions.md leave only those of the records that the caller may see.
func TestConstraintHidesEntriesOfHiddenParents(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	shown := create(t, s, "/api/dcim/sites/", obj{"name": "Shown site", "slug": "shown"})
	hidden := create(t, s, "/api/dcim/sites/", obj{"name": "Hidden site", "slug": "hidden"})
	for _, site := range []int64{shown, hidden} {
		create(t, s, "/api/extras/journal-entries/", obj{"assigned_object_type": "dcim.site", "assigned_object_id": site,
			"comments": fmt.Sprint("entry of ", site)})
	}
	sites := apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: obj{"id": shown}}
	entries := apitest.Grant{Types: []string{"extras.journalentry"}, Actions: []string{"view"}}
	s.User(t, "wide", sites, entries)
	const path = "/extras/journal-entries/"
	shows(t, login(t, s, "wide").get(t, path).Want(t, http.StatusOK), "Shown site", "Hidden site")

	entries.Constraints = obj{"assigned_object_type": "dcim.site", "assigned_object_id": []int64{shown}}
	images := apitest.Grant{Types: []string{"extras.imageattachment"}, Actions: []string{"view"},
		Constraints: obj{"content_type": "dcim.site", "object_id": []int64{shown}}}
	s.User(t, "narrow", sites, entries, images)
	b := login(t, s, "narrow")
	page := b.get(t, path).Want(t, http.StatusOK)
	shows(t, page, "Shown site")
	hides(t, page, "Hidden site")
	b.get(t, "/extras/image-attachments/").Want(t, http.StatusOK)
}
