package dcim

import "terrier/internal/record"

// primaryOf returns the rules for the primary addresses of a device, or of a part of one: each has its family, and is assigned to an
// interface of the device or, unless that is for management only, of another member of its virtual chassis. With nat it may also be what
// such an address is seen as from outside. device and chassis say where these are in the record.
func primaryOf(word, device, chassis string, nat bool) (rules []record.Same) {
	assigned := func(address string) []record.Equal {
		to := address + "assigned_object[dcim.interface]."
		return []record.Equal{{Path: to + "device", Here: device},
			{Path: to + "device.virtual_chassis", Here: chassis, Unless: to + "mgmt_only"}}
	}
	equal := assigned("")
	if nat {
		equal = append(equal, assigned("nat_inside.")...)
	}
	for _, f := range []struct {
		ref    string
		family int64
		name   string
	}{{"primary_ip4", 4, "IPv4"}, {"primary_ip6", 6, "IPv6"}} {
		rules = append(rules,
			record.Same{Ref: f.ref, Path: "family", Is: f.family, Says: "Use an " + f.name + " address.",
				There: "%s has this as its primary " + f.name + " address: give it another one first."},
			record.Same{Ref: f.ref, Path: equal[0].Path, Here: equal[0].Here, Or: equal[1:],
				Says:  "Use an address that is assigned to an interface of the " + word + ".",
				There: "%s would lose its primary " + f.name + " address: give it another one first."})
	}
	return rules
}
