package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestForbiddenAddress: a webhook whose address the egress policy forbids can be saved, and whatever the setting, its page, its form and
// its preview say that nothing will be sent, and so does the page that follows when it is saved. A preview and what is saved look up names
// too, except while somebody is typing the address.
func TestForbiddenAddress(t *testing.T) {
	t.Parallel()
	const warning = "The egress policy forbids this address"
	type says struct{ form, preview bool }
	for allow, hooks := range map[string]map[string]says{
		"none":    {"http://10.1.2.3/": {true, true}, "http://localhost:9/": {true, true}, "https://9.9.9.9/": {}, "https://name.invalid/x": {}},
		"private": {"http://10.1.2.3/": {}, "http://[::1]:9/": {true, true}},
		"":        {"http://10.1.2.3/": {}, "http://localhost:9/": {true, true}, "http://169.254.169.254/": {true, true}},
	} {
		t.Run(allow, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, func(c *app.Config) { c.EgressAllow = allow })
			b := login(t, s, "admin")
			create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
			for url, want := range hooks {
				path := fmt.Sprintf("/extras/webhooks/%d/", create(t, s, "/api/extras/webhooks/",
					obj{"name": url, "content_types": []string{"dcim.site"}, "type_create": true, "payload_url": url}))
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
				said := note(t, b, b.post(t, path+"edit/", edited(t, b, path, "name", "saved "+url)))
				if !strings.HasPrefix(said, "Saved webhook ") || strings.Contains(said, warning) != want.preview {
					t.Errorf("%q %s: when it was saved, the page says %q", allow, url, said)
				}
			}
		})
	}
}
