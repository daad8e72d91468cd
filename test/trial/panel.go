package trial

import "terrier/internal/record"

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
