package extras

import (
	"encoding/json"
	"slices"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// secretFilters are the filters of tokens and users whose values are secrets.
var secretFilters = []string{"key", "password"}

// SavedFilter is a named set of filters. Every list takes it by its slug. Everybody may keep private ones.
var SavedFilter = record.Type{
	App: "extras", Name: "savedfilter", Plural: "saved-filters", Label: "saved filter", Sensitive: true, Section: "Customization",
	Special: record.Special{Owner: "user", Shared: "shared", MaxOwned: 1000},
	Doc:     "A named set of filter parameters for lists.",
	Fields: record.Fields{
		record.ObjectTypes{Name: "content_types", Label: "Object types", Help: "The record types whose lists offer it."},
		record.Text{Name: "name", Max: 100, Required: true, Unique: true},
		record.Slug{Name: "slug"},
		record.Text{Name: "description", Max: 200},
		record.Ref{Name: "user", To: "users.user", OnDelete: record.SetNull, Bare: true, Help: "Its owner."},
		record.Int{Name: "weight", Default: 100, Min: new(int64(0)), Max: new(int64(32767)), Help: "Lists offer lower weights first."},
		record.Bool{Name: "enabled", Default: true, Help: "Lists offer it."},
		record.Bool{Name: "shared", Default: true, Help: "Everybody who is logged in may see and use it."},
		record.JSON{Name: "parameters", Object: true, Required: true, MaxBytes: 16 << 10,
			Help: `The filters, by name, with a value or a list of values: {"status": ["active", "planned"]}.`},
	},
	Advanced: []string{"weight"},
	Columns:  []string{"content_types", "description", "user", "enabled", "shared"},
	Brief:    []string{"name", "slug"},
	Order:    []string{"weight", "name"},
	Search:   []string{"name", "description"},
	Filters: []record.Filter{
		{Name: "content_type_id", Field: "content_types", TypeIDs: true},
		{Name: "usable", Usable: "enabled"},
	},
	Check: func(_, after record.Values) fault.Fields {
		errs := fault.Fields{}
		var parameters map[string]json.RawMessage
		if json.Unmarshal(after.Raw("parameters"), &parameters) != nil {
			return errs // the field says so
		}
		for name, raw := range parameters {
			if slices.Contains(secretFilters, name) {
				errs.Add("parameters", "%q is a secret, which a saved filter does not keep.", name)
			}
			if _, err := record.SavedValues(raw); err != nil {
				errs.Add("parameters", "%q: %s", name, err.Error())
			}
		}
		return errs
	},
}
