package dcim

import (
	"strings"

	"terrier/internal/record"
)

// made declares what a kind of component takes from its template, besides name and label. refer names references to other components.
func made(kind string, refer []string, fields ...string) record.Children {
	return record.Children{Make: "dcim." + kind, From: "dcim." + kind + "template", Copy: append([]string{"name", "label"}, fields...),
		Refer: refer}
}

var (
	madeConsolePort       = made("consoleport", nil, "type")
	madeConsoleServerPort = made("consoleserverport", nil, "type")
	madePowerPort         = made("powerport", nil, "type", "maximum_draw", "allocated_draw")
	madePowerOutlet       = made("poweroutlet", []string{"power_port"}, "type", "feed_leg")
	madeInterface         = made("interface", []string{"bridge"}, "type", "enabled", "mgmt_only", "poe_mode", "poe_type")
	madeRearPort          = made("rearport", nil, "type", "color", "positions")
	madeFrontPort         = made("frontport", []string{"rear_port"}, "type", "color", "rear_port_position")
	madeModuleBay         = made("modulebay", nil, "position")
	madeDeviceBay         = made("devicebay", nil)
	madeInventoryItem     = made("inventoryitem", []string{"parent", "component"}, "role", "manufacturer", "part_id")
)

// deviceComponents are what a new device gets from the templates of its type, in this order.
var deviceComponents = componentsOf(record.Children{By: "device", Where: "device_type"},
	madeConsolePort, madeConsoleServerPort, madePowerPort, madePowerOutlet, madeInterface, madeRearPort, madeFrontPort, madeModuleBay,
	madeDeviceBay, madeInventoryItem)

// moduleComponents are what a device gets with a new module, in this order.
var moduleComponents = componentsOf(record.Children{By: "module", Where: "module_type", Reads: []string{"module_bay.position"},
	Fill: fillModule},
	madeConsolePort, madeConsoleServerPort, madeInterface, madePowerPort, madePowerOutlet, madeRearPort, madeFrontPort)

// componentsOf returns how the components of a parent are made.
func componentsOf(parent record.Children, kinds ...record.Children) []record.Children {
	for i := range kinds {
		kinds[i].By, kinds[i].Where, kinds[i].Reads, kinds[i].Fill = parent.By, parent.Where, parent.Reads, parent.Fill
	}
	return kinds
}

// bayPosition is replaced by the position of the module bay in names and labels.
const bayPosition = "{module}"

// fillModule puts a component of a module into the device, and the position of the bay into its name and label.
func fillModule(module record.Parent, _, component record.Values) error {
	component.Set("device", module.Get("device"))
	position := module.ReadText("module_bay.position")
	for _, field := range []string{"name", "label"} {
		text := component.Text(field)
		if strings.Contains(text, bayPosition) && position == "" {
			return record.Invalid("The module bay has no position to put in place of %s: set it first.", bayPosition)
		}
		component.Set(field, strings.ReplaceAll(text, bayPosition, position))
	}
	return nil
}
