package dcim

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

var rackStatuses = record.ChoicesOf(`
reserved Reserved
available Available
planned Planned
active Active
deprecated Deprecated
`)

var rackTypes = record.ChoicesOf(`
2-post-frame 2-post frame
4-post-frame 4-post frame
4-post-cabinet 4-post cabinet
wall-frame Wall-mounted frame
wall-frame-vertical Wall-mounted frame (vertical)
wall-cabinet Wall-mounted cabinet
wall-cabinet-vertical Wall-mounted cabinet (vertical)
`)

var rackWidths = []record.NumberOption{
	{Value: 10, Label: "10 inches"}, {Value: 19, Label: "19 inches"}, {Value: 21, Label: "21 inches"}, {Value: 23, Label: "23 inches"},
}

var outerUnits = record.ChoicesOf(`
mm Millimeters
in Inches
`)

var weightUnits = record.Weights.Choices("kg", "g", "lb", "oz")

// Rack is a frame with numbered units. Devices are mounted on its front and on its rear.
var Rack = record.Type{
	App: "dcim", Name: "rack", Plural: "racks", Section: "Racks",
	Doc: "A frame with numbered units in which devices are mounted, on its front and on its rear.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Text{Name: "facility_id", Label: "Facility ID", Max: 50, Null: true, Help: "The name of the rack in the site itself."},
		record.Ref{Name: "site", To: "dcim.site", Required: true},
		record.Ref{Name: "location", To: "dcim.location", OnDelete: record.SetNull},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Choice{Name: "status", Of: rackStatuses, Default: "active"},
		record.Ref{Name: "role", To: "dcim.rackrole"},
		record.Text{Name: "serial", Max: 50},
		record.Text{Name: "asset_tag", Max: 50, Null: true, Unique: true, NullsDiffer: true},
		record.Choice{Name: "type", Of: rackTypes},
		record.NumberChoice{Name: "width", Of: rackWidths, Default: 19, Help: "Between the rails, in inches."},
		record.Int{Name: "u_height", Label: "Height (U)", Default: 42, Min: new(int64(1)), Max: new(int64(100)), Help: "In units."},
		record.Measure{Name: "weight", Unit: "weight_unit", Of: record.Weights, Max: 999999.99, Places: 2},
		record.Int{Name: "max_weight", Unit: "weight_unit", Null: true, Min: new(int64(0)), Max: new(int64(1<<31 - 1)),
			Help: "The load that the rack can carry."},
		record.Choice{Name: "weight_unit", Of: weightUnits},
		record.Bool{Name: "desc_units", Label: "Descending units", Help: "Units are numbered from the top."},
		record.Int{Name: "outer_width", Unit: "outer_unit", Null: true, Min: new(int64(0)), Max: new(int64(1<<15 - 1))},
		record.Int{Name: "outer_depth", Unit: "outer_unit", Null: true, Min: new(int64(0)), Max: new(int64(1<<15 - 1))},
		record.Choice{Name: "outer_unit", Of: outerUnits},
		record.Int{Name: "mounting_depth", Null: true, Min: new(int64(0)), Max: new(int64(1<<15 - 1)),
			Help: "The deepest device that fits, in millimetres."},
		record.Text{Name: "description", Max: 200},
		record.Text{Name: "comments", AsWritten: true},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "device_count", Of: "dcim.device", By: "rack"},
		record.Later{Name: "powerfeed_count", Shows: 0},
	},
	Groups: []record.Group{
		{Name: "Rack", Fields: []string{"name", "site", "location", "status", "role", "u_height", "description", "tags"}},
		{Name: "Inventory", Fields: []string{"facility_id", "serial", "asset_tag", "tenant"}},
		{Name: "Comments", Fields: []string{"comments"}},
	},
	Advanced: []string{"type", "width", "weight", "max_weight", "weight_unit", "desc_units", "outer_width", "outer_depth",
		"outer_unit", "mounting_depth"},
	Unique: []record.Unique{
		{Name: "dcim_rack_name_unique", Fields: []string{"location", "name"}, NullsDiffer: true},
		{Name: "dcim_rack_facility_unique", Fields: []string{"location", "facility_id"}, NullsDiffer: true},
	},
	Same:    []record.Same{{Ref: "location", Path: "site"}},
	Follows: []record.Follows{{Fields: []string{"site"}, Of: "location"}},
	Filters: []record.Filter{
		{Name: "region", Path: "site.region"},
		{Name: "site_group", Path: "site.group"},
		{Name: "tenant_group", Path: "tenant.group"},
		{Name: "serial", Field: "serial", Lookup: record.EqualFold},
	},
	Columns:   []string{"site", "location", "status", "role", "tenant", "u_height", "device_count", "tags"},
	Called:    []string{"{name} ({facility_id})", "{name}"},
	FullName:  []string{"{name} ({site})"},
	Brief:     []string{"name"},
	BriefList: []string{"device_count"},
	Order:     []string{"site", "location", "name"},
	Search:    []string{"name", "facility_id", "serial", "asset_tag", "comments"},
	Check:     checkRack,
	Derive:    emptyOuterUnit,
	Panels: []record.Panel{
		{Tab: "Devices", List: "dcim.device"},
		{Tab: "Reservations", List: "dcim.rackreservation"},
		{Tab: "Images", List: "extras.imageattachment"},
		{Card: "Elevation", List: "dcim.device", Drawing: "elevation", Data: elevations, At: "position", Face: "face"},
	},
	Totals: []record.Total{{Label: "Total weight", Unit: "kg", Places: 2, Of: []string{
		"weight",
		"[dcim.device.rack].device_type.weight",
		"[dcim.device.rack].[dcim.module.device].module_type.weight",
	}}},
	Actions: []record.Action{elevationAction},
}

// checkRack checks that what is measured has a unit.
func checkRack(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	if after.Get("outer_unit") == nil && (after.Get("outer_width") != nil || after.Get("outer_depth") != nil) {
		errs.Add("outer_unit", "Set the unit of the outer width and depth.")
	}
	if after.Get("weight_unit") == nil && after.Get("max_weight") != nil {
		errs.Add("weight_unit", "Set the unit of the maximum weight.")
	}
	return errs
}

// emptyOuterUnit removes a unit without a number.
func emptyOuterUnit(_, after record.Values) {
	if after.Get("outer_width") == nil && after.Get("outer_depth") == nil {
		after.Set("outer_unit", nil)
	}
}
