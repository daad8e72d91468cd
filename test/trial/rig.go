package trial

import "terrier/internal/record"

// Rig returns types with rules between their records. Gear is of a model and is mounted in a frame. It may be in a stack, which one of its
// members leads, and in a nest of other gear. It has ports, and labels on these. The test suites for every type do not run for these:
// the rules refuse most records that are made at random.
func Rig() []record.Type {
	return []record.Type{Model, Frame, Stack, Gear, Nest, Jack, Label}
}

// Model is what gear is made as.
var Model = record.Type{
	App: "trial", Name: "model", Plural: "models", Section: "Trial",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 50, Required: true},
		record.Int{Name: "height", Default: 1},
		record.Text{Name: "default_finish", Max: 50, Null: true},
		record.Ref{Name: "default_tenant", To: "tenancy.tenant", OnDelete: record.SetNull},
	},
	Brief: []string{"name"},
	Order: []string{"name"},
}

// Frame holds gear, and gives it its place.
var Frame = record.Type{
	App: "trial", Name: "frame", Plural: "frames", Section: "Trial",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 50, Required: true},
		record.Ref{Name: "site", To: "dcim.site", Required: true},
		record.Ref{Name: "location", To: "dcim.location", OnDelete: record.SetNull},
		record.Int{Name: "height", Default: 10},
	},
	Brief: []string{"name"},
	Order: []string{"name"},
}

// Gear is mounted in a frame.
var Gear = record.Type{
	App: "trial", Name: "gear", Plural: "gear", Section: "Trial",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 50, Null: true},
		record.Ref{Name: "model", To: "trial.model", Required: true},
		record.Ref{Name: "tenant", To: "tenancy.tenant"},
		record.Ref{Name: "site", To: "dcim.site", Required: true},
		record.Ref{Name: "location", To: "dcim.location", OnDelete: record.SetNull},
		record.Ref{Name: "frame", To: "trial.frame"},
		record.Int{Name: "position", Null: true},
		record.Text{Name: "finish", Max: 50},
		record.Ref{Name: "stack", To: "trial.stack", OnDelete: record.SetNull, Clears: []string{"rank", "priority"}},
		record.Int{Name: "rank", Null: true},
		record.Int{Name: "priority", Null: true},
	},
	Unique: []record.Unique{
		{Name: "trial_gear_name_unique", Fields: []string{"site", "tenant", "name"}, FoldCase: true, Where: "name"},
	},
	Defaults: []record.Default{{Field: "finish", From: "model.default_finish"}, {Field: "tenant", From: "model.default_tenant"}},
	Same:     []record.Same{{Ref: "location", Path: "site"}, {Ref: "frame", Path: "site"}, {Ref: "frame", Path: "location"}},
	Follows:  []record.Follows{{Fields: []string{"site", "location"}, Of: "frame"}},
	Together: []record.Together{{Of: "frame", Reads: []string{"position", "model.height"}, OwnerReads: []string{"height"}, Check: fits}},
	Brief:    []string{"name"},
	Order:    []string{"name"},
}

// fits checks that gear is within its frame, and that no two pieces have a place in common.
func fits(frame record.Member, gear []record.Member) (clashes []record.Clash) {
	taken := map[int64]int64{}
	for _, g := range gear {
		from := g.Int("position")
		for at := from; from > 0 && at < from+g.Int("model.height"); at++ {
			switch {
			case at > frame.Int("height"):
				clashes = append(clashes, record.Clash{Member: g.ID(), Field: "position", Message: "It does not fit into the frame."})
			case taken[at] != 0:
				clashes = append(clashes, record.Clash{Member: g.ID(), With: taken[at], Field: "position", Message: "The place is taken."})
			}
			taken[at] = g.ID()
		}
	}
	return clashes
}

// Stack is gear that works as one.
var Stack = record.Type{
	App: "trial", Name: "stack", Plural: "stacks", Section: "Trial",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 50, Required: true},
		record.Ref{Name: "leader", To: "trial.gear"},
	},
	Gives: []record.Gives{{To: "leader", OnCreation: true,
		Set: []record.Given{{Field: "stack", From: "id"}, {Field: "rank", Value: int64(1), IfNull: true}}}},
	Together: []record.Together{{Of: "leader", OwnerReads: []string{"stack"},
		Check: func(leader record.Member, stacks []record.Member) (clashes []record.Clash) {
			for _, s := range stacks {
				if leader.Int("stack") != s.ID() {
					clashes = append(clashes, record.Clash{Member: s.ID(), Message: "The leader must be in the stack."})
				}
			}
			return clashes
		}}},
	Brief: []string{"name"},
	Order: []string{"name"},
}

// Nest is a place in gear for other gear.
var Nest = record.Type{
	App: "trial", Name: "nest", Plural: "nests", Section: "Trial",
	Fields: record.Fields{
		record.Ref{Name: "gear", To: "trial.gear", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 50, Required: true},
		record.Ref{Name: "inside", To: "trial.gear", OnDelete: record.SetNull},
	},
	Gives: []record.Gives{{To: "inside", Set: []record.Given{{Field: "site", From: "gear.site"}, {Field: "location", From: "gear.location"},
		{Field: "frame", From: "gear.frame"}}}},
	Brief: []string{"name"},
	Order: []string{"name"},
}

// Jack is a jack of gear. It may belong to a trunk of the same gear, or of the same stack.
var Jack = record.Type{
	App: "trial", Name: "jack", Plural: "jacks", Section: "Trial",
	Fields: record.Fields{
		record.Ref{Name: "gear", To: "trial.gear", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 50, Required: true},
		record.Bool{Name: "is_trunk"},
		record.Ref{Name: "trunk", To: "trial.jack", OnDelete: record.SetNull},
	},
	Same: []record.Same{{Ref: "trunk", Path: "gear", Or: []record.Equal{{Path: "gear.stack"}}}},
	Together: []record.Together{{Of: "trunk", OwnerReads: []string{"is_trunk"},
		Check: func(trunk record.Member, jacks []record.Member) (clashes []record.Clash) {
			for _, jack := range jacks {
				if !trunk.Bool("is_trunk") {
					clashes = append(clashes, record.Clash{Member: jack.ID(), Message: "A trunk must be one."})
				}
			}
			return clashes
		}}},
	Brief: []string{"name"},
	Order: []string{"name"},
}

// Label is a label of gear, on one of its parts.
var Label = record.Type{
	App: "trial", Name: "label", Plural: "labels", Section: "Trial",
	Fields: record.Fields{
		record.Ref{Name: "gear", To: "trial.gear", Required: true, OnDelete: record.Cascade},
		record.Text{Name: "name", Max: 50, Required: true},
		record.AnyRef{Name: "part", To: []string{"trial.jack", "trial.nest"}, OnDelete: record.SetNull},
	},
	Same:  []record.Same{{Ref: "part", Path: "gear"}},
	Brief: []string{"name"},
	Order: []string{"name"},
}
