package trial

import "terrier/internal/record"

// places returns the places of a shelf, with the items that have one.
func places(shelf record.Values, items []record.Values) any {
	slots := record.Slots{Count: shelf.Int("places")}
	for _, item := range items {
		if at, placed := item.Get("place").(int64); placed {
			slots.Taken = append(slots.Taken, record.Slot{At: at, Size: 1, Record: item})
		}
	}
	return slots
}
