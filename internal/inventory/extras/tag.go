package extras

import (
	"regexp"

	"terrier/internal/record"
)

// Tag is a label that people stick on records of any type.
var Tag = record.Type{
	App: "extras", Name: "tag", Plural: "tags",
	Doc: "A label for records of any type.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true},
		record.Slug{Name: "slug"},
		record.Text{Name: "color", Max: 6, Default: "9e9e9e", Match: regexp.MustCompile(`^[0-9a-f]{6}$`),
			MatchHelp: "Enter a valid hexadecimal RGB color code."},
		record.Text{Name: "description", Max: 200},
	},
	Brief:  []string{"name", "slug", "color"},
	Order:  []string{"name"},
	Search: []string{"name", "slug", "description"},
}
