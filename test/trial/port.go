package trial

import "terrier/internal/record"

// Port has a field of each kind that none of our types uses yet. Ports come in the order of their shelves, and of their
// names as people read them.
var Port = record.Type{
	App: "trial", Name: "port", Plural: "ports", Section: "Trial",
	Doc: "Something to plug a cable into.",
	Fields: record.Fields{
		record.Ref{Name: "shelf", To: "trial.shelf", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 64, Required: true, Sort: record.InterfaceNames},
		record.Ref{Name: "lag", To: "trial.port", OnDelete: record.SetNull},
		record.Text{Name: "alias", Max: 64, Null: true, Sort: record.InterfaceNames},
		record.Tags{},
		record.CustomFields{},
	},
	Unique: []record.Unique{{Name: "trial_port_name_unique", Fields: []string{"shelf", "name"}}},
	Brief:  []string{"name"},
	Order:  []string{"shelf", "name"},
	Search: []string{"name"},
}
