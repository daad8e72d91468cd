package trial

import "terrier/internal/record"

// Sticker has references to records of several types. If the record is deleted, one reference deletes the sticker too, one is emptied,
// and one refuses the deletion.
var Sticker = record.Type{
	App: "trial", Name: "sticker", Plural: "stickers", Section: "Trial",
	Doc: "Sticks on a shelf or an item.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true},
		record.AnyRef{Name: "stuck_on", To: []string{"trial.shelf", "trial.item"}, Required: true, OnDelete: record.Cascade},
		record.AnyRef{Name: "scope", To: []string{"dcim.region", "dcim.site", "trial.shelf"}, OnDelete: record.SetNull, Help: "Where it applies"},
		record.AnyRef{Name: "object", To: []string{"tenancy.tenant", "trial.item"}, TypeName: "content_type", IDName: "object_id"},
		record.Tags{},
		record.CustomFields{},
	},
	Unique: []record.Unique{{Name: "trial_sticker_name_unique", Fields: []string{"stuck_on_type", "stuck_on_id", "name"}}},
	Brief:  []string{"name", "stuck_on"},
	Order:  []string{"stuck_on_id", "name"},
	Search: []string{"name"},
	Filters: []record.Filter{
		{Name: "shelf", Path: "stuck_on[trial.shelf]"},
		{Name: "item_shelf", Path: "stuck_on[trial.item].shelf"},
		{Name: "item_weight", Path: "stuck_on[trial.item].weight"},
		{Name: "site", Path: "scope[dcim.site].id"},
		{Name: "site_region", Path: "scope[dcim.site].region"},
	},
}
