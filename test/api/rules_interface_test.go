package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// inStack asks that an interface can refer to others of its device and of its virtual chassis, but not to itself.
func (h *hardware) inStack(t *testing.T, field, kind, of string) {
	t.Helper()
	_, devices := h.stack(t, 2)
	other := h.make(t, "device")
	id := h.make(t, "interface", "device", devices[0], "type", kind)
	for _, device := range devices {
		h.set(t, "interface", id, field, h.make(t, "interface", "device", device, "type", of))
	}
	h.unset(t, field, "interface", id, field, h.make(t, "interface", "device", other, "type", of))
	errs := h.write(t, "interface", id, field, id).Want(t, http.StatusBadRequest).Object(t)
	if errs[field] == nil {
		t.Errorf("itself is refused with %v", errs)
	}
	alone := h.make(t, "interface", "device", other, "type", kind)
	h.unset(t, field, "interface", alone, field, h.make(t, "interface", "type", of))
}

func interfaceRules() map[int]ruleTest {
	rules := map[int]ruleTest{
		10: func(t *testing.T, h *hardware) {
			device := h.make(t, "device")
			virtual := []string{"virtual", "bridge", "lag"}
			wireless := []string{"ieee802.11a", "ieee802.11g", "ieee802.11n", "ieee802.11ac", "ieee802.11ad", "ieee802.11ax", "ieee802.11ay",
				"ieee802.15.1", "other-wireless"}
			var all []obj
			for _, typ := range append(append([]string{"1000base-t", "other", "gsm"}, virtual...), wireless...) {
				all = append(all, h.body(t, "interface", "device", device, "type", typ))
			}
			h.do(t, http.MethodPost, h.list("interface"), all).Want(t, http.StatusCreated)
			for kind, n := range map[string]int{"physical": 3, "virtual": len(virtual), "wireless": len(wireless)} {
				want(t, kind, len(h.find(t, "interface", "device_id=%d&kind=%s", device, kind)), n)
			}
		},
		11: func(t *testing.T, h *hardware) {
			for _, typ := range []string{"virtual", "bridge", "lag"} {
				h.refused(t, "mark_connected", "interface", "type", typ, "mark_connected", true)
			}
			id := h.make(t, "interface", "mark_connected", true)
			h.write(t, "interface", id, "type", "virtual").Want(t, http.StatusBadRequest)
		},
		12: func(t *testing.T, h *hardware) {
			h.inStack(t, "parent", "virtual", "1000base-t")
			parent := h.made(t, "interface")
			for _, typ := range []string{"1000base-t", "lag", "bridge", "ieee802.11a"} {
				h.refused(t, "parent", "interface", "device", idOf(parent, "device"), "parent", apitest.ID(parent), "type", typ)
			}
		},
		13: func(t *testing.T, h *hardware) { h.inStack(t, "bridge", "1000base-t", "bridge") },
		14: func(t *testing.T, h *hardware) {
			h.inStack(t, "lag", "1000base-t", "lag")
			lag := h.made(t, "interface", "type", "lag")
			h.refused(t, "lag", "interface", "device", idOf(lag, "device"), "lag", apitest.ID(lag), "type", "virtual")
			plain := h.made(t, "interface")
			h.refused(t, "lag", "interface", "device", idOf(plain, "device"), "lag", apitest.ID(plain))
			h.make(t, "interface", "device", idOf(lag, "device"), "lag", apitest.ID(lag))
			h.unset(t, "type", "interface", apitest.ID(lag), "type", "1000base-t")
		},
		15: func(t *testing.T, h *hardware) {
			for _, typ := range []string{"virtual", "bridge", "lag"} {
				h.refused(t, "poe_mode", "interface", "type", typ, "poe_mode", "pd")
				wantErrors(t, h.post(t, "interface", "type", typ, "poe_mode", "pd", "poe_type", "type1-ieee802.3af"), "poe_mode poe_type")
			}
			h.refused(t, "poe_type", "interface", "poe_type", "type1-ieee802.3af")
			h.make(t, "interface", "poe_mode", "pd", "poe_type", "type1-ieee802.3af")
		},
		16: func(t *testing.T, h *hardware) {
			for field, value := range map[string]any{"rf_role": "ap", "rf_channel_frequency": 2412, "rf_channel_width": 22} {
				h.refused(t, field, "interface", field, value)
				h.make(t, "interface", "type", "ieee802.11n", field, value)
			}
			errs := h.post(t, "interface", "rf_channel", "2.4g-1-2412-22").Want(t, http.StatusBadRequest).Object(t)
			if errs["rf_channel"] == nil {
				t.Errorf("a channel is refused with %v", errs)
			}
			made := h.made(t, "interface", "type", "ieee802.11n", "rf_channel", "2.4g-1-2412-22")
			want(t, "frequency", made["rf_channel_frequency"], any(2412.0))
			want(t, "width", made["rf_channel_width"], any(22.0))
			channel := []any{"type", "ieee802.11n", "rf_channel", "2.4g-1-2412-22"}
			h.refused(t, "rf_channel_frequency", "interface", append(channel, "rf_channel_frequency", 2417)...)
			h.refused(t, "rf_channel_width", "interface", append(channel, "rf_channel_width", 20)...)
			h.make(t, "interface", append(channel, "rf_channel_frequency", 2412, "rf_channel_width", 22)...)
			h.refused(t, "rf_channel", "interface", "type", "ieee802.11n", "rf_channel", "2.4g-1-2412")
		},
		17: func(t *testing.T, h *hardware) {
			here, there := h.make(t, "site"), h.make(t, "site")
			h.vlansOf(t, "interface", h.make(t, "interface", "device", h.make(t, "device", "site", here)), here, there)
		},
		18: func(t *testing.T, h *hardware) { h.modeDrops(t, "interface") },
		19: func(t *testing.T, h *hardware) {
			for sent, shown := range map[string]any{"00-1b-44-11-3a-b7": "00:1B:44:11:3A:B7", "001b.4411.3ab7": "00:1B:44:11:3A:B7",
				"001b44113ab7": "00:1B:44:11:3A:B7", "00:1b:44:11:3a:b7": "00:1B:44:11:3A:B7", "": nil} {
				want(t, sent, h.made(t, "interface", "mac_address", sent)["mac_address"], shown)
			}
			for sent, shown := range map[string]any{"50-01-43-80-12-34-56-78": "50:01:43:80:12:34:56:78",
				"5001438012345678": "50:01:43:80:12:34:56:78", "": nil} {
				want(t, sent, h.made(t, "interface", "wwn", sent)["wwn"], shown)
			}
			h.refused(t, "mac_address", "interface", "mac_address", "00:1b:44:11:3a")
			h.refused(t, "wwn", "interface", "wwn", "00:1b:44:11:3a:b7")
		},
		20: func(t *testing.T, h *hardware) {
			one := h.made(t, "virtualdevicecontext")
			device := idOf(one, "device")
			two := h.made(t, "virtualdevicecontext", "device", device)
			id := h.make(t, "interface", "device", device, "vdcs", []any{one["id"]})
			got := h.set(t, "interface", id, "vdcs", []any{two["id"]})["vdcs"].([]any)
			want(t, "contexts", fmt.Sprint(len(got), got[0].(obj)["id"]), fmt.Sprint(1, two["id"]))
			wantKeys(t, "a context", got[0], "id", "url", "display", "name", "identifier", "device")
			want(t, "emptied", len(h.set(t, "interface", id, "vdcs", []any{})["vdcs"].([]any)), 0)
			for _, later := range []string{"tagged_vlans", "wireless_lans"} {
				if list, is := h.read(t, "interface", id)[later].([]any); !is || len(list) != 0 {
					t.Errorf("%s is no list", later)
				}
			}
		},
		21: func(t *testing.T, h *hardware) {
			h.interfaceOrder(t, "device", h.make(t, "device"))
			first, second := h.make(t, "device"), h.make(t, "device")
			h.make(t, "interface", "device", second, "name", "A")
			h.make(t, "interface", "device", first, "name", "B")
			want(t, "order", names(h.find(t, "interface", "device_id=%d&device_id=%d", first, second), "name"), "B A")
		},
		22: func(t *testing.T, h *hardware) {
			want(t, "addresses", h.made(t, "interface")["count_ipaddresses"], any(0.0))
		},
		23: func(t *testing.T, h *hardware) {
			for field, kinds := range map[string][2]string{"parent": {"virtual", "1000base-t"}, "bridge": {"1000base-t", "bridge"},
				"lag": {"1000base-t", "lag"}} {
				to := h.made(t, "interface", "type", kinds[1])
				id := h.make(t, "interface", "device", idOf(to, "device"), "type", kinds[0], field, apitest.ID(to))
				h.changed(t, h.remove(t, "interface", apitest.ID(to)), "update interface", "delete interface")
				wantRef(t, h.read(t, "interface", id), field, 0)
			}
		},
		24: func(t *testing.T, h *hardware) {
			raw := string(h.do(t, http.MethodOptions, h.list("interface"), nil).Want(t, http.StatusOK).Raw)
			if !strings.Contains(raw, `{"value":"lag","display_name":"Link Aggregation Group (LAG)"}`) {
				t.Errorf("OPTIONS does not have the choice lag with its label: %.3000s", raw)
			}
		},
	}
	return rules
}
