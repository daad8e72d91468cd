package dcim

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

var subdeviceRoles = record.ChoicesOf(`
parent Parent
child Child
`)

var airflows = record.ChoicesOf(`
front-to-rear Front to rear
rear-to-front Rear to front
left-to-right Left to right
right-to-left Right to left
side-to-rear Side to rear
passive Passive
mixed Mixed
`)

// DeviceType is a model of device. A new device gets the components of its type's templates.
var DeviceType = record.Type{
	App: "dcim", Name: "devicetype", Plural: "device-types", Label: "device type", Section: "Device types",
	Doc: "A make and model of device: its height, its depth and the components that each new device gets.",
	Fields: record.Fields{
		record.Ref{Name: "manufacturer", To: "dcim.manufacturer", Required: true},
		record.Text{Name: "model", Max: 100, Required: true, Sort: record.Natural},
		record.Slug{Name: "slug", Shared: true},
		record.Ref{Name: "default_platform", To: "dcim.platform", OnDelete: record.SetNull,
			Help: "The platform of new devices, unless they name another."},
		record.Text{Name: "part_number", Max: 50},
		record.Decimal{Name: "u_height", Label: "Height (U)", Max: 100, Places: 1, Step: 0.5, Default: new(1.0), Help: "In units."},
		record.Bool{Name: "is_full_depth", Label: "Full depth", Default: true, Help: "Devices take both faces of the rack."},
		record.Choice{Name: "subdevice_role", Of: subdeviceRoles, Help: "A parent has device bays, a child goes into one."},
		record.Choice{Name: "airflow", Of: airflows},
		record.Measure{Name: "weight", Unit: "weight_unit", Of: record.Weights, Max: 999999.99, Places: 2},
		record.Choice{Name: "weight_unit", Of: weightUnits},
		record.File{Name: "front_image", Folder: "devicetype-images", Help: "A PNG, JPEG, GIF, WebP or BMP file of at most 5 MiB."},
		record.File{Name: "rear_image", Folder: "devicetype-images"},
		record.Text{Name: "description", Max: 200},
		record.Text{Name: "comments", AsWritten: true},
		record.Tags{},
		record.CustomFields{},
		record.Count{Name: "device_count", Of: "dcim.device", By: "device_type"},
	},
	Advanced: []string{"subdevice_role", "airflow", "weight", "weight_unit", "front_image", "rear_image"},
	Unique: []record.Unique{
		{Name: "dcim_devicetype_model_unique", Fields: []string{"manufacturer", "model"}},
		{Name: "dcim_devicetype_slug_unique", Fields: []string{"manufacturer", "slug"}},
	},
	Actions:   []record.Action{record.SyncChildren("dcim.device")},
	Columns:   []string{"manufacturer", "part_number", "u_height", "is_full_depth", "subdevice_role", "device_count", "tags"},
	Brief:     []string{"manufacturer", "model", "slug"},
	BriefList: []string{"device_count"},
	Order:     []string{"manufacturer", "model"},
	Search:    []string{"manufacturer.name", "model", "part_number", "comments"},
	Filters: []record.Filter{
		{Name: "has_front_image", Set: "front_image"},
		{Name: "has_rear_image", Set: "rear_image"},
		{Name: "console_ports", Has: []string{"dcim.consoleporttemplate.device_type"}},
		{Name: "console_server_ports", Has: []string{"dcim.consoleserverporttemplate.device_type"}},
		{Name: "power_ports", Has: []string{"dcim.powerporttemplate.device_type"}},
		{Name: "power_outlets", Has: []string{"dcim.poweroutlettemplate.device_type"}},
		{Name: "interfaces", Has: []string{"dcim.interfacetemplate.device_type"}},
		{Name: "pass_through_ports", Has: []string{"dcim.frontporttemplate.device_type", "dcim.rearporttemplate.device_type"}},
		{Name: "module_bays", Has: []string{"dcim.modulebaytemplate.device_type"}},
		{Name: "device_bays", Has: []string{"dcim.devicebaytemplate.device_type"}},
		{Name: "inventory_items", Has: []string{"dcim.inventoryitemtemplate.device_type"}},
	},
	Check: checkDeviceType,
	Panels: []record.Panel{
		{Tab: "Devices", List: "dcim.device"},
		{Tab: "Interfaces", List: "dcim.interfacetemplate"},
		{Tab: "Console ports", List: "dcim.consoleporttemplate"},
		{Tab: "Console server ports", List: "dcim.consoleserverporttemplate"},
		{Tab: "Power ports", List: "dcim.powerporttemplate"},
		{Tab: "Power outlets", List: "dcim.poweroutlettemplate"},
		{Tab: "Front ports", List: "dcim.frontporttemplate"},
		{Tab: "Rear ports", List: "dcim.rearporttemplate"},
		{Tab: "Module bays", List: "dcim.modulebaytemplate"},
		{Tab: "Device bays", List: "dcim.devicebaytemplate"},
		{Tab: "Inventory items", List: "dcim.inventoryitemtemplate"},
		{Tab: "Images", List: "extras.imageattachment"},
	},
}

func checkDeviceType(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	if after.Text("subdevice_role") == "child" && after.Float("u_height") != 0 {
		errs.Add("u_height", "A child goes into a bay of its parent and takes no units of a rack: set the height to 0.")
	}
	return errs
}
