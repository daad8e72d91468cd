package record

import (
	"fmt"
	"strconv"
)

// Map names the fields that say where a record is, so that its page can link to a map.
type Map struct{ Latitude, Longitude, Address string }

// Place returns where a record is, as map services take it: its coordinates, "38.7167,-9.1333", or else its address. It is "" if the record
// has neither, or its type has no Map.
func (t *Type) Place(v Values) string {
	if t.Map == nil {
		return ""
	}
	latitude, north := v.Get(t.Map.Latitude).(float64)
	longitude, east := v.Get(t.Map.Longitude).(float64)
	if north && east {
		return strconv.FormatFloat(latitude, 'f', -1, 64) + "," + strconv.FormatFloat(longitude, 'f', -1, 64)
	}
	return v.Text(t.Map.Address)
}

// checkMap checks the names of the fields.
func (t *Type) checkMap() error {
	if t.Map == nil {
		return nil
	}
	for name, storage := range map[string]Storage{t.Map.Latitude: StoreFloat, t.Map.Longitude: StoreFloat, t.Map.Address: StoreText} {
		if f := t.Field(name); f == nil || f.Column().Storage != storage {
			return fmt.Errorf("its Map names %q, which is not a coordinate, or not a text", name)
		}
	}
	return nil
}
