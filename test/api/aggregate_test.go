package api_test

import (
	"fmt"
	"math"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestAggregates holds what a record tells of those that refer to it: through a reference, a set of references or a
// reference to one of several types, their number and their sums, of as many as the caller may see.
func TestAggregates(t *testing.T) {
	t.Parallel()
	w := newAnyWorld(t)
	const items, shelves = "/api/trial/items/", "/api/trial/shelves/"
	box := fmt.Sprintf("%s%d/", items, w.item)
	w.send(t, "PATCH", box, w.Admin, obj{"weight": 7, "length": 1.5}).Want(t, http.StatusOK)
	w.make(t, items, obj{"name": "crate", "shelf": w.shelf, "weight": 20, "length": 0.25, "friends": []int64{w.item}})
	w.make(t, items, obj{"name": "bag", "shelf": w.shelf, "friends": []int64{w.item}}) // weighs 0, and has no length
	lower := w.make(t, shelves, obj{"name": "lower"})
	w.make(t, stickers, w.sticker("trial.shelf", w.shelf, nil))
	w.make(t, stickers, w.sticker("trial.item", w.shelf, nil)) // an item with the id of the shelf
	_, limited := w.User(t, "limited", apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view", "change"}},
		apitest.Grant{Types: []string{"trial.item"}, Actions: []string{"view"}, Constraints: []any{obj{"name": "crate"}, obj{"name": "box"}}})
	shelf := func(token string, id int64) map[string]any {
		t.Helper()
		row := w.send(t, "GET", fmt.Sprintf("%s%d/", shelves, id), token, nil).Want(t, http.StatusOK).Object(t)
		listed := w.send(t, "GET", fmt.Sprintf("%s?id=%d", shelves, id), token, nil).Page(t).Results[0]
		for name := range numbers {
			if listed[name] != row[name] {
				t.Errorf("%s is %v in a list and %v alone", name, listed[name], row[name])
			}
		}
		return row
	}
	for _, c := range []struct {
		token                            string
		id                               int64
		items, stickers, weight, lengths float64
	}{
		{w.Admin, w.shelf, 3, 1, 27, 1.75},
		{w.Admin, lower, 0, 0, 0, 0},
		{limited, w.shelf, 2, 0, 27, 1.75},
	} {
		row := shelf(c.token, c.id)
		for name, want := range map[string]float64{"item_count": c.items, "sticker_count": c.stickers, "total_weight": c.weight,
			"total_length": c.lengths} {
			if row[name] != want {
				t.Errorf("%s of shelf %d is %v, want %v", name, c.id, row[name], want)
			}
		}
	}
	if n := w.send(t, "GET", box, w.Admin, nil).Object(t)["admirer_count"]; n != 2.0 {
		t.Errorf("%v items have the box among their friends, want 2", n)
	}
	if n := w.send(t, "GET", items+"?name=box", limited, nil).Object(t); n["count"] != 1.0 ||
		n["results"].([]any)[0].(map[string]any)["admirer_count"] != 1.0 {
		t.Errorf("who may see one of the items with the box among their friends is shown %v", n)
	}
	// A writer is shown no more than a reader.
	row := w.send(t, "PATCH", fmt.Sprintf("%s%d/", shelves, w.shelf), limited, obj{"name": "top"}).Want(t, http.StatusOK).Object(t)
	if row["item_count"] != 2.0 || row["sticker_count"] != 0.0 {
		t.Errorf("a writer is shown %v", row)
	}
	third := w.make(t, shelves, obj{"name": "third"})
	for i, length := range []float64{0.1, 0.2} {
		w.make(t, items, obj{"name": fmt.Sprint("stick ", i), "shelf": third, "length": length})
	}
	if row := shelf(w.Admin, third); row["total_length"] != 0.3 {
		t.Errorf("the decimals add up to %v, want 0.3", row["total_length"])
	}
	// A sum that no whole number can hold makes no list unreadable.
	for _, name := range []string{"heavy", "heavier"} {
		w.make(t, items, obj{"name": name, "shelf": lower, "weight": int64(math.MaxInt64)})
	}
	if row := shelf(w.Admin, lower); row["total_weight"] != float64(math.MaxInt64) {
		t.Errorf("the sum is %v", row["total_weight"])
	}
}

var numbers = map[string]bool{"item_count": true, "sticker_count": true, "total_weight": true, "total_length": true}
