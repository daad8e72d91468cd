package dcim

import (
	"terrier/internal/fault"
	"terrier/internal/record"
)

const (
	sectionTemplates  = "Component templates"
	sectionComponents = "Device components"
)

// fixedOwner is why a template stays with its type.
const fixedOwner = "A template can't move to another type: create a new one there."

// ofEitherType begins the fields of a template that a device type or a module type has.
var ofEitherType = record.Fields{
	record.Ref{Name: "device_type", To: "dcim.devicetype", OnDelete: record.Cascade, Immutable: fixedOwner},
	record.Ref{Name: "module_type", To: "dcim.moduletype", OnDelete: record.Cascade, Immutable: fixedOwner},
}

// ofDeviceType begins the fields of a template that only a device type can have.
var ofDeviceType = record.Fields{
	record.Ref{Name: "device_type", To: "dcim.devicetype", Required: true, OnDelete: record.Cascade, Immutable: fixedOwner},
}

// named are the fields by which people know a component or a template.
func named(sort record.Sort) record.Fields { return namedWith(sort, "") }

// namedByBay are the fields by which people know a template that a module type can have.
func namedByBay(sort record.Sort) record.Fields {
	return namedWith(sort, "In a module type, {module} becomes the position of the bay.")
}

func namedWith(sort record.Sort, help string) record.Fields {
	return record.Fields{
		record.Text{Name: "name", Max: 64, Required: true, Sort: sort, Ranges: true, Help: help},
		record.Text{Name: "label", Max: 64, Ranges: true, Help: "What is printed on the hardware."},
	}
}

// labelled is what a component or a template is called.
var labelled = []string{"{name} ({label})", "{name}"}

// inDevice is the full name of a component.
var inDevice = []string{"{device} › {display}"}

var description = record.Text{Name: "description", Max: 200}

// uniqueInEitherType means that a template's name is unique in its device type or module type.
func uniqueInEitherType(table string) []record.Unique {
	return []record.Unique{
		{Name: table + "_name_unique", Fields: []string{"device_type", "name"}, NullsDiffer: true},
		{Name: table + "_module_name_unique", Fields: []string{"module_type", "name"}, NullsDiffer: true},
	}
}

// eitherTypeFilters are names by which clients ask for the templates of a type.
var eitherTypeFilters = append([]record.Filter{
	{Name: "moduletype_id", Field: "module_type", Lookup: record.Exact},
	{Name: "module_type", Field: "module_type", Lookup: record.Exact},
}, deviceTypeFilters...)

var deviceTypeFilters = []record.Filter{
	{Name: "devicetype_id", Field: "device_type", Lookup: record.Exact},
	{Name: "device_type", Field: "device_type", Lookup: record.Exact},
}

// sameType means that a template and the one that it refers to belong to the same type.
func sameType(ref string) []record.Same {
	return []record.Same{{Ref: ref, Path: "device_type"}, {Ref: ref, Path: "module_type"}}
}

// checkEitherType checks that a template belongs to one type.
func checkEitherType(_, after record.Values) fault.Fields {
	errs := fault.Fields{}
	switch device, module := after.Get("device_type"), after.Get("module_type"); {
	case device == nil && module == nil:
		errs.Add("device_type", "Set either a device type or a module type.")
	case device != nil && module != nil:
		errs.Add("module_type", "A template belongs to a device type or to a module type, not to both.")
	}
	return errs
}

// checkAll runs several checks.
func checkAll(checks ...func(before, after record.Values) fault.Fields) func(before, after record.Values) fault.Fields {
	return func(before, after record.Values) fault.Fields {
		errs := fault.Fields{}
		for _, check := range checks {
			for name, messages := range check(before, after) {
				errs[name] = append(errs[name], messages...)
			}
		}
		return errs
	}
}

// checkNotSame checks that two references of a record are not to the same one.
func checkNotSame(field, other string) func(before, after record.Values) fault.Fields {
	return func(_, after record.Values) fault.Fields {
		errs := fault.Fields{}
		if id := after.Link(field).ID; id != 0 && id == after.Link(other).ID {
			errs.Add(field, "It can't be the %s itself.", other)
		}
		return errs
	}
}

// checkNotItself checks that a record does not refer to itself.
func checkNotItself(fields ...string) func(before, after record.Values) fault.Fields {
	return func(_, after record.Values) fault.Fields {
		errs := fault.Fields{}
		for _, name := range fields {
			if id := after.Link(name).ID; id != 0 && id == after.ID() {
				errs.Add(name, "It can't refer to itself.")
			}
		}
		return errs
	}
}
