package dcim

import "terrier/internal/record"

var moduleStatuses = record.ChoicesOf(`
offline Offline
active Active
planned Planned
staged Staged
failed Failed
decommissioning Decommissioning
`)

// Module is a part of a device that can be replaced. It goes into a module bay and brings components.
var Module = record.Type{
	App: "dcim", Name: "module", Plural: "modules", Section: "Devices",
	Doc: "A field-replaceable unit in a module bay of a device.",
	Fields: record.Fields{
		record.Ref{Name: "device", To: "dcim.device", Required: true, OnDelete: record.Cascade},
		record.Ref{Name: "module_bay", To: "dcim.modulebay", Required: true, OnDelete: record.Cascade},
		record.Ref{Name: "module_type", To: "dcim.moduletype", Required: true},
		record.Choice{Name: "status", Of: moduleStatuses, Default: "active"},
		record.Text{Name: "serial", Max: 50},
		record.Text{Name: "asset_tag", Max: 50, Null: true, Unique: true, NullsDiffer: true},
		description,
		record.Text{Name: "comments", AsWritten: true},
		record.Tags{},
		record.CustomFields{},
	},
	Unique: []record.Unique{{Name: "dcim_module_bay_unique", Fields: []string{"module_bay"}}},
	Same:   []record.Same{{Ref: "module_bay", Path: "device"}},
	Filters: []record.Filter{
		{Name: "manufacturer", Path: "module_type.manufacturer"},
		{Name: "serial", Field: "serial", Lookup: record.EqualFold},
	},
	Children: moduleComponents,
	Columns:  []string{"device", "module_bay", "module_type", "status", "serial", "tags"},
	Called:   []string{"{module_bay.name}: {module_type.model} ({id})"},
	Brief:    []string{"device", "module_bay", "module_type"},
	Order:    []string{"module_bay"},
	Search:   []string{"serial", "asset_tag", "comments", "device.name"},
	Panels: []record.Panel{
		{Tab: "Interfaces", List: "dcim.interface"},
		{Tab: "Console ports", List: "dcim.consoleport"},
		{Tab: "Console server ports", List: "dcim.consoleserverport"},
		{Tab: "Power ports", List: "dcim.powerport"},
		{Tab: "Power outlets", List: "dcim.poweroutlet"},
		{Tab: "Front ports", List: "dcim.frontport"},
		{Tab: "Rear ports", List: "dcim.rearport"},
	},
}
