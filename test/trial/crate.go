package trial

import (
	"fmt"
	"slices"
	"strings"

	"terrier/internal/record"
)

// Crate uses most of what a declaration can say in one file. It brings slots and lids, made from the templates of its kit. It is in
// the site of its shelf, and moves with it. It may be lent to a record of one of several types, and gives away free slots.
var Crate = record.Type{
	App: "trial", Name: "crate", Plural: "crates", Section: "Trial",
	Doc: "Stands on a shelf and has slots with lids.",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 64, Required: true, Sort: record.InterfaceNames},
		record.Ref{Name: "kit", To: "trial.kit", Required: true},
		record.Ref{Name: "shelf", To: "trial.shelf", OnDelete: record.SetNull},
		record.Ref{Name: "site", To: "dcim.site", OnDelete: record.SetNull},
		record.AnyRef{Name: "lent_to", To: []string{"tenancy.tenant", "dcim.region"}, OnDelete: record.SetNull},
		record.Network{Name: "network"},
		record.Count{Name: "slot_count", Of: "trial.slot", By: "crate"},
		record.Tags{},
		record.CustomFields{},
	},
	Unique:  []record.Unique{{Name: "trial_crate_name_unique", Fields: []string{"site", "name"}}},
	Same:    []record.Same{{Ref: "shelf", Path: "site"}},
	Follows: []record.Follows{{Fields: []string{"site"}, Of: "shelf"}},
	Children: []record.Children{
		{Make: "trial.slot", By: "crate", From: "trial.slottemplate", Where: "kit", Copy: []string{"name"}, Refer: []string{"pair"},
			Fill: func(crate record.Parent, _, slot record.Values) error {
				slot.Set("name", strings.ReplaceAll(slot.Text("name"), "{crate}", crate.Text("name")))
				return nil
			}},
		{Make: "trial.lid", By: "crate", From: "trial.lidtemplate", Where: "kit", Copy: []string{"name", "color"}, Refer: []string{"slot"}},
	},
	Brief:  []string{"name", "shelf"},
	Order:  []string{"shelf", "name"},
	Search: []string{"name", "network"},
	Panels: []record.Panel{{Tab: "Slots", List: "trial.slot"}, {Card: "Lids", List: "trial.lid"}},
	Actions: []record.Action{{Name: "next-slot", Method: "POST", Label: "Add a slot", Needs: "view", Adds: "trial.slot",
		Doc: "Add the slot with the lowest free number to a crate", Do: nextSlot}, record.SyncChildren("trial.crate")},
}

// nextSlot adds a slot whose name is the lowest number that no other one has.
func nextSlot(c record.Call) (any, error) {
	id := c.Record().ID()
	if err := c.Hold("trial.slot", id); err != nil {
		return nil, err
	}
	taken, err := c.Taken("trial.slot", "name", map[string]string{"crate_id": fmt.Sprint(id)})
	if err != nil {
		return nil, err
	}
	number := 1
	for slices.Contains(taken, any(fmt.Sprint(number))) {
		number++
	}
	return c.Create("trial.slot", map[string]any{"crate": id, "name": fmt.Sprint(number)})
}

// Slot may refer to an item of the shelf that its crate is on.
var Slot = record.Type{
	App: "trial", Name: "slot", Plural: "slots", Section: "Trial",
	Doc: "A place in a crate.",
	Fields: record.Fields{
		record.Ref{Name: "crate", To: "trial.crate", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 100, Required: true, Sort: record.InterfaceNames},
		record.Ref{Name: "pair", To: "trial.slot", OnDelete: record.SetNull},
		record.Ref{Name: "item", To: "trial.item", OnDelete: record.SetNull},
		record.Tags{},
		record.CustomFields{},
	},
	Unique:    []record.Unique{{Name: "trial_slot_name_unique", Fields: []string{"crate", "name"}}},
	Allocates: &record.Allocation{Field: "name", Within: "crate"},
	Same: []record.Same{
		{Ref: "pair", Path: "crate", Or: []record.Equal{{Path: "crate.shelf"}}},
		{Ref: "item", Path: "shelf", Here: "crate.shelf"},
	},
	Brief:  []string{"name", "crate"},
	Order:  []string{"crate", "name"},
	Search: []string{"name"},
	Filters: []record.Filter{
		{Name: "kit", Path: "crate.kit.name"},
		{Name: "kit_id", Path: "crate.kit.id"},
		{Name: "shelf", Path: "crate.shelf"},
	},
}

// Lid covers a slot of its crate.
var Lid = record.Type{
	App: "trial", Name: "lid", Plural: "lids", Section: "Trial",
	Doc: "Covers a slot.",
	Fields: record.Fields{
		record.Ref{Name: "crate", To: "trial.crate", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 100, Required: true},
		record.Text{Name: "color", Max: 20},
		record.Ref{Name: "slot", To: "trial.slot", OnDelete: record.Cascade},
	},
	Unique: []record.Unique{{Name: "trial_lid_name_unique", Fields: []string{"crate", "name"}}},
	Same:   []record.Same{{Ref: "slot", Path: "crate"}},
	Brief:  []string{"name"},
	Order:  []string{"crate", "name"},
}

// Kit has the templates of a crate's children.
var Kit = record.Type{
	App: "trial", Name: "kit", Plural: "kits", Section: "Trial",
	Doc:     "What a crate is made from.",
	Fields:  record.Fields{record.Text{Name: "name", Max: 100, Required: true, Unique: true}},
	Brief:   []string{"name"},
	Order:   []string{"name"},
	Actions: []record.Action{record.SyncChildren("trial.crate")},
}

// SlotTemplate is the template of a slot.
var SlotTemplate = record.Type{
	App: "trial", Name: "slottemplate", Plural: "slot-templates", Label: "slot template", Section: "Trial",
	Doc: "Becomes a slot of each new crate of the kit.",
	Fields: record.Fields{
		record.Ref{Name: "kit", To: "trial.kit", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 100, Required: true},
		record.Ref{Name: "pair", To: "trial.slottemplate", OnDelete: record.SetNull},
	},
	Brief: []string{"name"},
	Order: []string{"kit", "name"},
}

// LidTemplate is the template of a lid.
var LidTemplate = record.Type{
	App: "trial", Name: "lidtemplate", Plural: "lid-templates", Label: "lid template", Section: "Trial",
	Doc: "Becomes a lid of each new crate of the kit.",
	Fields: record.Fields{
		record.Ref{Name: "kit", To: "trial.kit", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 100, Required: true},
		record.Text{Name: "color", Max: 20},
		record.Ref{Name: "slot", To: "trial.slottemplate", OnDelete: record.Cascade},
	},
	Brief: []string{"name"},
	Order: []string{"kit", "name"},
}
