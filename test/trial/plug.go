package trial

import "terrier/internal/record"

const stays = "A plug stays on its shelf: delete it, and create another one."

// Plug stays on its shelf. It has fields about types that come later, of each kind, also in its nested representation.
var Plug = record.Type{
	App: "trial", Name: "plug", Plural: "plugs", Section: "Trial",
	Doc: "The end of a cord.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		record.Ref{Name: "mate", To: "trial.plug", OnDelete: record.SetNull},
		record.Ref{Name: "shelf", To: "trial.shelf", OnDelete: record.SetNull, Immutable: stays},
		record.Later{Name: "cable"},
		record.Later{Name: "cable_end", Shows: ""},
		record.Later{Name: "link_peers", Shows: []any{}},
		record.Later{Name: "cable_count", Shows: 0},
		record.Tags{},
		record.CustomFields{},
		record.Later{Name: "_occupied", Shows: false},
	},
	Brief:  []string{"name", "cable", "_occupied"},
	Order:  []string{"name"},
	Search: []string{"name"},
}
