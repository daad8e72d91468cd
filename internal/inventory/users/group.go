package users

import "terrier/internal/record"

// Group gathers users, so that a permission can be given to all of them.
var Group = record.Type{
	App: "users", Name: "group", Plural: "groups", Sensitive: true, Section: "Administration",
	Doc: "A set of users that permissions can be given to.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 150, Required: true, Sort: record.Natural, Unique: true},
		record.Text{Name: "description", Max: 200},
	},
	Brief:  []string{"name"},
	Order:  []string{"name"},
	Search: []string{"name", "description"},
}
