package api_test

import (
	"fmt"
	"testing"

	"terrier/test/apitest"
)

// groupAddress creates an address of an FHRP group.
func (h *hardware) groupAddress(t *testing.T, group int64, address string, more ...any) int64 {
	t.Helper()
	return h.make(t, "ipaddress", append([]any{"address", address, "assigned_object_type", "ipam.fhrpgroup", "assigned_object_id", group},
		more...)...)
}

func fhrpGroupRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			group := h.made(t, "fhrpgroup", "protocol", "hsrp")
			want(t, "protocol", group["protocol"], any("hsrp"))
			want(t, "auth_type", group["auth_type"], any(""))
			want(t, "auth_type", h.set(t, "fhrpgroup", apitest.ID(group), "auth_type", "md5")["auth_type"], any("md5"))
			want(t, "auth_type", h.set(t, "fhrpgroup", apitest.ID(group), "auth_type", "")["auth_type"], any(""))
		},
		2: func(t *testing.T, h *hardware) {
			h.make(t, "fhrpgroup", "protocol", "carp", "group_id", 5)
			h.make(t, "fhrpgroup", "protocol", "carp", "group_id", 5)
		},
		3: func(t *testing.T, h *hardware) {
			group := h.made(t, "fhrpgroup", "group_id", 31000)
			want(t, "group_id", group["group_id"], any(31000.0))
			want(t, "by group_id", names(h.find(t, "fhrpgroup", "group_id=31000"), "id"), fmt.Sprint(group["id"]))
		},
		4: func(t *testing.T, h *hardware) {
			plain := h.made(t, "fhrpgroup", "group_id", 10)
			want(t, "display", plain["display"], any("VRRPv2: 10"))
			named := h.made(t, "fhrpgroup", "group_id", 10, "name", "Gateways")
			want(t, "display", named["display"], any("Gateways VRRPv2: 10"))
			for _, group := range []obj{plain, named} {
				h.groupAddress(t, apitest.ID(group), "192.0.2.10/24")
				h.groupAddress(t, apitest.ID(group), "192.0.2.9/24")
				with := fmt.Sprint(group["display"], " (192.0.2.9/24)")
				want(t, "display", h.read(t, "fhrpgroup", apitest.ID(group))["display"], any(with))
				assignment := h.made(t, "fhrpgroupassignment", "group", apitest.ID(group))
				want(t, "display of a nested one", nestedIn(assignment, "group")["display"], any(with))
			}
		},
		5: func(t *testing.T, h *hardware) {
			group := h.make(t, "fhrpgroup")
			address := h.groupAddress(t, group, "192.0.2.77/24")
			assignment := h.make(t, "fhrpgroupassignment", "group", group)
			addresses := h.read(t, "fhrpgroup", group)["ip_addresses"]
			wantKeys(t, "ip_addresses", addresses.([]any)[0], "id", "url", "display", "family", "address")
			h.remove(t, "fhrpgroup", group)
			h.gone(t, "ipaddress", address)
			h.gone(t, "fhrpgroupassignment", assignment)
		},
	}
}

func fhrpAssignmentRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			assignment := h.made(t, "fhrpgroupassignment")
			wantKeys(t, "assignment", assignment, "id", "url", "display", "group", "interface_type", "interface_id", "interface", "priority",
				"created", "last_updated")
		},
		2: func(t *testing.T, h *hardware) {
			h.refused(t, "interface_id", "fhrpgroupassignment", "interface_id", 1<<40)
			h.refused(t, "interface_type", "fhrpgroupassignment", "interface_type", "dcim.device", "interface_id", h.make(t, "device"))
			machine := h.make(t, "vminterface")
			made := h.made(t, "fhrpgroupassignment", "interface_type", "virtualization.vminterface", "interface_id", machine)
			wantRef(t, made, "interface", machine)
		},
		3: func(t *testing.T, h *hardware) {
			port := h.make(t, "interface")
			assignment := h.made(t, "fhrpgroupassignment", "interface_id", port)
			h.remove(t, "interface", port)
			h.gone(t, "fhrpgroupassignment", apitest.ID(assignment))
			other := h.made(t, "fhrpgroupassignment")
			h.remove(t, "fhrpgroup", idOf(other, "group"))
			h.gone(t, "fhrpgroupassignment", apitest.ID(other))
		},
		4: func(t *testing.T, h *hardware) {
			assignment := h.made(t, "fhrpgroupassignment")
			brief := h.first(t, "fhrpgroupassignment", "brief=1&id=%d", apitest.ID(assignment))
			wantKeys(t, "brief", brief, "id", "url", "display", "interface_type", "interface_id", "group_id", "priority")
			want(t, "interface_type", fmt.Sprintf("%.0f", brief["interface_type"]), h.typeID("interface"))
			want(t, "group_id", brief["group_id"], nestedIn(assignment, "group")["id"])
			want(t, "by group_id", len(h.find(t, "fhrpgroupassignment", "group_id=%d", idOf(assignment, "group"))), 1)
		},
		5: func(t *testing.T, h *hardware) {
			group := h.make(t, "fhrpgroup", "group_id", 10, "name", "Gateways")
			port := h.make(t, "interface", "name", "xe-0/0/1")
			assignment := h.made(t, "fhrpgroupassignment", "group", group, "interface_id", port, "priority", 120)
			want(t, "display", assignment["display"], any("xe-0/0/1: Gateways VRRPv2: 10 (120)"))
		},
	}
}

// TestAssignmentFilters finds assignments by the device or virtual machine of their interface.
func TestAssignmentFilters(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	chassis := h.make(t, "virtualchassis")
	master := h.made(t, "device", "virtual_chassis", chassis, "vc_position", 1)
	member := h.made(t, "device", "virtual_chassis", chassis, "vc_position", 2)
	h.set(t, "virtualchassis", chassis, "master", apitest.ID(master))
	machine := h.made(t, "virtualmachine")
	on := func(typ, of string, owner obj, to string) string {
		port := h.make(t, of, to, apitest.ID(owner))
		return fmt.Sprint(h.make(t, "fhrpgroupassignment", "interface_type", typ, "interface_id", port))
	}
	onMaster, onMember := on("dcim.interface", "interface", master, "device"), on("dcim.interface", "interface", member, "device")
	onMachine := on("virtualization.vminterface", "vminterface", machine, "virtual_machine")
	for query, found := range map[string]string{
		"device=" + asText(master, "name"):            onMaster + " " + onMember,
		"device_id=" + asText(master, "id"):           onMaster + " " + onMember,
		"device=" + asText(member, "name"):            onMember,
		"device_id=" + asText(member, "id"):           onMember,
		"virtual_machine=" + asText(machine, "name"):  onMachine,
		"virtual_machine_id=" + asText(machine, "id"): onMachine,
	} {
		want(t, query, names(h.find(t, "fhrpgroupassignment", "ordering=id&%s", query), "id"), found)
	}
}

// TestIgnoredFHRPGroupFilters: Ansible's module may send these beside the group's number, which no list has as filters.
func TestIgnoredFHRPGroupFilters(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	group := h.make(t, "fhrpgroup", "group_id", 7)
	found := h.find(t, "fhrpgroup", "group_id=7&interface_type=dcim.interface&device_id=99&virtual_machine_id=99")
	want(t, "found", names(found, "id"), fmt.Sprint(group))
}
