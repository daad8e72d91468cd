package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

func vlanGroupRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.refused(t, "max_vid", "vlangroup", "min_vid", 20, "max_vid", 19)
			group := h.make(t, "vlangroup", "min_vid", 20, "max_vid", 20)
			h.unset(t, "max_vid", "vlangroup", group, "min_vid", 21)
		},
		2: vlanGroupScopes,
		3: func(t *testing.T, h *hardware) {
			one, two := h.make(t, "site"), h.make(t, "site")
			scoped := func(site int64, more ...any) []any {
				return append([]any{"scope_type", "dcim.site", "scope_id", site}, more...)
			}
			h.make(t, "vlangroup", scoped(one, "name", "A", "slug", "a")...)
			h.refused(t, "scope_type", "vlangroup", scoped(one, "name", "A")...)
			h.refused(t, "scope_type", "vlangroup", scoped(one, "slug", "a")...)
			h.make(t, "vlangroup", scoped(two, "name", "A", "slug", "a")...)
			h.make(t, "vlangroup", "name", "A", "slug", "a")
			h.make(t, "vlangroup", "name", "A", "slug", "a")
		},
		4: func(t *testing.T, h *hardware) {
			group := h.make(t, "vlangroup")
			vlan := h.make(t, "vlan", "group", group, "vid", 100)
			h.set(t, "vlangroup", group, "min_vid", 200)
			h.unset(t, "vid", "vlan", vlan, "description", "as it was")
			h.set(t, "vlan", vlan, "vid", 200)
		},
		5: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			group := h.make(t, "vlangroup", "scope_type", "dcim.site", "scope_id", site)
			vlan := h.make(t, "vlan", "group", group)
			h.held(t, "vlangroup", group)
			h.held(t, "site", site)
			h.remove(t, "vlan", vlan)
			h.remove(t, "site", site)
			h.gone(t, "vlangroup", group)
		},
		7: func(t *testing.T, h *hardware) {
			group := h.make(t, "vlangroup", "max_vid", 8)
			vlan := h.made(t, "vlan", "group", group, "vid", 2)
			h.briefCounts(t, "vlangroup", group, nestedIn(vlan, "group"), obj{"vlan_count": 1.0})
			want(t, "utilization", h.read(t, "vlangroup", group)["utilization"], any("12.5"))
		},
	}
}

// vlanGroupScopes gives groups each kind of scope.
func vlanGroupScopes(t *testing.T, h *hardware) {
	site := h.make(t, "site")
	scopes := map[string]int64{
		"dcim.region": h.make(t, "region"), "dcim.sitegroup": h.make(t, "sitegroup"), "dcim.site": site,
		"dcim.location": h.make(t, "location", "site", site), "dcim.rack": h.make(t, "rack", "site", site),
		"virtualization.clustergroup": h.make(t, "clustergroup"), "virtualization.cluster": h.make(t, "cluster"),
	}
	for typ, id := range scopes {
		group := h.made(t, "vlangroup", "scope_type", typ, "scope_id", id)
		want(t, "scope_type", group["scope_type"], any(typ))
		want(t, "scope_id", group["scope_id"], any(float64(id)))
		wantRef(t, group, "scope", id)
		filter := typ[len("dcim."):]
		if typ[0] == 'v' {
			filter = typ[len("virtualization."):]
		}
		for _, query := range []string{fmt.Sprintf("%s=%d", filter, id), fmt.Sprintf("scope_type=%s&scope_id=%d", typ, id)} {
			found := h.find(t, "vlangroup", "%s", query)
			if len(found) != 1 || apitest.ID(found[0]) != apitest.ID(group) {
				t.Errorf("%s finds %v", query, found)
			}
		}
		cleared := h.set(t, "vlangroup", apitest.ID(group), "scope_type", nil, "scope_id", nil)
		want(t, "scope", cleared["scope"], nil)
	}
	h.refused(t, "scope_id", "vlangroup", "scope_type", "dcim.site")
	h.refused(t, "scope_type", "vlangroup", "scope_id", site)
	h.refused(t, "scope_type", "vlangroup", "scope_type", "dcim.device", "scope_id", 1)
}

func vlanRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			site, one, two := h.make(t, "site"), h.make(t, "vlangroup"), h.make(t, "vlangroup")
			h.make(t, "vlan", "site", site, "vid", 7, "name", "A")
			h.make(t, "vlan", "site", site, "vid", 7, "name", "A")
			h.make(t, "vlan", "vid", 7, "name", "A")
			h.make(t, "vlan", "group", one, "vid", 7, "name", "A")
			h.make(t, "vlan", "group", two, "vid", 7, "name", "A")
			h.refused(t, "group", "vlan", "group", one, "vid", 7)
			h.refused(t, "group", "vlan", "group", one, "name", "A")
		},
		2: func(t *testing.T, h *hardware) {
			group := h.make(t, "vlangroup", "min_vid", 10, "max_vid", 20)
			h.refused(t, "vid", "vlan", "group", group, "vid", 9)
			h.refused(t, "vid", "vlan", "group", group, "vid", 21)
			vlan := h.make(t, "vlan", "group", group, "vid", 10)
			h.unset(t, "vid", "vlan", vlan, "vid", 21)
			h.set(t, "vlan", vlan, "vid", 20)
			h.refused(t, "vid", "vlan", "vid", 4095)
			free := h.make(t, "vlan", "vid", 21)
			h.unset(t, "vid", "vlan", free, "group", group)
			// In a bulk the error has its position.
			a := h.do(t, http.MethodPost, h.list("vlan"), []obj{h.body(t, "vlan", "group", group, "vid", 11),
				h.body(t, "vlan", "group", group, "vid", 30)}).Want(t, http.StatusBadRequest)
			if errs := a.List(t); len(errs) != 2 || len(errs[0]) != 0 || errs[1]["vid"] == nil {
				t.Errorf("errors of a bulk: %v", errs)
			}
		},
		3: func(t *testing.T, h *hardware) {
			here, there := h.make(t, "site"), h.make(t, "site")
			unscoped := h.make(t, "vlangroup")
			scoped := h.make(t, "vlangroup", "scope_type", "dcim.site", "scope_id", here)
			region := h.make(t, "vlangroup", "scope_type", "dcim.region", "scope_id", h.make(t, "region"))
			h.refused(t, "group", "vlan", "group", unscoped, "site", here)
			h.refused(t, "group", "vlan", "group", region, "site", here)
			h.refused(t, "group", "vlan", "group", scoped, "site", there)
			vlan := h.make(t, "vlan", "group", scoped, "site", here)
			h.unset(t, "group", "vlan", vlan, "site", there)
			h.set(t, "vlan", vlan, "site", nil)
		},
		4: func(t *testing.T, h *hardware) {
			want(t, "group", h.made(t, "vlan")["group"], nil)
			group := h.make(t, "vlangroup")
			vlan := h.make(t, "vlan", "group", group)
			wantRef(t, h.set(t, "vlan", vlan, "description", "kept"), "group", group)
		},
		5: func(t *testing.T, h *hardware) {
			want(t, "display", h.made(t, "vlan", "name", "Voice", "vid", 12)["display"], any("Voice (12)"))
		},
		6: vlanDeletion,
		7: func(t *testing.T, h *hardware) {
			vlan := h.make(t, "vlan", "name", "Quarantine", "description", "for the unclean", "vid", 3911)
			for _, q := range []string{"aranti", "nclea", "3911"} {
				if found := h.find(t, "vlan", "q=%s", q); len(found) != 1 || apitest.ID(found[0]) != vlan {
					t.Errorf("q=%s finds %v", q, found)
				}
			}
			if found := h.find(t, "vlan", "q=391"); len(found) != 0 {
				t.Errorf("a part of the number finds %v", found)
			}
		},
		8: func(t *testing.T, h *hardware) {
			first, second := h.make(t, "site"), h.make(t, "site")
			one, two := h.make(t, "vlangroup"), h.make(t, "vlangroup")
			of := h.make(t, "tenancy.tenant")
			h.make(t, "vlan", "name", "7", "vid", 1, "tenant", of)
			h.make(t, "vlan", "name", "6", "group", two, "vid", 1, "tenant", of)
			h.make(t, "vlan", "name", "5", "group", one, "vid", 2, "tenant", of)
			h.make(t, "vlan", "name", "4", "group", one, "vid", 1, "tenant", of)
			h.make(t, "vlan", "name", "3", "site", second, "vid", 1, "tenant", of)
			h.make(t, "vlan", "name", "2", "site", first, "vid", 2, "tenant", of)
			h.make(t, "vlan", "name", "1", "site", first, "vid", 1, "tenant", of)
			want(t, "order", names(h.find(t, "vlan", "tenant_id=%d", of), "name"), "1 2 3 4 5 6 7")
		},
	}
}

// vlanDeletion deletes VLANs that others refer to.
func vlanDeletion(t *testing.T, h *hardware) {
	vlan := h.make(t, "vlan")
	prefix := h.make(t, "prefix", "prefix", "10.1.0.0/16", "vlan", vlan)
	h.held(t, "vlan", vlan)
	h.remove(t, "prefix", prefix)
	termination := h.make(t, "l2vpntermination", "assigned_object_id", vlan)
	wantRef(t, h.read(t, "vlan", vlan), "l2vpn_termination", termination)
	h.remove(t, "vlan", vlan)
	h.gone(t, "l2vpntermination", termination)
}
