package api_test

import (
	"fmt"
	"strings"
	"testing"

	"terrier/test/apitest"
)

func l2vpnRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			want(t, "display", h.made(t, "l2vpn", "name", "Blue", "identifier", 77)["display"], any("Blue (77)"))
			want(t, "display", h.made(t, "l2vpn", "name", "Red")["display"], any("Red"))
			want(t, "display", h.made(t, "l2vpn", "name", "Green", "identifier", 0)["display"], any("Green"))
		},
		2: func(t *testing.T, h *hardware) {
			l2vpn := h.make(t, "l2vpn", "name", "Quarantine", "description", "for the unclean", "identifier", 39111)
			for _, q := range []string{"aranti", "nclea", "39111"} {
				if found := h.find(t, "l2vpn", "q=%s", q); len(found) != 1 || apitest.ID(found[0]) != l2vpn {
					t.Errorf("q=%s finds %v", q, found)
				}
			}
			if found := h.find(t, "l2vpn", "q=3911"); len(found) != 0 {
				t.Errorf("a part of the number finds %v", found)
			}
		},
		3: func(t *testing.T, h *hardware) {
			l2vpn := h.made(t, "l2vpn", "type", "vpls")
			want(t, "type", nestedIn(l2vpn, "type")["label"], any("VPLS"))
			brief := h.first(t, "l2vpn", "brief=1&id=%d", apitest.ID(l2vpn))
			want(t, "type in the brief form", brief["type"], any("vpls"))
			want(t, "type in a nested record", nestedIn(h.made(t, "l2vpntermination", "l2vpn", apitest.ID(l2vpn)), "l2vpn")["type"], any("vpls"))
		},
		4: func(t *testing.T, h *hardware) {
			l2vpn := h.make(t, "l2vpn")
			termination := h.make(t, "l2vpntermination", "l2vpn", l2vpn)
			h.changed(t, h.remove(t, "l2vpn", l2vpn), "delete ipam.l2vpntermination", "delete ipam.l2vpn")
			h.gone(t, "l2vpntermination", termination)
		},
	}
}

func terminationRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			vlan := h.make(t, "vlan")
			h.make(t, "l2vpntermination", "assigned_object_id", vlan)
			h.refused(t, "non_field_errors", "l2vpntermination", "assigned_object_id", vlan)
			other := h.make(t, "l2vpntermination")
			h.unset(t, "non_field_errors", "l2vpntermination", other, "assigned_object_id", vlan)
		},
		2: func(t *testing.T, h *hardware) {
			for _, typ := range []string{"vpws", "epl", "ep-lan", "ep-tree"} {
				l2vpn := h.make(t, "l2vpn", "type", typ)
				h.make(t, "l2vpntermination", "l2vpn", l2vpn)
				h.make(t, "l2vpntermination", "l2vpn", l2vpn)
				h.refused(t, "non_field_errors", "l2vpntermination", "l2vpn", l2vpn)
			}
			many := h.make(t, "l2vpn", "type", "evpl")
			for range 3 {
				h.make(t, "l2vpntermination", "l2vpn", many)
			}
			h.unset(t, "type", "l2vpn", many, "type", "vpws")
		},
		3: func(t *testing.T, h *hardware) {
			for typ, make := range map[string]string{"dcim.interface": "interface", "ipam.vlan": "vlan",
				"virtualization.vminterface": "vminterface"} {
				end := h.make(t, make)
				termination := h.make(t, "l2vpntermination", "assigned_object_type", typ, "assigned_object_id", end)
				h.remove(t, make, end)
				h.gone(t, "l2vpntermination", termination)
				h.refused(t, "assigned_object_id", "l2vpntermination", "assigned_object_type", typ, "assigned_object_id", end)
			}
		},
		4: func(t *testing.T, h *hardware) {
			l2vpn := h.make(t, "l2vpn", "name", "Blue", "identifier", 77)
			vlan := h.make(t, "vlan", "name", "Voice", "vid", 12)
			termination := h.made(t, "l2vpntermination", "l2vpn", l2vpn, "assigned_object_id", vlan)
			want(t, "display", termination["display"], any("Voice (12) <> Blue (77)"))
			port := h.make(t, "interface", "name", "xe-0/0/1", "label", "uplink")
			on := h.made(t, "l2vpntermination", "l2vpn", l2vpn, "assigned_object_type", "dcim.interface", "assigned_object_id", port)
			want(t, "display", on["display"], any("xe-0/0/1 (uplink) <> Blue (77)"))
		},
		5: func(t *testing.T, h *hardware) {
			l2vpn := h.made(t, "l2vpn", "identifier", 5)
			termination := h.make(t, "l2vpntermination", "l2vpn", apitest.ID(l2vpn))
			brief := h.first(t, "l2vpntermination", "brief=1&id=%d", termination)
			wantKeys(t, "brief", brief, "id", "url", "display", "l2vpn")
			wantKeys(t, "l2vpn", brief["l2vpn"], "id", "url", "display", "identifier", "name", "slug", "type")
		},
	}
}

// TestTerminationFilters finds terminations by what they end on.
func TestTerminationFilters(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	above := h.made(t, "region")
	region := h.made(t, "region", "parent", apitest.ID(above))
	site := h.made(t, "site", "region", apitest.ID(region))
	at := apitest.ID(site)
	vlan := h.made(t, "vlan", "site", at, "vid", 44)
	device := h.made(t, "device", "site", at)
	port := h.made(t, "interface", "device", apitest.ID(device))
	machine := h.made(t, "virtualmachine", "site", at)
	virtual := h.made(t, "vminterface", "virtual_machine", apitest.ID(machine))
	end := func(typ string, to obj) string {
		return fmt.Sprint(h.make(t, "l2vpntermination", "assigned_object_type", typ, "assigned_object_id", apitest.ID(to)))
	}
	onVLAN, onPort, onVirtual := end("ipam.vlan", vlan), end("dcim.interface", port), end("virtualization.vminterface", virtual)
	end("ipam.vlan", h.made(t, "vlan"))
	all := onVLAN + " " + onPort + " " + onVirtual
	for query, found := range map[string]string{
		"site=" + asText(site, "slug"):                     all,
		"site_id=" + asText(site, "id"):                    all,
		"region=" + asText(region, "slug"):                 all,
		"region_id=" + asText(region, "id"):                all,
		"region=" + asText(above, "slug"):                  "",
		"region_id=" + asText(above, "id"):                 "",
		"device=" + asText(device, "name"):                 onPort,
		"device_id=" + asText(device, "id"):                onPort,
		"virtual_machine=" + asText(machine, "name"):       onVirtual,
		"virtual_machine_id=" + asText(machine, "id"):      onVirtual,
		"interface=" + asText(port, "name"):                onPort,
		"interface_id=" + asText(port, "id"):               onPort,
		"vminterface=" + asText(virtual, "name"):           onVirtual,
		"vminterface_id=" + asText(virtual, "id"):          onVirtual,
		"vlan=" + asText(vlan, "name"):                     onVLAN,
		"vlan_id=" + asText(vlan, "id"):                    onVLAN,
		"vlan_vid=44":                                      onVLAN,
		"assigned_object_type=dcim.interface":              onPort,
		"assigned_object_type_id=" + h.typeID("interface"): onPort,
	} {
		want(t, query, names(h.find(t, "l2vpntermination", "ordering=id&%s", query), "id"), found)
	}
}

// asText returns a field of a record as a query has it.
func asText(record obj, field string) string {
	return strings.TrimSuffix(fmt.Sprintf("%v", record[field]), ".0")
}

// typeID returns the number of a type in the list of content types.
func (h *hardware) typeID(name string) string {
	return fmt.Sprint(h.s.App.Registry.Type(h.key(name)).ContentTypeID())
}
