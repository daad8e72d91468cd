package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func customLinkRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			want(t, "button_class", h.made(t, "customlink")["button_class"], any("outline-dark"))
			want(t, "button_class", h.made(t, "customlink", "button_class", "teal")["button_class"], any("teal"))
			h.refused(t, "button_class", "customlink", "button_class", "fuchsia")
		},
		5: func(t *testing.T, h *hardware) {
			allowed := append(h.listedTypes(t, "journalentry"), "extras.journalentry")
			link := h.made(t, "customlink", "content_types", allowed)
			want(t, "content_types", len(link["content_types"].([]any)), len(allowed))
			want(t, "by type", names(h.find(t, "customlink", "content_types=extras.journalentry"), "id"), fmt.Sprint(link["id"]))
			number := h.s.App.Registry.Type("extras.journalentry").ContentTypeID()
			want(t, "by the number of the type", names(h.find(t, "customlink", "content_type_id=%d", number), "id"), fmt.Sprint(link["id"]))
			for _, typ := range h.s.App.Registry.Types() {
				if !slices.Contains(allowed, typ.Key()) {
					h.refused(t, "content_types", "customlink", "content_types", []string{typ.Key()})
				}
			}
		},
		6: func(t *testing.T, h *hardware) {
			lacksKeys(t, h.made(t, "customlink", "tags", []int{}, "custom_fields", obj{}), "tags", "custom_fields")
			for _, query := range []string{"tag=x", "cf_x=1"} {
				h.get(t, h.list("customlink")+"?"+query).Want(t, http.StatusBadRequest)
			}
			wantKeys(t, "brief", h.first(t, "customlink", "brief=1"), "id", "url", "display", "name")
			order := strings.Fields(names(h.find(t, "customlink", ""), "group_name"))
			if !slices.IsSorted(order) {
				t.Errorf("custom links are in the order of the groups %q", order)
			}
		},
	}
}
