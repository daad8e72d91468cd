package dcim

import (
	"slices"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// PowerPortTemplate becomes a power port of each new device or module of its type.
var PowerPortTemplate = record.Type{
	App: "dcim", Name: "powerporttemplate", Plural: "power-port-templates", Label: "power port template", Section: sectionTemplates,
	Doc: "A power intake that each new device or module of the type gets.",
	Fields: slices.Concat(ofEitherType, namedByBay(record.Natural), record.Fields{
		record.Choice{Name: "type", Of: powerPortTypes},
		record.Int{Name: "maximum_draw", Null: true, Min: new(int64(1)), Max: new(int64(1<<31 - 1)), Help: "In watts."},
		record.Int{Name: "allocated_draw", Null: true, Min: new(int64(1)), Max: new(int64(1<<31 - 1)), Help: "In watts."},
		description,
	}),
	Unique:  uniqueInEitherType("dcim_powerporttemplate"),
	Filters: eitherTypeFilters,
	Check:   checkAll(checkEitherType, checkDraw),
	Called:  labelled,
	Brief:   []string{"name"},
	Order:   []string{"device_type", "module_type", "name"},
	Search:  []string{"name"},
}

// checkDraw checks that no more power is allocated than the port can draw.
func checkDraw(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	most, some := after.Get("maximum_draw"), after.Get("allocated_draw")
	if most != nil && some != nil && after.Int("allocated_draw") > after.Int("maximum_draw") {
		errs.Add("allocated_draw", "It can't be more than the maximum draw, %d W.", after.Int("maximum_draw"))
	}
	return errs
}
