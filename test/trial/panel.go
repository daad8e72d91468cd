package trial

import (
	"fmt"

	"terrier/internal/record"
)

// places returns the places of shelves, with the items that have one.
func places(c record.Call, shelves []record.Values) ([]any, error) {
	items, err := c.Referring("trial.item", "shelf", shelves, "place")
	if err != nil {
		return nil, err
	}
	data := make([]any, len(shelves))
	for i, shelf := range shelves {
		e := record.Elevation{Units: shelf.Int("places"), TopDown: true, Faces: record.Choices{{Value: "front", Label: "Front"}}}
		for _, item := range items {
			if at, placed := item.Get("place").(int64); placed && item.Link("shelf").ID == shelf.ID() {
				e.Mounted = append(e.Mounted, record.Mounted{Record: item, At: float64(at), Height: 1, Face: "front"})
			}
		}
		data[i] = e
	}
	return data, nil
}

// placesAction lists the places of a shelf page by page, or draws them.
var placesAction = record.Action{Name: "places", Method: "GET", Needs: "view", Doc: "List the places of a shelf", Paged: true, Draws: true,
	Body: record.Fields{
		record.Bool{Name: "draw"},
		record.List{Name: "highlight"},
	},
	Answer: record.Schema{"type": "object", "required": []string{"id", "item"}, "additionalProperties": false, "properties": record.Schema{
		"id": record.Schema{"type": "number"}, "item": record.Schema{"type": "object", "nullable": true}}},
	Do: func(c record.Call) (any, error) {
		data, err := places(c, []record.Values{c.Record()})
		if err != nil {
			return nil, err
		}
		e, in := data[0].(record.Elevation), c.Inputs()[0]
		for i, m := range e.Mounted {
			for _, name := range in.List("highlight") {
				e.Mounted[i].Marked = e.Mounted[i].Marked || m.Record.Text("name") == name
			}
		}
		if in.Bool("draw") {
			return record.Picture{Drawing: "elevation", Label: fmt.Sprint("Places of ", c.Record().Display()), Data: e}, nil
		}
		var all []map[string]any
		for _, slot := range e.Slots() {
			item := map[string]any{"id": slot, "item": nil}
			if m := e.In(slot, "front"); m != nil {
				item["item"] = m.Record
			}
			all = append(all, item)
		}
		return all, nil
	}}
