package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

func clusterTypeRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			cluster := h.made(t, "cluster")
			h.held(t, "clustertype", idOf(cluster, "type"))
			h.remove(t, "cluster", apitest.ID(cluster))
			h.remove(t, "clustertype", idOf(cluster, "type"))
		},
		2: func(t *testing.T, h *hardware) {
			typ := h.make(t, "clustertype")
			context := h.create(t, contexts, obj{"name": h.word(), "data": obj{}, "cluster_types": []int64{typ}})
			h.remove(t, "clustertype", typ)
			row := h.get(t, at(contexts, context)).Want(t, http.StatusOK).Object(t)
			want(t, "cluster types", len(row["cluster_types"].([]any)), 0)
		},
		3: func(t *testing.T, h *hardware) {
			cluster := h.made(t, "cluster")
			h.briefCounts(t, "clustertype", idOf(cluster, "type"), nestedIn(cluster, "type"), obj{"cluster_count": 1.0})
		},
	}
}

func clusterGroupRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			group := h.make(t, "clustergroup")
			cluster := h.make(t, "cluster", "group", group)
			vlans := h.make(t, "vlangroup", "scope_type", "virtualization.clustergroup", "scope_id", group)
			h.held(t, "clustergroup", group)
			h.remove(t, "cluster", cluster)
			vlan := h.make(t, "vlan", "group", vlans)
			h.held(t, "clustergroup", group)
			h.remove(t, "vlan", vlan)
			h.remove(t, "clustergroup", group)
			h.gone(t, "vlangroup", vlans)
		},
		2: func(t *testing.T, h *hardware) {
			cluster := h.made(t, "cluster", "group", h.make(t, "clustergroup"))
			h.briefCounts(t, "clustergroup", idOf(cluster, "group"), nestedIn(cluster, "group"), obj{"cluster_count": 1.0})
		},
	}
}

func clusterRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			group, site := h.make(t, "clustergroup"), h.make(t, "site")
			h.make(t, "cluster", "name", "A", "group", group)
			h.refused(t, "group", "cluster", "name", "A", "group", group)
			h.make(t, "cluster", "name", "A", "site", site)
			h.refused(t, "site", "cluster", "name", "A", "site", site)
			h.make(t, "cluster", "name", "A")
			h.make(t, "cluster", "name", "A")
		},
		2: deviceCluster,
		3: func(t *testing.T, h *hardware) {
			cluster := h.make(t, "cluster")
			machine, device := h.make(t, "virtualmachine", "cluster", cluster), h.make(t, "device", "cluster", cluster)
			vlans := h.make(t, "vlangroup", "scope_type", "virtualization.cluster", "scope_id", cluster)
			h.held(t, "cluster", cluster)
			h.remove(t, "virtualmachine", machine)
			h.remove(t, "cluster", cluster)
			wantRef(t, h.read(t, "device", device), "cluster", 0)
			h.gone(t, "vlangroup", vlans)
		},
		4: func(t *testing.T, h *hardware) {
			one, two := h.make(t, "site"), h.make(t, "site")
			cluster := h.make(t, "cluster", "site", one)
			machine := h.make(t, "virtualmachine", "cluster", cluster)
			h.make(t, "vminterface", "virtual_machine", machine, "mode", "access", "untagged_vlan", h.make(t, "vlan", "site", one))
			h.changed(t, h.write(t, "cluster", cluster, "site", two), "update virtualization.cluster", "update virtualization.virtualmachine")
			wantRef(t, h.read(t, "virtualmachine", machine), "site", two)
		},
		5: func(t *testing.T, h *hardware) { // they have a site, as in 3.5
			lacksKeys(t, h.made(t, "cluster"), "scope_type", "scope_id", "scope", "allocated_vcpus", "allocated_memory", "allocated_disk")
		},
		6: func(t *testing.T, h *hardware) {
			machine := h.made(t, "virtualmachine")
			h.briefCounts(t, "cluster", idOf(machine, "cluster"), nestedIn(machine, "cluster"), obj{"virtualmachine_count": 1.0})
		},
	}
}

// deviceCluster tests that a device and its cluster are at one site, from both sides.
func deviceCluster(t *testing.T, h *hardware) {
	one, two := h.make(t, "site"), h.make(t, "site")
	there := h.make(t, "cluster", "site", two)
	anywhere := h.make(t, "cluster")
	h.refused(t, "cluster", "device", "site", one, "cluster", there)
	device := h.make(t, "device", "site", one, "cluster", anywhere)
	h.unset(t, "cluster", "device", device, "cluster", there)
	says := h.write(t, "cluster", anywhere, "site", two).Want(t, http.StatusBadRequest).Object(t)
	want(t, "the refusal", fmt.Sprint(says), fmt.Sprintf("map[site:[The device %d is in this cluster and at another site: "+
		"take it out of the cluster first.]]", device))
	h.set(t, "device", device, "cluster", nil)
	h.set(t, "cluster", anywhere, "site", two)
	h.set(t, "cluster", anywhere, "site", one)
	h.set(t, "device", device, "cluster", anywhere)
	h.unset(t, "cluster", "device", device, "site", two)
	h.set(t, "device", device, "site", two, "cluster", there)
}

func machineRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.refused(t, "cluster", "virtualmachine", "cluster", nil)
			machine := h.make(t, "virtualmachine", "site", h.make(t, "site"))
			h.unset(t, "cluster", "virtualmachine", machine, "site", nil)
		},
		2: func(t *testing.T, h *hardware) {
			one, two := h.make(t, "site"), h.make(t, "site")
			cluster := h.make(t, "cluster", "site", one)
			h.refused(t, "cluster", "virtualmachine", "site", two, "cluster", cluster)
			machine := h.make(t, "virtualmachine", "site", one, "cluster", cluster)
			h.unset(t, "cluster", "virtualmachine", machine, "site", two)
			nowhere := h.make(t, "cluster")
			h.refused(t, "cluster", "virtualmachine", "site", one, "cluster", nowhere)
			h.unset(t, "cluster", "virtualmachine", machine, "cluster", nowhere)
			h.set(t, "virtualmachine", machine, "cluster", nowhere, "site", nil)
			h.unset(t, "cluster", "virtualmachine", machine, "site", one)
			h.set(t, "cluster", nowhere, "site", two) // which takes the virtual machine along, also to no site
			wantRef(t, h.read(t, "virtualmachine", machine), "site", two)
			h.set(t, "cluster", nowhere, "site", nil)
			wantRef(t, h.read(t, "virtualmachine", machine), "site", 0)
		},
		3: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			wantRef(t, h.made(t, "virtualmachine", "cluster", h.make(t, "cluster", "site", site)), "site", site)
		},
		4: func(t *testing.T, h *hardware) {
			cluster := h.make(t, "cluster")
			host, other := h.make(t, "device", "cluster", cluster), h.make(t, "device")
			h.refused(t, "device", "virtualmachine", "site", h.make(t, "site"), "device", host)
			h.refused(t, "device", "virtualmachine", "cluster", cluster, "device", other)
			machine := h.make(t, "virtualmachine", "cluster", cluster, "device", host)
			says := h.write(t, "device", host, "cluster", nil).Want(t, http.StatusBadRequest).Object(t)
			want(t, "the refusal", fmt.Sprint(says),
				fmt.Sprintf("map[cluster:[The virtual machine %d is pinned to this device: empty its device first.]]", machine))
			h.set(t, "virtualmachine", machine, "device", nil)
			h.set(t, "device", host, "cluster", nil)
		},
		5: func(t *testing.T, h *hardware) {
			h.make(t, "virtualmachine", "role", h.make(t, "devicerole", "vm_role", false))
		},
		6: func(t *testing.T, h *hardware) {
			cluster, tenant := h.make(t, "cluster"), h.make(t, "tenancy.tenant")
			h.make(t, "virtualmachine", "cluster", cluster, "name", "Web")
			h.make(t, "virtualmachine", "cluster", cluster, "name", "Web", "tenant", tenant)
			for _, owner := range []any{nil, tenant} {
				h.post(t, "virtualmachine", "cluster", cluster, "name", "wEB", "tenant", owner).Want(t, http.StatusBadRequest)
			}
			site := h.make(t, "site")
			h.make(t, "virtualmachine", "site", site, "name", "Web")
			h.make(t, "virtualmachine", "site", site, "name", "Web")
		},
		7: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			h.make(t, "virtualmachine", "site", site, "name", "vm10")
			h.make(t, "virtualmachine", "site", site, "name", "vm2")
			want(t, "order", names(h.find(t, "virtualmachine", "site_id=%d", site), "name"), "vm2 vm10")
		},
		8: primaryRule("virtualmachine"),
		9: func(t *testing.T, h *hardware) {
			for _, bad := range []any{[]int{1}, "text", 7} {
				h.refused(t, "local_context_data", "virtualmachine", "local_context_data", bad)
			}
			h.make(t, "virtualmachine", "local_context_data", obj{"a": 1})
		},
		10: func(t *testing.T, h *hardware) {
			for _, field := range []string{"memory", "disk"} {
				h.refused(t, field, "virtualmachine", field, 1.5)
				want(t, field, h.made(t, "virtualmachine", field, 4096)[field], any(4096.0))
			}
		},
		11: func(t *testing.T, h *hardware) {
			want(t, "vcpus", h.made(t, "virtualmachine", "vcpus", 1.5)["vcpus"], any(1.5))
			h.refused(t, "vcpus", "virtualmachine", "vcpus", 0)
		},
		12: func(t *testing.T, h *hardware) {
			id := h.make(t, "virtualmachine", "name", "a-findname", "comments", "b findcomment")
			for _, word := range []string{"INDNAME", "findcom"} {
				want(t, word, names(h.find(t, "virtualmachine", "q=%s", word), "id"), fmt.Sprint(id))
			}
			h.foundByPrimary(t, "virtualmachine")
		},
		13: func(t *testing.T, h *hardware) {
			x := h.home(t, "virtualmachine")
			address, service := h.assigned(t, x.port, x.portID), h.make(t, "service", "virtual_machine", x.id)
			h.remove(t, "virtualmachine", x.id)
			h.gone(t, "vminterface", x.portID)
			h.gone(t, "ipaddress", address)
			h.gone(t, "service", service)
		},
		14: func(t *testing.T, h *hardware) {
			id := h.make(t, "virtualmachine")
			for _, row := range []obj{h.read(t, "virtualmachine", id), h.first(t, "virtualmachine", "id=%d", id)} {
				if _, is := row["config_context"].(obj); !is {
					t.Errorf("config_context is %v", row["config_context"])
				}
			}
			if _, is := h.first(t, "virtualmachine", "id=%d&exclude=config_context", id)["config_context"]; is {
				t.Error("config_context is not excluded")
			}
			wantKeys(t, "brief", h.first(t, "virtualmachine", "id=%d&brief=yes", id), "id", "url", "display", "name")
		},
	}
}

func vmInterfaceRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			want(t, "path", h.list("vminterface"), "/api/virtualization/interfaces/")
			id := h.make(t, "vminterface")
			want(t, "changes", len(h.changes(t, "virtualization.vminterface", id)), 1)
		},
		2: func(t *testing.T, h *hardware) {
			one, two, other := h.made(t, "vminterface"), int64(0), h.make(t, "vminterface")
			two = h.make(t, "vminterface", "virtual_machine", idOf(one, "virtual_machine"))
			for _, field := range []string{"parent", "bridge"} {
				h.unset(t, field, "vminterface", two, field, other)
				h.unset(t, field, "vminterface", two, field, two)
				h.set(t, "vminterface", two, field, one["id"])
			}
		},
		3: func(t *testing.T, h *hardware) {
			here, there := h.make(t, "site"), h.make(t, "site")
			machine := h.make(t, "virtualmachine", "site", here)
			h.vlansOf(t, "vminterface", h.make(t, "vminterface", "virtual_machine", machine), here, there)
		},
		4: func(t *testing.T, h *hardware) { h.modeDrops(t, "vminterface") },
		5: func(t *testing.T, h *hardware) {
			machine := h.make(t, "virtualmachine")
			h.make(t, "vminterface", "virtual_machine", machine, "name", "eth10")
			h.make(t, "vminterface", "virtual_machine", machine, "name", "eth2")
			want(t, "order", names(h.find(t, "vminterface", "virtual_machine_id=%d", machine), "name"), "eth2 eth10")
		},
		6: func(t *testing.T, h *hardware) {
			vlan := h.make(t, "vlan")
			got := h.made(t, "vminterface", "mode", "tagged", "tagged_vlans", []int64{vlan})["tagged_vlans"].([]any)
			want(t, "VLANs", fmt.Sprint(each(got, "id")), fmt.Sprint([]any{float64(vlan)}))
			wantKeys(t, "a VLAN", got[0], "id", "url", "display", "vid", "name")
		},
		7: func(t *testing.T, h *hardware) {
			want(t, "MAC address", h.made(t, "vminterface", "mac_address", "00-1b-44-11-3a-b7")["mac_address"], any("00:1B:44:11:3A:B7"))
		},
		8: func(t *testing.T, h *hardware) {
			one := h.made(t, "vminterface")
			id := apitest.ID(one)
			two := h.make(t, "vminterface", "virtual_machine", idOf(one, "virtual_machine"), "parent", id, "bridge", id)
			address := h.assigned(t, "vminterface", id)
			group := h.make(t, "fhrpgroupassignment", "interface_type", "virtualization.vminterface", "interface_id", id)
			end := h.make(t, "l2vpntermination", "assigned_object_type", "virtualization.vminterface", "assigned_object_id", id)
			h.remove(t, "vminterface", id)
			h.gone(t, "ipaddress", address)
			h.gone(t, "fhrpgroupassignment", group)
			h.gone(t, "l2vpntermination", end)
			wantRef(t, h.read(t, "vminterface", two), "parent", 0)
			wantRef(t, h.read(t, "vminterface", two), "bridge", 0)
		},
		10: func(t *testing.T, h *hardware) {
			row := h.first(t, "vminterface", "brief=1&id=%d", h.make(t, "vminterface"))
			wantKeys(t, "brief", row, "id", "url", "display", "virtual_machine", "name")
			wantKeys(t, "machine", row["virtual_machine"], "id", "url", "display", "name")
		},
		11: func(t *testing.T, h *hardware) { // the MAC address is written, as in 3.5
			port := h.made(t, "vminterface")
			lacksKeys(t, port, "primary_mac_address", "mac_addresses", "qinq_svlan", "vlan_translation_policy")
			h.set(t, "vminterface", apitest.ID(port), "mac_address", "00:1B:44:11:3A:B8")
			h.unset(t, "mode", "vminterface", apitest.ID(port), "mode", "q-in-q")
		},
	}
}

// vlansOf gives an interface VLANs of its own site, of none and of another one.
func (h *hardware) vlansOf(t *testing.T, typ string, id, here, there int64) {
	t.Helper()
	own, free, foreign := h.make(t, "vlan", "site", here), h.make(t, "vlan"), h.make(t, "vlan", "site", there)
	h.unset(t, "untagged_vlan", typ, id, "mode", "access", "untagged_vlan", foreign)
	h.unset(t, "tagged_vlans", typ, id, "mode", "tagged", "tagged_vlans", []int64{own, foreign})
	h.set(t, typ, id, "mode", "tagged", "untagged_vlan", own, "tagged_vlans", []int64{own, free})
}

// modeDrops asks that an interface has no VLANs that its mode does not have.
func (h *hardware) modeDrops(t *testing.T, typ string) {
	t.Helper()
	vlan := h.make(t, "vlan")
	id := h.make(t, typ, "mode", "tagged", "untagged_vlan", vlan, "tagged_vlans", []int64{vlan})
	wantRef(t, h.read(t, typ, id), "untagged_vlan", vlan)
	access := h.set(t, typ, id, "mode", "access")
	want(t, "tagged VLANs", len(access["tagged_vlans"].([]any)), 0)
	wantRef(t, access, "untagged_vlan", vlan)
	wantRef(t, h.set(t, typ, id, "mode", nil), "untagged_vlan", 0)
	wantRef(t, h.made(t, typ, "untagged_vlan", vlan), "untagged_vlan", 0)
}
