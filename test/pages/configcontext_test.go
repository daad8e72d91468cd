package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestConfigContextTab: the tab shows what the contexts of a device come to and which one has added what, in their order. Callers who may
// see only some contexts see how many others there are. The page that deletes what a context selects says what that means.
func TestConfigContextTab(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	named := func(path, name string, more obj) int64 {
		body := obj{"name": name, "slug": strings.ToLower(name)}
		for key, value := range more {
			body[key] = value
		}
		return create(t, s, path, body)
	}
	site, platform := named("/api/dcim/sites/", "Lisbon", nil), named("/api/dcim/platforms/", "Unused", nil)
	model := create(t, s, "/api/dcim/device-types/", obj{"model": "m", "slug": "m",
		"manufacturer": named("/api/dcim/manufacturers/", "Maker", nil)})
	device := create(t, s, "/api/dcim/devices/", obj{"name": "leaf", "device_type": model, "site": site,
		"device_role": named("/api/dcim/device-roles/", "Role", nil), "local_context_data": obj{"own": "of the device"}})
	const contexts = "/api/extras/config-contexts/"
	create(t, s, contexts, obj{"name": "Second context", "weight": 2000, "data": obj{"a": "two"}, "sites": []int64{site}})
	create(t, s, contexts, obj{"name": "First context", "weight": 77, "data": obj{"a": "one", "b": "bee"}})
	create(t, s, contexts, obj{"name": "Elsewhere", "data": obj{"c": 1}, "platforms": []int64{platform}})

	b := login(t, s, "admin")
	path := fmt.Sprintf("/dcim/devices/%d/", device)
	shows(t, b.get(t, path).Want(t, http.StatusOK), "config-context/")
	page := b.get(t, path+"config-context/").Want(t, http.StatusOK)
	shows(t, page, "First context", "Weight 77", "Second context", "Weight 2000", "of the device", "Overrides all others")
	hides(t, page, "Elsewhere", "you may not see")
	text := string(page.Raw)
	if result, _, _ := strings.Cut(text, "Where it comes from"); !strings.Contains(result, "two") || strings.Contains(result, "one&#34;") {
		t.Error("the result is not that of the later context")
	}
	if strings.Index(text, "First context") > strings.Index(text, "Second context") {
		t.Error("the contexts are not in their order")
	}

	deletion := b.get(t, fmt.Sprintf("/dcim/platforms/%d/delete/", platform)).Want(t, http.StatusOK)
	shows(t, deletion, "Elsewhere", "will apply to more than before")

	s.User(t, "some", apitest.Grant{Types: []string{"dcim.device"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"extras.configcontext"}, Actions: []string{"view"}, Constraints: obj{"name": "First context"}})
	page = login(t, s, "some").get(t, path+"config-context/").Want(t, http.StatusOK)
	shows(t, page, "First context", "two", "1 more that you may not see adds to it")
	hides(t, page, "Second context")

	s.User(t, "none", apitest.Grant{Types: []string{"dcim.device"}, Actions: []string{"view"}})
	page = login(t, s, "none").get(t, path+"config-context/").Want(t, http.StatusOK)
	shows(t, page, "two", "2 more that you may not see add to it")
	hides(t, page, "First context", "Second context")
}
