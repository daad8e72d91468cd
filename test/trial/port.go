package trial

import "terrier/internal/record"

func number(n int64) *int64 { return &n }

var (
	widths = []record.NumberOption{{Value: 10, Label: "10 inches"}, {Value: 19, Label: "19 inches"}}
	speeds = []record.NumberOption{{Value: 9600, Label: "9600 bps"}, {Value: 19200, Label: "19.2 kbps"}}
)

// Port has a field of each kind that none of our types uses yet. Ports are ordered by their shelves, and then by name as people read them.
var Port = record.Type{
	App: "trial", Name: "port", Plural: "ports", Section: "Trial",
	Doc: "Something to plug a cable into.",
	Fields: record.Fields{
		record.Ref{Name: "shelf", To: "trial.shelf", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 64, Required: true, Sort: record.InterfaceNames, Ranges: true},
		record.Ref{Name: "lag", To: "trial.port", OnDelete: record.SetNull},
		record.Text{Name: "alias", Max: 64, Null: true, Sort: record.InterfaceNames, Ranges: true},
		record.Date{Name: "installed"},
		record.MAC{Name: "mac_address", Label: "MAC address"},
		record.WWN{Name: "wwn", Label: "WWN"},
		record.Ints{Name: "vlans", FilterName: "vlan", Min: number(1), Max: number(4094)},
		record.NumberChoice{Name: "width", Of: widths, Default: 19},
		record.NumberChoice{Name: "speed", Of: speeds},
		record.Network{Name: "prefix"},
		record.Address{Name: "address"},
		record.Measure{Name: "weight", Unit: "weight_unit", Of: record.Weights, Max: 999_999.99, Places: 2},
		record.Choice{Name: "weight_unit", Of: record.Weights.Choices("kg", "g", "lb", "oz")},
		record.Ref{Name: "gateway", To: "trial.host", OnDelete: record.SetNull},
		record.Refs{Name: "hosts", To: "trial.host"},
		record.JSON{Name: "notes"},
		record.Bool{Name: "private"},
		record.Tags{},
		record.CustomFields{},
	},
	Unique: []record.Unique{{Name: "trial_port_name_unique", Fields: []string{"shelf", "name"}}},
	Brief:  []string{"name"},
	Order:  []string{"shelf", "name"},
	Search: []string{"name", "mac_address", "wwn", "prefix", "address"},
	Filters: []record.Filter{
		{Name: "within", Field: "prefix", Lookup: record.NetContained},
		{Name: "within_include", Field: "prefix", Lookup: record.NetContainedEqual},
		{Name: "contains", Field: "prefix", Lookup: record.NetCovers},
		{Name: "mask_length", Field: "prefix", Lookup: record.NetMaskLength},
		{Name: "family", Field: "address", Lookup: record.NetFamily},
		{Name: "parent", Field: "address", Lookup: record.NetHostContained},
		{Name: "system", Field: "weight_unit", Words: map[string][]string{"metric": {"kg", "g"}, "imperial": {"lb", "oz"}}},
		{Name: "notes", Set: "notes"},
		{Name: "shelf_id", Field: "shelf", Or: []record.Or{{Path: "shelf.site.[trial.shelf.site].id", Unless: "private"}}},
		{Name: "shelf", Path: "shelf.name", Or: []record.Or{{Path: "shelf.site.facility", Unless: "private"}}},
	},
}

// Host is named by its address. Hosts are ordered by their addresses.
var Host = record.Type{
	App: "trial", Name: "host", Plural: "hosts", Section: "Trial",
	Doc: "An address that something answers at.",
	Fields: record.Fields{
		record.Address{Name: "address", Required: true, Unique: true},
		record.Network{Name: "network", Required: true, CutHostBits: true},
		record.MAC{Name: "mac_address", Label: "MAC address", Unique: true},
		record.Date{Name: "seen"},
		record.Ints{Name: "ports", FilterName: "port"},
	},
	Brief: []string{"address", "network", "mac_address", "seen", "ports"},
	Order: []string{"address"},
}

// Lease is named by its address, which another lease may have too.
var Lease = record.Type{
	App: "trial", Name: "lease", Plural: "leases", Section: "Trial",
	Doc: "An address for some time.",
	Fields: record.Fields{
		record.Address{Name: "address", Required: true},
		record.Ref{Name: "renews", To: "trial.lease", OnDelete: record.SetNull},
		record.Refs{Name: "rivals", To: "trial.lease"},
		record.Text{Name: "note", Max: 50},
	},
	Brief: []string{"address"},
	Order: []string{"address"},
}
