package ipam

import (
	"regexp"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

var addressStatuses = record.ChoicesOf(`
active Active
reserved Reserved
deprecated Deprecated
dhcp DHCP
slaac SLAAC
`)

var addressRoles = record.ChoicesOf(`
loopback Loopback
secondary Secondary
anycast Anycast
vip VIP
vrrp VRRP
hsrp HSRP
glbp GLBP
carp CARP
`)

// sharedRoles are the roles of addresses that several interfaces have on purpose.
var sharedRoles = []string{"anycast", "vip", "vrrp", "hsrp", "glbp", "carp"}

// dnsName is labels with dots between them. The first may be a star, and a final dot is allowed.
var dnsName = regexp.MustCompile(`^(\*|[A-Za-z0-9_-]+)(\.[A-Za-z0-9_-]+)*\.?$`)

// IPAddress is one address with its mask, free or assigned.
var IPAddress = record.Type{
	App: "ipam", Name: "ipaddress", Plural: "ip-addresses", Label: "IP address", Section: "IP addresses",
	Doc: "One address with its mask, free or assigned to an interface or an FHRP group.",
	Fields: record.Fields{
		record.IPFamily{Of: "address"},
		record.Address{Name: "address", Required: true},
		record.Ref{Name: "vrf", Label: "VRF", To: "ipam.vrf", Help: "Empty: the global table."},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Choice{Name: "status", Of: addressStatuses, Default: "active"},
		record.Choice{Name: "role", Of: addressRoles},
		record.AnyRef{Name: "assigned_object", To: []string{"dcim.interface", "ipam.fhrpgroup", "virtualization.vminterface"},
			OnDelete: record.Cascade},
		record.Ref{Name: "nat_inside", Label: "NAT inside", To: "ipam.ipaddress", OnDelete: record.SetNull,
			Help: "The inside address that this one is translated to."},
		record.BackList{Name: "nat_outside", Of: "ipam.ipaddress", By: "nat_inside"},
		record.Text{Name: "dns_name", Label: "DNS name", Max: 255, Lower: true, LookedUp: true, Match: dnsName,
			MatchHelp: "Use letters, digits, hyphens and underscores in labels with dots between them."},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
	},
	Space: &record.Space{Of: "address", Within: "vrf", Enforced: "enforce_unique", Shared: "role", SharedBy: sharedRoles},
	Filters: []record.Filter{
		family("address"), byVRF, byVRFID, inVRF, inVRFID, tenantGroup, ofDevice("device", "name"), ofDevice("device_id", "id"),
		{Name: "parent", Field: "address", Lookup: record.NetHostContained},
		{Name: "mask_length", Field: "address", Lookup: record.NetMaskLength},
		{Name: "interface", Path: "assigned_object[dcim.interface].name"},
		{Name: "interface_id", Path: "assigned_object[dcim.interface].id"},
		{Name: "vminterface", Path: "assigned_object[virtualization.vminterface].name"},
		{Name: "vminterface_id", Path: "assigned_object[virtualization.vminterface].id"},
		{Name: "fhrpgroup_id", Path: "assigned_object[ipam.fhrpgroup].id"},
		{Name: "virtual_machine", Path: "assigned_object[virtualization.vminterface].virtual_machine.name"},
		{Name: "virtual_machine_id", Path: "assigned_object[virtualization.vminterface].virtual_machine.id"},
		{Name: "assigned", Set: "assigned_object"},
		{Name: "assigned_to_interface", Field: "assigned_object_type", OneOf: []string{"dcim.interface", "virtualization.vminterface"}},
	},
	Columns: []string{"vrf", "status", "role", "tenant", "assigned_object", "dns_name", "description", "tags"},
	Brief:   []string{"family", "address"},
	Order:   []string{"address"},
	Search:  []string{"dns_name", "description", "address"}, SearchStart: []string{"address"},
	Check: checkIPAddress,
}

// ofDevice finds the addresses of a device by its name or id. The master of a virtual chassis also has those of the other members,
// except on management interfaces.
func ofDevice(name, by string) record.Filter {
	const port = "assigned_object[dcim.interface]"
	return record.Filter{Name: name, Path: port + ".device." + by,
		Or: []record.Or{{Path: port + ".device.virtual_chassis.master." + by, Unless: port + ".mgmt_only"}}}
}

func checkIPAddress(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	if after.Text("status") == "slaac" && !strings.Contains(after.Text("address"), ":") {
		errs.Add("status", "Only an IPv6 address can have the status slaac.")
	}
	return errs
}
