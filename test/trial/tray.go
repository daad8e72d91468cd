package trial

import "terrier/internal/record"

// Tray has bays, and may be in a bay of another tray. Its context can be excluded.
var Tray = record.Type{
	App: "trial", Name: "tray", Plural: "trays", Section: "Trial",
	Doc: "Has bays for cards.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true},
		record.Back{Name: "parent_tray", Of: "trial.bay", By: "guest", Through: "tray", As: "bay"},
		record.Computed{Name: "context", Of: func(v record.Values) any { return v.Text("name") + "?" }, Needs: []string{"name"},
			Shape: record.Schema{"type": "string"}, Excludable: true},
		record.Tags{},
	},
	Brief:  []string{"name"},
	Order:  []string{"name"},
	Search: []string{"name"},
}

// Bay is a place of a tray.
var Bay = record.Type{
	App: "trial", Name: "bay", Plural: "bays", Section: "Trial",
	Doc: "A place in a tray.",
	Fields: record.Fields{
		record.Ref{Name: "tray", To: "trial.tray", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 100, Required: true},
		record.Later{Name: "module"},
		record.Text{Name: "label", Max: 50},
		record.Ref{Name: "guest", To: "trial.tray", OnDelete: record.SetNull},
		record.Back{Name: "installed_card", Of: "trial.card", By: "bay", Fields: []string{"note"}},
	},
	Unique: []record.Unique{
		{Name: "trial_bay_name_unique", Fields: []string{"tray", "name"}},
		{Name: "trial_bay_guest_unique", Fields: []string{"guest"}, NullsDiffer: true},
	},
	Brief: []string{"module", "tray", "name"},
	Order: []string{"tray", "name"},
}

// Card is named by its bay.
var Card = record.Type{
	App: "trial", Name: "card", Plural: "cards", Section: "Trial",
	Doc: "Is in a bay.",
	Fields: record.Fields{
		record.Ref{Name: "tray", To: "trial.tray", Required: true, OnDelete: record.Cascade},
		record.Ref{Name: "bay", To: "trial.bay", OnDelete: record.Cascade},
		record.Text{Name: "serial", Max: 50},
		record.Text{Name: "note", Max: 50},
	},
	Unique:  []record.Unique{{Name: "trial_card_bay_unique", Fields: []string{"bay"}, NullsDiffer: true}},
	Same:    []record.Same{{Ref: "bay", Path: "tray"}},
	Display: func(r record.Reader) string { return "card " + r.Text("serial") },
	Brief:   []string{"bay", "serial"},
	Order:   []string{"bay"},
}

// Pin shows what it refers to in other forms than the brief one.
var Pin = record.Type{
	App: "trial", Name: "pin", Plural: "pins", Section: "Trial",
	Doc: "Is on a card.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true},
		record.Ref{Name: "card", To: "trial.card", OnDelete: record.Cascade,
			Shows: &record.Nested{Fields: []string{"tray", "bay", "note"}, Bare: []string{"tray"}}},
		record.Ref{Name: "next", To: "trial.pin", OnDelete: record.SetNull, Bare: true},
		record.Ref{Name: "keeper", To: "users.user", OnDelete: record.SetNull, InBrief: "username", Alias: "owner"},
		record.Ref{Name: "twin", To: "trial.pin", OnDelete: record.SetNull},
		record.Tags{},
	},
	Brief:  []string{"name", "next", "keeper"},
	Order:  []string{"name"},
	Search: []string{"name"},
}
