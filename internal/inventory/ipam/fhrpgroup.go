package ipam

import "terrier/internal/record"

var fhrpProtocols = record.ChoicesOf(`
vrrp2 VRRPv2
vrrp3 VRRPv3
carp CARP
clusterxl ClusterXL
hsrp HSRP
glbp GLBP
other Other
`)

var fhrpAuthTypes = record.ChoicesOf(`
plaintext Plaintext
md5 MD5
`)

// FHRPGroup is a group of routers that share virtual addresses.
var FHRPGroup = record.Type{
	App: "ipam", Name: "fhrpgroup", Plural: "fhrp-groups", Label: "FHRP group", Section: "IP addresses",
	Doc: "A first-hop redundancy group, such as VRRP or HSRP, that shares virtual addresses.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100},
		record.Choice{Name: "protocol", Of: fhrpProtocols, Required: true, Bare: true},
		record.Int{Name: "group_id", Label: "Group ID", Required: true, Min: new(int64(0)), Max: new(int64(1<<15 - 1))},
		record.Choice{Name: "auth_type", Label: "Authentication type", Of: fhrpAuthTypes, Bare: true},
		record.Secret{Name: "auth_key", Label: "Authentication key", Seal: record.Encrypted, Max: 255, Shown: true, Blank: true},
		description,
		comments,
		record.Tags{},
		record.CustomFields{},
		record.BackList{Name: "ip_addresses", Of: "ipam.ipaddress", By: "assigned_object"},
	},
	Filters: []record.Filter{
		{Name: "interface_type", Ignored: true},
		{Name: "device_id", Ignored: true},
		{Name: "virtual_machine_id", Ignored: true},
		{Name: "related_ip", Path: "[ipam.ipaddress.assigned_object].address", Subnet: "vrf"},
	},
	Called: []string{
		"{name} {protocol}: {group_id} ({[ipam.ipaddress.assigned_object].address})",
		"{name} {protocol}: {group_id}",
		"{protocol}: {group_id} ({[ipam.ipaddress.assigned_object].address})",
		"{protocol}: {group_id}",
	},
	Brief:  []string{"protocol", "group_id"},
	Order:  []string{"protocol", "group_id"},
	Search: []string{"name", "description"},
	Panels: []record.Panel{
		{Tab: "Addresses", List: "ipam.ipaddress"},
		{Tab: "Members", List: "ipam.fhrpgroupassignment"},
	},
}
