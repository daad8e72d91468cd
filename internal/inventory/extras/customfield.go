package extras

import (
	"regexp"
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// CustomField defines a field that people add to a type at run time. Its values stand
// in the custom_fields of each record.
var CustomField = record.Type{
	App: "extras", Name: "customfield", Plural: "custom-fields", Label: "custom field", Section: "Customization",
	Doc: "A field that you add to record types.",
	Fields: record.Fields{
		record.ObjectTypes{Name: "content_types", Help: "The record types that have this field.", Only: record.HasCustomFields,
			OnlyHelp: "Records of the type %s have no custom fields."},
		record.Choice{Name: "type", Of: record.CustomKinds, Default: "text"},
		record.Text{Name: "name", Max: 50, Required: true, Unique: true, FoldCase: true, Match: regexp.MustCompile(`^[A-Za-z0-9_]+$`),
			MatchHelp: "Only letters, digits and underscores are allowed.",
			Immutable: "Records keep their values under this name: define another field, and give the records its values."},
		record.Text{Name: "label", Max: 50},
		record.Text{Name: "description", Max: 200},
		record.Bool{Name: "required"},
		record.JSON{Name: "default", KindOf: "type", MaxBytes: 64 << 10,
			Help: "The value of records that have none of their own, as JSON."},
		record.Int{Name: "weight", Default: 100},
		record.Int{Name: "validation_minimum", Null: true},
		record.Int{Name: "validation_maximum", Null: true},
		record.Text{Name: "validation_regex", Max: 500,
			Help: "An RE2 expression that the whole text must match. With a large expression, long texts are refused."},
		record.List{Name: "choices", Help: "The values of a select or multiselect field."},
	},
	Advanced: []string{"weight", "validation_minimum", "validation_maximum", "validation_regex"},
	Brief:    []string{"name"},
	Order:    []string{"name"},
	Search:   []string{"name", "label", "description"},
	Filters: []record.Filter{
		{Name: "content_type_id", Field: "content_types", TypeIDs: true},
		// What custom fields of NetBox can be set to. Ours have no groups.
		{Name: "group_name", Never: true},
		{Name: "filter_logic", Is: "exact"},
		{Name: "is_cloneable", Is: "false"},
		{Name: "ui_visibility", Is: "read-write"},
		{Name: "search_weight", Is: "1000"},
	},
	// What is stored, and would be refused today, stays until it is written.
	Check: func(before, after record.Values) fault.Fields {
		errs := fault.Fields{}
		changed := func(names ...string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return !record.SameValue(before.Get(name), after.Get(name)) })
		}
		if strings.Contains(after.Text("name"), "__") {
			errs.Add("name", "Two underscores in a row separate a filter from its lookup.")
		}
		def := record.CustomDefinition(after)
		if def.Choose() && len(after.List("choices")) == 0 {
			errs.Add("choices", "A field of type %s needs at least one choice.", after.Text("type"))
		}
		if !def.Choose() && len(after.List("choices")) > 0 {
			errs.Add("choices", "Choices may be set only for fields of type select or multiselect.")
		}
		if changed("validation_regex") {
			if err := def.CheckRegex(); err != nil {
				errs.Add("validation_regex", "%s", err.Error())
				return errs
			}
		}
		if changed("type", "validation_minimum", "validation_maximum") {
			if err := def.CheckRange(); err != nil {
				errs.Add("validation_minimum", "%s", err.Error())
				return errs
			}
		}
		if raw := after.Raw("default"); raw != nil && changed("default", "type", "choices", "required", "validation_minimum",
			"validation_maximum", "validation_regex") {
			if _, err := def.EncodeRaw(raw); err != nil {
				errs.Add("default", "%s", err.Error())
			}
		}
		return errs
	},
	// The default is kept as a value would be.
	Derive: func(_, after record.Values) {
		if raw := after.Raw("default"); raw != nil {
			if kept, err := record.CustomDefinition(after).EncodeRaw(raw); err == nil {
				after.Set("default", kept)
			}
		}
	},
}
