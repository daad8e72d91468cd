package dcim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// elevations returns what is mounted and reserved in racks. Devices that the caller may not see take their space too.
func elevations(c record.Call, racks []record.Values) ([]any, error) {
	seen, err := c.Referring("dcim.device", "rack", racks)
	if err != nil {
		return nil, err
	}
	devices := map[int64]record.Values{}
	for _, device := range seen {
		devices[device.ID()] = device
	}
	all, err := c.Members("dcim.device", "rack", racks, "rack", "position", "face", "device_type.u_height", "device_type.is_full_depth",
		"device_role.color")
	if err != nil {
		return nil, err
	}
	reservations, err := c.Referring("dcim.rackreservation", "rack", racks, "units", "user", "description")
	if err != nil {
		return nil, err
	}
	data := make([]any, len(racks))
	for i, rack := range racks {
		e := record.Elevation{Units: rack.Int("u_height"), TopDown: rack.Bool("desc_units"), Faces: faces}
		for _, m := range all {
			if height := m.Float("device_type.u_height"); m.Int("rack") == rack.ID() && m.Get("position") != nil && height > 0 {
				e.Mounted = append(e.Mounted, record.Mounted{Record: devices[m.ID()], At: m.Float("position"), Height: height, Face: m.Text("face"),
					Through: m.Bool("device_type.is_full_depth"), Color: m.Text("device_role.color")})
			}
		}
		for _, r := range reservations {
			if r.Link("rack").ID == rack.ID() {
				units, _ := r.Get("units").([]int64)
				e.Reserved = append(e.Reserved, record.Reserved{Record: r, Units: units, Text: r.Text("description")})
			}
		}
		data[i] = e
	}
	return data, nil
}

// elevationAction lists the half units of one face of a rack from the top, or draws them.
var elevationAction = record.Action{
	Name: "elevation", Method: record.ReadMethod, Needs: "view", Paged: true, Draws: true,
	Doc: "List the half units of one face of a rack, from the top",
	Body: record.Fields{
		record.Choice{Name: "face", Of: faces, Default: "front", Help: "Which face of the rack."},
		record.Choice{Name: "render", Of: record.Choices{{Value: "json", Label: "json"}, {Value: "svg", Label: "svg"}}, Default: "json",
			Help: "svg sends a picture as a file."},
		record.Text{Name: "q", Max: 100, Help: "Keep the units whose number or name contains it."},
		record.Int{Name: "exclude", Null: true, Help: "The id of a device to leave out."},
		record.Bool{Name: "expand_devices", Default: true, Help: "Show a device at each unit that it takes, not only at the lowest one."},
		pixels("unit_width", 220),
		pixels("unit_height", 22),
		pixels("legend_width", 30),
		pixels("margin_width", 15),
		record.Bool{Name: "include_images", Default: true, Help: "Accepted without effect."},
		record.List{Name: "highlight", Help: "Highlight devices with this value of a field, such as id:5."},
	},
	Answer: record.Schema{"type": "object", "additionalProperties": false,
		"required": []string{"id", "name", "face", "device", "occupied", "display"}, "properties": record.Schema{
			"id": record.Schema{"type": "number"}, "name": record.Schema{"type": "string"}, "display": record.Schema{"type": "string"},
			"face": record.Schema{"type": "object", "required": []string{"value", "label"}, "properties": record.Schema{
				"value": record.Schema{"type": "string"}, "label": record.Schema{"type": "string"}}},
			"device":   record.Schema{"type": "object", "nullable": true, "additionalProperties": true},
			"occupied": record.Schema{"type": "boolean"}}},
	Do: elevation,
}

// pixels is a size in a picture.
func pixels(name string, size int64) record.Int {
	return record.Int{Name: name, Default: size, Min: new(int64(1)), Max: new(int64(2000)), Help: "Of the picture, in pixels."}
}

func elevation(c record.Call) (any, error) {
	in, rack := c.Inputs()[0], c.Record()
	data, err := elevations(c, []record.Values{rack})
	if err != nil {
		return nil, err
	}
	e := data[0].(record.Elevation)
	e.Mounted = slices.DeleteFunc(e.Mounted, func(m record.Mounted) bool {
		return m.Record.Type() != nil && in.Get("exclude") != nil && m.Record.ID() == in.Int("exclude")
	})
	e.Faces = slices.DeleteFunc(slices.Clone(e.Faces), func(face record.Option) bool { return face.Value != in.Text("face") })
	if in.Text("render") == "json" {
		return halfUnits(e, in), nil
	}
	if err := mark(e.Mounted, in.List("highlight")); err != nil {
		return nil, err
	}
	e.UnitWidth, e.UnitHeight, e.LegendWidth, e.MarginWidth = in.Int("unit_width"), in.Int("unit_height"), in.Int("legend_width"),
		in.Int("margin_width")
	return record.Picture{Drawing: "elevation", Label: rack.Display() + ", " + strings.ToLower(e.Faces[0].Label), Data: e}, nil
}

// halfUnits returns the half units of the only face of an elevation, as clients read them.
func halfUnits(e record.Elevation, in record.Input) []map[string]any {
	face := e.Faces[0]
	all := []map[string]any{}
	for _, slot := range e.Slots() {
		id := strconv.FormatFloat(slot, 'f', -1, 64)
		name := "U" + id
		if !strings.Contains(name, in.Text("q")) {
			continue
		}
		item := map[string]any{"id": slot, "name": name, "display": name, "device": nil, "occupied": false,
			"face": map[string]string{"value": face.Value, "label": face.Label}}
		if m := e.In(slot, face.Value); m != nil && (in.Bool("expand_devices") || m.At == slot) {
			item["occupied"] = true
			if m.Record.Type() != nil {
				item["device"] = m.Record
			}
		}
		all = append(all, item)
	}
	return all
}

// mark points out the devices that have one of some values, written as field:value.
func mark(mounted []record.Mounted, wanted []string) error {
	for _, want := range wanted {
		field, value, ok := strings.Cut(want, ":")
		if !ok {
			return fault.Field("highlight", "Write a field and its value, such as id:5.")
		}
		for i, m := range mounted {
			if t := m.Record.Type(); t != nil && (field == "id" && strconv.FormatInt(m.Record.ID(), 10) == value ||
				t.Field(field) != nil && m.Record.Has(field) && fmt.Sprint(m.Record.Get(field)) == value) {
				mounted[i].Marked = true
			}
		}
	}
	return nil
}
