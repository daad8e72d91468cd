package drawing

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"terrier/internal/record"
)

// box returns a record with a name.
func box(t *testing.T, name string) record.Values {
	t.Helper()
	r, err := record.NewRegistry(record.Type{App: "a", Name: "box", Plural: "boxes", Brief: []string{"name"},
		Fields: record.Fields{record.Text{Name: "name", Max: 100, Required: true}}})
	if err != nil {
		t.Fatal(err)
	}
	v := r.Type("a.box").NewValues()
	v.Set("name", name)
	return v
}

var faces = record.Choices{{Value: "front", Label: "Front"}, {Value: "rear", Label: "Rear"}}

// TestElevation checks what is drawn where: from the top and from the bottom, half units, both faces, and what the caller may not see.
func TestElevation(t *testing.T) {
	t.Parallel()
	rack := record.Elevation{Units: 5, Faces: faces, Mounted: []record.Mounted{
		{Record: box(t, "switch"), At: 1, Height: 1.5, Face: "front", Color: "ff0000"},
		{Record: box(t, "server"), At: 3, Height: 2, Face: "rear", Through: true},
		{At: 2.5, Height: 0.5, Face: "rear"}, // hidden
		{Record: box(t, "too high"), At: 5, Height: 2, Face: "front"},
	}, Reserved: []record.Reserved{{Record: box(t, "x"), Units: []int64{5, 1}, Text: "for Anna"}}}
	for _, c := range []struct {
		topDown bool
		want    string
	}{
		{false, `
unit-number 0 110 22 1 | unit-number 0 88 22 2 | unit-number 0 66 22 3 | unit-number 0 44 22 4 | unit-number 0 22 22 5
face-name 30 0 22 Front | unit 30 88 11 | mounted from-behind 30 44 44 server >server | mounted 30 99 33 switch >switch
face-name 265 0 22 Rear | unit reserved 265 110 22 for Anna +1 rear | unit 265 99 11 +2 rear | unit reserved 265 22 22 for Anna +5 rear
mounted 265 44 44 server >server | mounted hidden-record half 265 88 11 Taken`},
		{true, `
unit-number 0 22 22 1 | unit-number 0 44 22 2 | unit-number 0 66 22 3 | unit-number 0 88 22 4 | unit-number 0 110 22 5
face-name 30 0 22 Front | unit 30 55 11 | mounted 30 22 33 switch >switch | mounted from-behind 30 66 44 server >server
face-name 265 0 22 Rear | unit reserved 265 22 22 for Anna +1 rear | unit 265 44 11 +2 rear | unit reserved 265 110 22 for Anna +5 rear
mounted hidden-record half 265 55 11 Taken | mounted 265 66 44 server >server`},
	} {
		rack.TopDown = c.topDown
		d, err := Make("elevation", "Rack", rack, Links{
			Record: func(v record.Values) string { return ">" + v.Display() },
			Add: func(at, face string) string {
				if face == "front" {
					return "" // they may add nothing there
				}
				return "+" + at + " " + face
			}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range d.Shapes {
			got = append(got, strings.Join(strings.Fields(fmt.Sprint(s.Class, " ", s.X, " ", s.Y, " ", s.Height, " ", s.Text, " ", s.Href)), " "))
		}
		if want := strings.ReplaceAll(strings.TrimSpace(c.want), "\n", " | "); strings.Join(got, " | ") != want {
			t.Errorf("top down: %v\ngot  %s\nwant %s", c.topDown, strings.Join(got, " | "), want)
		}
		if d.Label != "Rack: 100 % of 5 units in use" || d.Width != 500 || d.Height != 132 {
			t.Errorf("the drawing is %q, %d × %d", d.Label, d.Width, d.Height)
		}
	}
	d, err := Make("elevation", "Rack", rack, Links{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, row := range d.Rows {
		rows = append(rows, row[0].Text+" "+row[1].Text+" "+row[2].Text)
	}
	want := "U1–U2 Front switch | U2.5 Rear Taken | U3–U4 Front and Rear server | U5–U6 Front too high | U1, U5  Reserved: for Anna | " +
		"U2.5 Front Free | U1–U2 Rear Free | U5 Rear Free"
	if got := strings.Join(rows, " | "); got != want {
		t.Errorf("the table is %s\nwant %s", got, want)
	}
}

// TestSVG: the file is well-formed whatever the names are, has nothing that could run, and its own colours.
func TestSVG(t *testing.T) {
	t.Parallel()
	hostile := `</text><script>alert(1)</script>"'&` + "\x00\x1f"
	e := record.Elevation{Units: 2, Faces: faces[:1], UnitWidth: 100, Mounted: []record.Mounted{
		{Record: box(t, hostile), At: 1, Height: 1, Face: "front", Color: "ffffff", Marked: true}},
		Reserved: []record.Reserved{{Units: []int64{2}, Text: hostile}}}
	d, err := Make("elevation", hostile, e, Links{Record: func(record.Values) string { return `/x/?a="><script>` }})
	if err != nil {
		t.Fatal(err)
	}
	file := d.SVG()
	dec := xml.NewDecoder(strings.NewReader(string(file)))
	names := map[string]int{}
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, file)
		}
		if start, ok := token.(xml.StartElement); ok {
			names[start.Name.Local]++
		}
	}
	if names["script"] > 0 || names["a"] != 1 || names["path"] != 1 || names["rect"] != 5 {
		t.Errorf("the elements are %v in %s", names, file)
	}
	if !strings.Contains(string(file), `fill="#000000"`) || !strings.Contains(string(file), `stroke="#d63384"`) {
		t.Errorf("a white, marked device is drawn as %s", file)
	}
}

// TestInk: a text can be read on every colour.
func TestInk(t *testing.T) {
	t.Parallel()
	light := func(color string) float64 {
		var r, g, b int
		if _, err := fmt.Sscanf(color, "%02x%02x%02x", &r, &g, &b); err != nil {
			t.Fatal(err)
		}
		part := func(n int) float64 {
			if c := float64(n) / 255; c > 0.04045 {
				return math.Pow((c+0.055)/1.055, 2.4)
			}
			return float64(n) / 255 / 12.92
		}
		return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
	}
	for n := 0; n < 1<<24; n += 4099 {
		color := fmt.Sprintf("%06x", n)
		a, b := light(color), light(Ink(color))
		if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
			t.Fatalf("%s on %s has the contrast %.2f", Ink(color), color, contrast)
		}
	}
	if Ink("") != "000000" {
		t.Error("no colour has another ink than black")
	}
}
