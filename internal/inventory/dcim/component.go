package dcim

import "terrier/internal/record"

// fixedDevice is why a component stays with its device.
const fixedDevice = "A component can't move to another device: create a new one there."

// ofDevice begins the fields of a component.
var ofDevice = record.Fields{
	record.Ref{Name: "device", To: "dcim.device", Required: true, OnDelete: record.Cascade, Immutable: fixedDevice},
}

// ofModule begins the fields of a component that a module can bring.
var ofModule = append(ofDevice[:1:1],
	record.Ref{Name: "module", To: "dcim.module", OnDelete: record.Cascade, Help: "The module that it belongs to.",
		Shows: &record.Nested{Fields: []string{"device", "module_bay"}, Bare: []string{"device"}}},
)

// sameModule means that a component and the module that brought it are in the same device.
var sameModule = record.Same{Ref: "module", Path: "device"}

// passThrough ends the fields of a component that takes a cable, connected or not.
var passThrough = record.Fields{
	description,
	record.Bool{Name: "mark_connected", Help: "Treat it as connected although no cable is recorded."},
	record.Later{Name: "cable"},
	record.Later{Name: "cable_end", Shows: ""},
	record.Later{Name: "link_peers", Shows: []any{}},
	record.Later{Name: "link_peers_type"},
	record.Tags{},
	record.CustomFields{},
	record.Either{Name: "_occupied", Of: []string{"mark_connected"}},
}

// endpoint ends the fields of a component at which a path of cables can begin.
var endpoint = append(passThrough[:len(passThrough):len(passThrough)],
	record.Later{Name: "connected_endpoints"},
	record.Later{Name: "connected_endpoints_type"},
	record.Later{Name: "connected_endpoints_reachable"},
)

// uniqueInDevice means that a component's name is unique in its device.
func uniqueInDevice(table string) record.Unique {
	return record.Unique{Name: table + "_name_unique", Fields: []string{"device", "name"}}
}

// deviceFilters ask for the components of devices that are somewhere or something.
var deviceFilters = []record.Filter{
	{Name: "region", Path: "device.site.region"},
	{Name: "site_group", Path: "device.site.group"},
	{Name: "site", Path: "device.site"},
	{Name: "location", Path: "device.location", Exactly: true},
	{Name: "rack", Path: "device.rack.name"},
	{Name: "rack_id", Path: "device.rack.id"},
	{Name: "device_type", Path: "device.device_type.model"},
	{Name: "device_type_id", Path: "device.device_type.id"},
	{Name: "device_role", Path: "device.device_role"},
	{Name: "virtual_chassis", Path: "device.virtual_chassis.name"},
	{Name: "virtual_chassis_id", Path: "device.virtual_chassis.id"},
}

// portBrief is how a component is shown in others.
var portBrief = []string{"device", "name", "cable", "_occupied"}

// ofRole allows a reference only to records that have a certain word at a path, as long as anything refers to them.
func ofRole(of, path, word, message string) record.Together {
	return record.Together{Of: of, OwnerReads: []string{path},
		Check: func(owner record.Member, members []record.Member) (clashes []record.Clash) {
			for _, m := range members {
				if owner.Text(path) != word {
					clashes = append(clashes, record.Clash{Member: m.ID(), Message: message})
				}
			}
			return clashes
		}}
}
