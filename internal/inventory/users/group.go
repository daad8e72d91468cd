package users

import (
	"strings"

	"terrier/internal/record"
)

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
	// The description grants nothing. Members are in the events of the users.
	Special: record.Special{Audited: func(before, after record.Values) []record.Audited {
		switch {
		case before.ID() == 0, after.ID() == 0:
			return []record.Audited{{Event: "group_changed", Detail: done(before, after)}}
		case !before.Same(after, "name"):
			return []record.Audited{{Event: "group_changed", Detail: "renamed, was " + before.Text("name")}}
		}
		return nil
	}},
}

// done says in a word what happened to a record, or which fields have changed.
func done(before, after record.Values) string {
	switch {
	case before.ID() == 0:
		return "created"
	case after.ID() == 0:
		return "deleted"
	}
	return strings.Join(before.Differing(after), ", ")
}
