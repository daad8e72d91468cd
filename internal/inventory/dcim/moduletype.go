package dcim

import "terrier/internal/record"

// ModuleType is a model of module. A device gets the components of its templates when such a module is installed.
var ModuleType = record.Type{
	App: "dcim", Name: "moduletype", Plural: "module-types", Label: "module type", Section: "Device types",
	Doc: "A make and model of module: the components that a device gains when such a module is installed.",
	Fields: record.Fields{
		record.Ref{Name: "manufacturer", To: "dcim.manufacturer", Required: true},
		record.Text{Name: "model", Max: 100, Required: true, Sort: record.Natural},
		record.Text{Name: "part_number", Max: 50},
		record.Measure{Name: "weight", Unit: "weight_unit", Of: record.Weights, Max: 999999.99, Places: 2},
		record.Choice{Name: "weight_unit", Of: weightUnits},
		record.Text{Name: "description", Max: 200},
		record.Text{Name: "comments", AsWritten: true},
		record.Tags{},
		record.CustomFields{},
	},
	Unique:  []record.Unique{{Name: "dcim_moduletype_model_unique", Fields: []string{"manufacturer", "model"}}},
	Columns: []string{"manufacturer", "part_number", "description", "tags"},
	Brief:   []string{"manufacturer", "model"},
	Order:   []string{"manufacturer", "model"},
	Search:  []string{"manufacturer.name", "model", "part_number", "comments"},
	Filters: []record.Filter{
		{Name: "console_ports", Has: []string{"dcim.consoleporttemplate.module_type"}},
		{Name: "console_server_ports", Has: []string{"dcim.consoleserverporttemplate.module_type"}},
		{Name: "power_ports", Has: []string{"dcim.powerporttemplate.module_type"}},
		{Name: "power_outlets", Has: []string{"dcim.poweroutlettemplate.module_type"}},
		{Name: "interfaces", Has: []string{"dcim.interfacetemplate.module_type"}},
		{Name: "pass_through_ports", Has: []string{"dcim.frontporttemplate.module_type", "dcim.rearporttemplate.module_type"}},
	},
	Panels: []record.Panel{
		{Tab: "Modules", List: "dcim.module"},
		{Tab: "Interfaces", List: "dcim.interfacetemplate"},
		{Tab: "Console ports", List: "dcim.consoleporttemplate"},
		{Tab: "Console server ports", List: "dcim.consoleserverporttemplate"},
		{Tab: "Power ports", List: "dcim.powerporttemplate"},
		{Tab: "Power outlets", List: "dcim.poweroutlettemplate"},
		{Tab: "Front ports", List: "dcim.frontporttemplate"},
		{Tab: "Rear ports", List: "dcim.rearporttemplate"},
		{Tab: "Images", List: "extras.imageattachment"},
	},
}
