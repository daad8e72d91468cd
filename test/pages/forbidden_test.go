package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestForbiddenAddress: a webhook whose address the egress policy forbids can be saved, and its page, its form and its preview say that
// nothing will be sent. A preview looks up names too, except while somebody is typing the address.
func TestForbiddenAddress(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	const warning = "The egress policy forbids this address"
	for url, want := range map[string]struct{ form, preview bool }{
		"http://10.1.2.3/":       {true, true},
		"http://localhost:9/":    {false, true},
		"https://9.9.9.9/":       {},
		"https://name.invalid/x": {},
	} {
		path := fmt.Sprintf("/extras/webhooks/%d/", create(t, s, "/api/extras/webhooks/", obj{"name": url, "content_types": []string{"dcim.site"},
			"type_create": true, "payload_url": url}))
		says := func(a apitest.Answer, warns bool) {
			t.Helper()
			if a.Want(t, http.StatusOK); warns {
				shows(t, a, warning)
			} else {
				hides(t, a, warning)
			}
		}
		says(b.get(t, path), want.form)
		says(b.get(t, path+"edit/"), want.form)
		says(b.post(t, path+"preview/", edited(t, b, path), live("webhook-preview")...), want.preview)
		says(b.post(t, path+"preview/", edited(t, b, path, "typing", "name"), live("webhook-preview")...), want.preview)
		says(b.post(t, path+"preview/", edited(t, b, path, "typing", "payload_url"), live("webhook-preview")...), want.form)
	}
}
