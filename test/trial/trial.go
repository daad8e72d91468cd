// Package trial declares record types that use parts of a declaration that none of our types uses yet. The test suites for every type run
// for these too.
package trial

import "terrier/internal/record"

// Shelf shows a count and a computed field in its nested representation. It counts and sums records that refer to it, and shows its items
// as a list and as a drawing.
var Shelf = record.Type{
	App: "trial", Name: "shelf", Plural: "shelves", Section: "Trial",
	Doc: "Holds items.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true, Unique: true, Sort: record.Natural},
		record.Ref{Name: "site", To: "dcim.site", OnDelete: record.SetNull},
		record.Int{Name: "places", Default: 10},
		record.Count{Name: "item_count", Of: "trial.item", By: "shelf"},
		record.Count{Name: "sticker_count", Of: "trial.sticker", By: "stuck_on"},
		record.Aggregate{Name: "total_weight", Of: "trial.item", By: "shelf", Sum: "weight"},
		record.Aggregate{Name: "total_length", Of: "trial.item", By: "shelf", Sum: "length"},
		record.Computed{Name: "shout", Of: func(v record.Values) any { return v.Text("name") + "!" }, Needs: []string{"name"},
			Shape: record.Schema{"type": "string"}},
		record.Tags{},
		record.CustomFields{},
	},
	Brief:  []string{"name", "item_count", "shout"},
	Order:  []string{"name"},
	Search: []string{"name", "[trial.item.shelf].asset_tag"},
	Filters: []record.Filter{
		{Name: "mac_address", Path: "[trial.port.shelf].mac_address"},
		{Name: "sticker", Path: "[trial.sticker.stuck_on].name"},
		{Name: "stocked", Has: []string{"trial.item.shelf"}},
		{Name: "used", Has: []string{"trial.port.shelf", "trial.sticker.stuck_on"}},
		{Name: "placed", Set: "site"},
		{Name: "region", Path: "site.region", Exactly: true},
		{Name: "rear_port", Ignored: true},
		{Name: "virtual_machine_id", Never: true},
		{Name: "slot_item", Path: "[trial.crate.shelf].[trial.slot.crate].item"},
	},
	Panels: []record.Panel{{Tab: "Items", List: "trial.item"}, {Card: "Ports", List: "trial.port"},
		{Card: "Places", List: "trial.item", Drawing: "elevation", Data: places, At: "place"}},
	Actions: append(pegActions, placesAction),
}

// Item is named by a text and shows its shelf in its nested representation. Items are ordered by their shelves.
var Item = record.Type{
	App: "trial", Name: "item", Plural: "items", Section: "Trial",
	Doc: "Lies on a shelf.",
	Fields: record.Fields{
		record.Ref{Name: "shelf", To: "trial.shelf", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.Natural},
		record.Text{Name: "asset_tag", Max: 50, Null: true, Unique: true, NullsDiffer: true},
		record.Int{Name: "place", Null: true},
		record.Ref{Name: "pair", To: "trial.item", OnDelete: record.SetNull},
		record.Refs{Name: "friends", To: "trial.item"},
		record.Count{Name: "admirer_count", Of: "trial.item", By: "friends"},
		record.Int{Name: "weight"},
		record.Decimal{Name: "length", Max: 1000, Places: 2},
		record.Tags{},
		record.CustomFields{},
	},
	Unique: []record.Unique{{Name: "trial_item_name_unique", Fields: []string{"shelf", "name"}}},
	Brief:  []string{"shelf", "name"},
	Order:  []string{"shelf", "name"},
	Search: []string{"name", "asset_tag", "shelf.name"},
	Filters: []record.Filter{
		{Name: "admired", Has: []string{"trial.item.friends"}},
		{Name: "noted", Set: "asset_tag"},
		{Name: "name", Field: "name", Lookup: record.EqualFold},
		{Name: "asset_tag", Field: "asset_tag", Lookup: record.EqualFold},
		{Name: "shelf", Field: "shelf"},
		{Name: "admirer", Path: "[trial.item.friends].name"},
	},
}

// Types returns all of these types.
func Types() []record.Type {
	return []record.Type{Shelf, Item, Host, Lease, Port, Sticker, Kit, SlotTemplate, LidTemplate, Crate, Slot, Lid, Peg, Plug, Tray, Bay,
		Card, Pin}
}
