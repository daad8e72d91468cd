package dcim

import (
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

var duplexes = record.ChoicesOf(`
half Half
full Full
auto Auto
`)

var modes = record.ChoicesOf(`
access Access
tagged Tagged
tagged-all Tagged (All)
`)

var poeModes = record.ChoicesOf(`
pd PD
pse PSE
`)

var poeTypes = record.ChoicesOf(`
type1-ieee802.3af 802.3af (Type 1)
type2-ieee802.3at 802.3at (Type 2)
type3-ieee802.3bt 802.3bt (Type 3)
type4-ieee802.3bt 802.3bt (Type 4)
passive-24v-2pair Passive 24V (2-pair)
passive-24v-4pair Passive 24V (4-pair)
passive-48v-2pair Passive 48V (2-pair)
passive-48v-4pair Passive 48V (4-pair)
`)

var wirelessRoles = record.ChoicesOf(`
ap Access point
station Station
`)

// virtualTypes and wirelessTypes are the types of interfaces that take no cable.
var (
	virtualTypes  = []string{"virtual", "bridge", "lag"}
	wirelessTypes = []string{"ieee802.11a", "ieee802.11g", "ieee802.11n", "ieee802.11ac", "ieee802.11ad", "ieee802.11ax", "ieee802.11ay",
		"ieee802.15.1", "other-wireless"}
)

// physicalTypes are all other types.
func physicalTypes() (types []string) {
	for _, o := range interfaceTypes {
		if !slices.Contains(virtualTypes, o.Value) && !slices.Contains(wirelessTypes, o.Value) {
			types = append(types, o.Value)
		}
	}
	return types
}

// inChassis lets interfaces of one virtual chassis refer to each other.
var inChassis = []record.Equal{{Path: "device.virtual_chassis"}}

// Interface is a network interface of a device.
var Interface = record.Type{
	App: "dcim", Name: "interface", Plural: "interfaces", Section: sectionComponents,
	Doc: "A network interface of a device: physical, virtual, aggregate, bridge or wireless.",
	Fields: slices.Concat(record.Fields{ofModule[0]}, record.Fields{
		record.Refs{Name: "vdcs", Label: "Virtual device contexts", To: "dcim.virtualdevicecontext"},
		ofModule[1],
	}, named(record.InterfaceNames), record.Fields{
		record.Choice{Name: "type", Of: interfaceTypes, Required: true},
		record.Bool{Name: "enabled", Default: true},
		record.Ref{Name: "parent", To: "dcim.interface", OnDelete: record.SetNull},
		record.Ref{Name: "bridge", To: "dcim.interface", OnDelete: record.SetNull},
		record.Ref{Name: "lag", Label: "LAG", To: "dcim.interface", OnDelete: record.SetNull, Help: "The aggregate that it is a member of."},
		record.Int{Name: "mtu", Label: "MTU", Null: true, Min: new(int64(1)), Max: new(int64(65536))},
		record.MAC{Name: "mac_address", Label: "MAC address"},
		record.Int{Name: "speed", Null: true, Min: new(int64(0)), Max: new(int64(1<<31 - 1)), Help: "In kbit/s."},
		record.Choice{Name: "duplex", Of: duplexes},
		record.WWN{Name: "wwn", Label: "WWN"},
		record.Bool{Name: "mgmt_only", Label: "Management only", Help: "Used only to manage the device (out of band)."},
		record.Choice{Name: "mode", Label: "802.1Q mode", Of: modes},
		record.Choice{Name: "rf_role", Label: "Wireless role", Of: wirelessRoles},
		record.Choice{Name: "rf_channel", Label: "Wireless channel", Of: channels},
		record.Choice{Name: "poe_mode", Label: "PoE mode", Of: poeModes},
		record.Choice{Name: "poe_type", Label: "PoE type", Of: poeTypes},
		record.Decimal{Name: "rf_channel_frequency", Label: "Channel frequency", Max: 99999.99, Places: 2, Help: "In MHz."},
		record.Decimal{Name: "rf_channel_width", Label: "Channel width", Max: 9999.999, Places: 3, Help: "In MHz."},
		record.Int{Name: "tx_power", Label: "Transmit power", Null: true, Min: new(int64(0)), Max: new(int64(127)), Help: "In dBm."},
		record.Ref{Name: "untagged_vlan", Label: "Untagged VLAN", To: "ipam.vlan", OnDelete: record.SetNull},
		record.Refs{Name: "tagged_vlans", Label: "Tagged VLANs", To: "ipam.vlan"},
		record.Later{Name: "wireless_link"},
		record.Later{Name: "wireless_lans", Shows: []any{}},
		record.Ref{Name: "vrf", Label: "VRF", To: "ipam.vrf", OnDelete: record.SetNull},
		record.Back{Name: "l2vpn_termination", Of: "ipam.l2vpntermination", By: "assigned_object"},
		record.Count{Name: "count_ipaddresses", Of: "ipam.ipaddress", By: "assigned_object"},
		record.Count{Name: "count_fhrp_groups", Of: "ipam.fhrpgroupassignment", By: "interface"},
	}, endpoint),
	Groups: []record.Group{
		{Name: "Interface", Fields: []string{"device", "name", "label", "type", "enabled", "description", "tags"}},
		{Name: "Connection", Fields: []string{"mac_address", "mtu", "lag", "mgmt_only", "mark_connected"}},
		{Name: "VLANs", Fields: []string{"mode", "untagged_vlan", "tagged_vlans"}},
	},
	Advanced: []string{"vdcs", "module", "parent", "bridge", "speed", "duplex", "wwn", "rf_role", "rf_channel",
		"rf_channel_frequency", "rf_channel_width", "tx_power", "poe_mode", "poe_type", "vrf"},
	Unique: []record.Unique{uniqueInDevice("dcim_interface")},
	Same: []record.Same{
		sameModule,
		{Ref: "vdcs", Path: "device"},
		{Ref: "parent", Path: "device", Or: inChassis},
		{Ref: "bridge", Path: "device", Or: inChassis},
		{Ref: "lag", Path: "device", Or: inChassis},
		{Ref: "untagged_vlan", Path: "site", Here: "device.site", OrNone: true, HereOnly: true},
		{Ref: "tagged_vlans", Path: "site", Here: "device.site", OrNone: true, HereOnly: true},
	},
	Together: []record.Together{ofRole("lag", "type", "lag", "A LAG must have the type lag.")},
	Filters: append([]record.Filter{
		{Name: "kind", Field: "type", Words: map[string][]string{
			"physical": physicalTypes(), "virtual": virtualTypes, "wireless": wirelessTypes}},
		{Name: "form_factor", Field: "type", Lookup: record.Exact},
		{Name: "vdc_identifier", Path: "vdcs.identifier"},
		{Name: "virtual_machine_id", Never: true},
		{Name: "device_id", Field: "device", Or: []record.Or{{Path: "device.virtual_chassis.[dcim.device.virtual_chassis].id",
			Unless: "mgmt_only"}}},
		{Name: "device", Path: "device.name", Or: []record.Or{{Path: "device.virtual_chassis.master.name", Unless: "mgmt_only"}}},
		{Name: "vlan", Path: "untagged_vlan.vid", Or: []record.Or{{Path: "tagged_vlans.vid"}}},
		{Name: "vlan_id", Path: "untagged_vlan.id", Or: []record.Or{{Path: "tagged_vlans.id"}}},
		{Name: "vrf", Path: "vrf.rd"},
		{Name: "vrf_id", Field: "vrf"},
		{Name: "l2vpn", Path: "[ipam.l2vpntermination.assigned_object].l2vpn.identifier"},
		{Name: "l2vpn_id", Path: "[ipam.l2vpntermination.assigned_object].l2vpn.id"},
	}, deviceFilters...),
	Columns:  []string{"device", "label", "type", "enabled", "mtu", "mac_address", "description", "tags"},
	Called:   labelled,
	FullName: inDevice,
	Brief:    portBrief,
	Order:    []string{"device", "name"},
	Search:   []string{"name", "label", "description", "mac_address"},
	Check:    checkAll(checkNotItself("parent", "bridge", "lag"), checkKind, checkPoE, checkChannel),
	Derive:   deriveInterface,
}

// checkKind checks what only some kinds of interface have.
func checkKind(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	kind := after.Text("type")
	virtual := slices.Contains(virtualTypes, kind)
	if after.Get("parent") != nil && kind != "virtual" {
		errs.Add("parent", "Only an interface of type virtual has a parent.")
	}
	if after.Get("lag") != nil && kind == "virtual" {
		errs.Add("lag", "A virtual interface can't be a member of a LAG.")
	}
	if virtual && after.Bool("mark_connected") {
		errs.Add("mark_connected", "A virtual interface takes no cable.")
	}
	if !slices.Contains(wirelessTypes, kind) {
		for _, name := range []string{"rf_role", "rf_channel", "rf_channel_frequency", "rf_channel_width"} {
			if after.Get(name) != nil {
				errs.Add(name, "Only a wireless interface has this.")
			}
		}
	}
	return errs
}

// checkPoE checks the power over Ethernet of an interface or of a template, which no interface could be made from otherwise.
func checkPoE(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	for _, name := range []string{"poe_mode", "poe_type"} {
		if after.Get(name) != nil && slices.Contains(virtualTypes, after.Text("type")) {
			errs.Add(name, "A virtual interface has no power over Ethernet.")
		}
	}
	if after.Get("poe_type") != nil && after.Get("poe_mode") == nil {
		errs.Add("poe_type", "Set the PoE mode too.")
	}
	return errs
}

// checkChannel checks that a frequency or width that is set is the channel's.
func checkChannel(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	frequency, width, ok := channelOf(after)
	if !ok {
		return errs
	}
	if after.Get("rf_channel_frequency") != nil && after.Float("rf_channel_frequency") != frequency {
		errs.Add("rf_channel_frequency", "The channel has %g MHz: set this, or leave it empty.", frequency)
	}
	if after.Get("rf_channel_width") != nil && after.Float("rf_channel_width") != width {
		errs.Add("rf_channel_width", "The channel is %g MHz wide: set this, or leave it empty.", width)
	}
	return errs
}

// deriveInterface sets what follows from the channel, and removes the VLANs that the mode does not have.
func deriveInterface(before, after record.Values) {
	fillChannel(before, after)
	mode := after.Get("mode")
	if mode == nil {
		after.Set("untagged_vlan", nil)
	}
	if mode != "tagged" {
		after.Set("tagged_vlans", []record.Link{})
	}
}

// fillChannel sets the frequency and the width of the channel.
func fillChannel(_, after record.Values) {
	if frequency, width, ok := channelOf(after); ok {
		after.Set("rf_channel_frequency", frequency)
		after.Set("rf_channel_width", width)
	}
}

// channelOf returns the frequency and the width of an interface's channel, in MHz.
func channelOf(v record.Values) (frequency, width float64, ok bool) {
	parts := strings.Split(v.Text("rf_channel"), "-")
	if len(parts) != 4 {
		return 0, 0, false
	}
	frequency, err := strconv.ParseFloat(parts[2], 64)
	width, bad := strconv.ParseFloat(parts[3], 64)
	return frequency, width, err == nil && bad == nil
}
