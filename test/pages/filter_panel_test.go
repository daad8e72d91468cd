package pages_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

var (
	filterLabel = regexp.MustCompile(`<(?:label|legend) class="form-label"[^>]*>([^<]+)`)
	filterPart  = regexp.MustCompile(`<h2>([^<]+)</h2><div class="filter-grid">`)
)

// TestFilterPanels: in the filter panel of every type, no two inputs have the same label, and each is in a part with a heading. Labels of
// texts say whether they are compared or searched.
func TestFilterPanels(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for _, typ := range s.App.Registry.Types() {
		path := strings.TrimPrefix(typ.Path(), "/api")
		page := string(b.get(t, path).Want(t, http.StatusOK).Raw)
		_, panel, _ := strings.Cut(page, `class="drop-box filter-form"`)
		panel, _, _ = strings.Cut(panel, "</form>")
		var labels []string
		for _, m := range filterLabel.FindAllStringSubmatch(panel, -1) {
			label := strings.TrimSpace(m[1])
			if slices.Contains(labels, label) {
				t.Errorf("%s has two filters %q", path, label)
			}
			labels = append(labels, label)
		}
		if first, _, _ := strings.Cut(panel, `<div class="filter-grid">`); len(labels) > 0 && !strings.Contains(first, "<h2>") {
			t.Errorf("the filters of %s begin without a heading", path)
		}
	}
	page := b.get(t, "/dcim/devices/").Want(t, http.StatusOK)
	shows(t, page, ">Name contains</label>", ">Name is</label>", ">Serial contains</label>", ">Serial is</label>", ">Device role</label>",
		">MAC address is</label>")
	hides(t, page, ">Role is</label>", ">Model is</label>")
	var parts []string
	for _, m := range filterPart.FindAllStringSubmatch(string(page.Raw), -1) {
		parts = append(parts, m[1])
	}
	if len(parts) < 4 || parts[0] != "Device" || !slices.Contains(parts, "Through other records") || !slices.Contains(parts, "Times") {
		t.Errorf("the parts are %q", parts)
	}
}

// TestPrefixTreeIsNotSorted: the list of prefixes is a tree, so no column says that it is sorted by it, until somebody sorts.
func TestPrefixTreeIsNotSorted(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/8"})
	hides(t, b.get(t, "/ipam/prefixes/").Want(t, http.StatusOK), "aria-sort")
	shows(t, b.get(t, "/ipam/prefixes/?ordering=vrf").Want(t, http.StatusOK), `aria-sort="ascending"`)
}

// TestInterfacesAreNamedApart: what is related to a VLAN says which interfaces are those of virtual machines.
func TestInterfacesAreNamedApart(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/ipam/vlans/", obj{"vid": 10, "name": "voice"})
	shows(t, b.get(t, "/ipam/vlans/1/").Want(t, http.StatusOK), ">Interfaces (untagged VLAN)<", ">VM interfaces (untagged VLAN)<",
		">Interfaces (tagged VLANs)<", ">VM interfaces (tagged VLANs)<")
}
