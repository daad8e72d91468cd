package ledger_test

import (
	"fmt"
	"testing"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

// boxType is a box. It is in the site of the box that it is in.
var boxType = record.Type{
	App: "trial", Name: "box", Plural: "boxes", Section: "Trial",
	Fields: record.Fields{
		record.Text{Name: "name", Max: 10, Required: true},
		record.Ref{Name: "outer", To: "trial.box"},
		record.Ref{Name: "site", To: "dcim.site"},
	},
	Follows: []record.Follows{{Fields: []string{"site"}, Of: "outer"}},
	Brief:   []string{"name"},
	Order:   []string{"name"},
}

// TestFollowsWithinOneRequest: a record that begins to follow another one takes the values that the same request gives that one, in
// whatever order they are sent. A cycle ends.
func TestFollowsWithinOneRequest(t *testing.T) {
	t.Parallel()
	b := newBundle(t, boxType)
	site := func(n int) string { return fmt.Sprint(b.create(t, "dcim.site", named(n))[0].ID()) }
	near, far := site(1), site(2)
	typ := b.reg.Type("trial.box")
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		boxes := b.create(t, "trial.box", ledger.Input{"name": "a"}, ledger.Input{"name": "b"}, ledger.Input{"name": "c", "site": near})
		inputs := []ledger.Input{{"outer": fmt.Sprint(boxes[1].ID())}, {"outer": fmt.Sprint(boxes[2].ID())}, {"site": far}}
		var edits []ledger.Edit
		for _, i := range order {
			edits = append(edits, ledger.Edit{ID: boxes[i].ID(), Input: inputs[i]})
		}
		moved, err := b.Update(t.Context(), b.root, typ, edits)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range moved {
			if fmt.Sprint(v.Link("site").ID) != far {
				t.Errorf("in the order %v, box %s is in site %d, want %s", order, v.Display(), v.Link("site").ID, far)
			}
		}
	}
	boxes := b.create(t, "trial.box", ledger.Input{"name": "a", "site": near}, ledger.Input{"name": "b", "site": near})
	_, err := b.Update(t.Context(), b.root, typ, []ledger.Edit{
		{ID: boxes[0].ID(), Input: ledger.Input{"outer": fmt.Sprint(boxes[1].ID())}},
		{ID: boxes[1].ID(), Input: ledger.Input{"outer": fmt.Sprint(boxes[0].ID())}}})
	if err != nil {
		t.Errorf("two boxes in each other: %v", err)
	}
}
