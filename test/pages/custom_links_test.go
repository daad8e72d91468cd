package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestCustomLinks: the page of a record has the enabled links of its type, also for those who may not see custom links, in their order,
// with the groups as menus.
func TestCustomLinks(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "status": "planned"})
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "A1", "site": site})
	link := func(name, text, to string, more obj) {
		body := obj{"name": name, "content_types": []string{"dcim.site"}, "link_text": text, "link_url": to}
		for key, value := range more {
			body[key] = value
		}
		create(t, s, "/api/extras/custom-links/", body)
	}
	link("wiki", "Wiki of {{ object.name }}", "https://wiki.example/{{ object.name }}?s={{ object.status.value }}",
		obj{"new_window": true, "button_class": "teal", "weight": 200})
	link("first", "First", "/dcim/racks/?site_id={{ object.id }}", obj{"weight": 50})
	link("grouped 2", "Second of the group", "ssh://lis1", obj{"group_name": "Tools", "button_class": "red"})
	link("grouped 1", "First of the group", "/one", obj{"group_name": "Tools", "button_class": "purple", "weight": 1})
	link("disabled", "Never shown", "/x", obj{"enabled": false})
	link("empty", "{% if object.status.value == 'active' %}Never shown{% endif %}", "/x", nil)
	link("empty group", "", "/x", obj{"group_name": "Empty group", "link_text": "{{ object.nothing }}"})
	link("other type", "Never shown", "/x", obj{"content_types": []string{"dcim.rack"}})
	link("broken", "Never shown {{ 1 // 0 }}", "/x", nil)
	link("hostile text", `<img src=x onerror=alert(1)>"'`, `https://a.example/"><script>alert(1)</script>`, nil)
	link("hostile URL", "Hostile", "java{{ '' }}script:alert(document.cookie)", nil)
	link("hostile group", "X", "/x", obj{"group_name": "<script>alert(2)</script>"})

	s.User(t, "reader", apitest.Grant{Types: []string{"dcim.site", "extras.objectchange"}, Actions: []string{"view"}})
	path := fmt.Sprintf("/dcim/sites/%d/", site)
	for _, user := range []string{"admin", "reader"} {
		b := login(t, s, user)
		for _, address := range []string{path, path + "changelog/"} {
			page := b.get(t, address).Want(t, http.StatusOK)
			shows(t, page,
				`<a class="btn btn-sm custom-teal" href="https://wiki.example/Lisbon%201?s=planned" rel="noopener noreferrer" target="_blank">`+
					`Wiki of Lisbon 1 <small class="elsewhere">↗ <span class="visually-hidden">leads to another site: </span>wiki.example</small></a>`,
				fmt.Sprintf(`<a class="btn btn-sm btn-outline-secondary" href="/dcim/racks/?site_id=%d" rel="noopener noreferrer">First</a>`, site),
				`<summary class="btn btn-sm custom-purple">Tools</summary>`,
				`href="ssh://lis1" rel="noopener noreferrer">Second of the group <small class="elsewhere">`+
					`↗ <span class="visually-hidden">leads to another site: </span>lis1</small></a>`,
				`title="link text: line 1: `, ">broken<",
				"&lt;img src=x onerror=alert(1)&gt;", `href="https://a.example/%22%3E%3Cscript%3Ealert%281%29%3C/script%3E"`,
				`<span class="btn btn-sm btn-outline-secondary">Hostile</span>`,
				"&lt;script&gt;alert(2)&lt;/script&gt;</summary>")
			hides(t, page, "Never shown", "<img src=x", "<script>alert", "javascript:", "Empty group")
			text := string(page.Raw)
			if strings.Index(text, ">First</a>") > strings.Index(text, "Wiki of") ||
				strings.Index(text, "First of the") > strings.Index(text, "Second of the") {
				t.Error("the links are not in the order of their weights")
			}
		}
	}
	admin := login(t, s, "admin")
	hides(t, admin.get(t, "/dcim/sites/").Want(t, http.StatusOK), "Wiki of")
	shows(t, admin.get(t, fmt.Sprintf("/dcim/racks/%d/", rack)).Want(t, http.StatusOK), "Never shown</a>")
	hides(t, admin.get(t, fmt.Sprintf("/dcim/racks/%d/", rack)).Want(t, http.StatusOK), "Wiki of")
}
