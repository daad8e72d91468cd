package dcim

import (
	"slices"

	"terrier/internal/record"
)

// InterfaceTemplate becomes an interface of each new device or module of its type.
var InterfaceTemplate = record.Type{
	App: "dcim", Name: "interfacetemplate", Plural: "interface-templates", Label: "interface template", Section: sectionTemplates,
	Doc: "A network interface that each new device or module of the type gets.",
	Fields: slices.Concat(ofEitherType, namedByBay(record.InterfaceNames), record.Fields{
		record.Choice{Name: "type", Of: interfaceTypes, Required: true},
		record.Bool{Name: "enabled", Default: true},
		record.Bool{Name: "mgmt_only", Label: "Management only"},
		record.Ref{Name: "bridge", To: "dcim.interfacetemplate", OnDelete: record.SetNull},
		record.Choice{Name: "poe_mode", Label: "PoE mode", Of: poeModes},
		record.Choice{Name: "poe_type", Label: "PoE type", Of: poeTypes},
		description,
	}),
	Unique:  uniqueInEitherType("dcim_interfacetemplate"),
	Same:    sameType("bridge"),
	Filters: eitherTypeFilters,
	Check:   checkAll(checkEitherType, checkNotItself("bridge"), checkPoE),
	Called:  labelled,
	Brief:   []string{"name"},
	Order:   []string{"device_type", "module_type", "name"},
	Search:  []string{"name"},
}
