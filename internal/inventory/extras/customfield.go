package extras

import (
	"regexp"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// CustomField defines a field that people add to a type at run time. Its values stand
// in the custom_fields of each record.
var CustomField = record.Type{
	App: "extras", Name: "customfield", Plural: "custom-fields", Label: "custom field", Section: "Customization",
	Doc: "The definition of a field that people add to record types at run time.",
	Fields: record.Fields{
		record.ObjectTypes{Name: "content_types", Help: "The record types that have this field."},
		record.Choice{Name: "type", Of: record.CustomKinds, Default: "text"},
		record.Text{Name: "name", Max: 50, Required: true, Unique: true, Match: regexp.MustCompile(`^[a-z0-9_]+$`),
			MatchHelp: "Only lower-case letters, digits and underscores are allowed.",
			Lasting:   "Records keep their values under this name: define another field, and give the records its values."},
		record.Text{Name: "label", Max: 50},
		record.Text{Name: "description", Max: 200},
		record.Bool{Name: "required"},
		record.JSON{Name: "default"},
		record.Int{Name: "weight", Default: 100},
		record.Int{Name: "validation_minimum", Null: true},
		record.Int{Name: "validation_maximum", Null: true},
		record.Text{Name: "validation_regex", Max: 500},
		record.List{Name: "choices", Help: "The values of a select or multiselect field."},
	},
	Brief:  []string{"name"},
	Order:  []string{"name"},
	Search: []string{"name", "label", "description"},
	Check: func(_, v record.Values) fault.Fields {
		errs := fault.Fields{}
		if strings.Contains(v.Text("name"), "__") {
			errs.Add("name", "Two underscores in a row separate a filter from its lookup.")
		}
		def, err := record.CustomDefinition(v)
		if err != nil {
			errs.Add("validation_regex", "%s", err.Error())
			return errs
		}
		if def.Choose() && len(v.List("choices")) == 0 {
			errs.Add("choices", "A field of type %s needs at least one choice.", v.Text("type"))
		}
		if !def.Choose() && len(v.List("choices")) > 0 {
			errs.Add("choices", "Choices may be set only for fields of type select or multiselect.")
		}
		if raw := v.Raw("default"); raw != nil {
			if _, err := def.EncodeRaw(raw); err != nil {
				errs.Add("default", "%s", err.Error())
			}
		}
		return errs
	},
	// The default is kept as a value would be.
	Derive: func(_, after record.Values) {
		def, err := record.CustomDefinition(after)
		if raw := after.Raw("default"); err == nil && raw != nil {
			if kept, err := def.EncodeRaw(raw); err == nil {
				after.Set("default", kept)
			}
		}
	},
}
