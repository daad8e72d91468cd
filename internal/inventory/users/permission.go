package users

import (
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Permission lets users and groups do something with the records of some types, all of
// them or those that its constraints describe.
var Permission = record.Type{
	App: "users", Name: "permission", Plural: "permissions", Sensitive: true, Section: "Administration",
	Doc:     "What users and groups may do with the records of some types, or with those that match the constraints.",
	Columns: []string{"description", "enabled", "object_types", "actions", "groups", "users"},
	Groups: []record.Group{
		{Name: "Permission", Fields: []string{"name", "description", "enabled"}},
		{Name: "What may be done", Fields: []string{"actions", "object_types", "constraints"}},
		{Name: "Who may do it", Fields: []string{"groups", "users"}},
	},
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural, Unique: true},
		record.Text{Name: "description", Max: 200},
		record.Bool{Name: "enabled", Default: true, Help: "A disabled permission allows nothing."},
		record.ObjectTypes{Name: "object_types", Help: "The record types that it applies to, such as dcim.site."},
		record.Refs{Name: "groups", To: "users.group"},
		record.Refs{Name: "users", To: "users.user"},
		record.Actions{Name: "actions", Help: "To write other people's tokens, a user also needs Grant."},
		record.JSON{Name: "constraints",
			Help: `Empty (null) means all records. Of an object, all keys must match. Of a list of objects, one must match: ` +
				`{"status": "active", "region__slug": "lisbon"}. $user is the caller.`},
	},
	Brief:  []string{"name"},
	Order:  []string{"name"},
	Search: []string{"name", "description"},
	Special: record.Special{Audited: func(before, after record.Values) []record.Audited {
		return []record.Audited{{Event: "permission_changed", Detail: done(before, after)}}
	}},
	Check: func(before, after record.Values) fault.Fields {
		errs := fault.Fields{}
		had := before.List("object_types")
		for _, key := range after.List("object_types") {
			t := after.Type().Registry().Type(key)
			if t == nil || slices.Contains(had, key) && after.Same(before, "constraints") {
				continue // what is stored already stays, whatever has become of the type
			}
			alternatives, err := record.ParseConstraints(t, after.Raw("constraints"), 0)
			if err == nil && !after.Same(before, "constraints") {
				err = record.BoundConstraints(alternatives)
			}
			if err != nil {
				errs.Add("constraints", "Invalid filter for %s: %s.", key, strings.TrimSuffix(err.Error(), "."))
			}
		}
		return errs
	},
}
