package extras

import "terrier/internal/record"

// Tag is a label that people stick on records of any type.
var Tag = record.Type{
	App: "extras", Name: "tag", Plural: "tags", Section: "Customization",
	Doc: "A label for records of any type.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural, Unique: true},
		record.Slug{Name: "slug"},
		record.Color("color"),
		record.Text{Name: "description", Max: 200},
	},
	Brief:   []string{"name", "slug", "color"},
	Order:   []string{"name"},
	Search:  []string{"name", "slug", "description"},
	Filters: []record.Filter{{Name: "content_type", UsedBy: true}, {Name: "content_type_id", UsedBy: true, TypeIDs: true}},
}
