package virtualization

import "terrier/internal/record"

// primary are the rules for the primary addresses of a virtual machine: each has its family, and is assigned to an interface of the
// machine, or is what such an address is seen as from outside.
var primary = []record.Same{
	{Ref: "primary_ip4", Path: "family", Is: 4, Says: "Use an IPv4 address.",
		There: "%s has this as its primary IPv4 address: give it another one first."},
	{Ref: "primary_ip6", Path: "family", Is: 6, Says: "Use an IPv6 address.",
		There: "%s has this as its primary IPv6 address: give it another one first."},
	assigned("primary_ip4"),
	assigned("primary_ip6"),
}

func assigned(ref string) record.Same {
	const machine = "assigned_object[virtualization.vminterface].virtual_machine"
	return record.Same{Ref: ref, Path: machine, Here: "id", Or: []record.Equal{{Path: "nat_inside." + machine, Here: "id"}},
		Says:  "Use an address that is assigned to an interface of the virtual machine.",
		There: "%s would lose its primary address: give it another one first."}
}
