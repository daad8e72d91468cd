package drawing_test

import (
	"slices"
	"testing"

	"terrier/internal/drawing"
	"terrier/internal/record"
)

// TestGridKeysHaveEveryColour: each shade of a map is explained, and the last lines are inside of it.
func TestGridKeysHaveEveryColour(t *testing.T) {
	g := record.Grid{Caption: "c", Head: "h", Cells: 4, Labels: []string{"a"}}
	for i, share := range []float64{0.1, 0.5, 0.7, 1} {
		g.Spans = append(g.Spans, record.Span{Use: record.GridUsed, Share: share, From: i, To: i})
	}
	d, err := drawing.Make("grid", "Map", g, drawing.Links{})
	if err != nil {
		t.Fatal(err)
	}
	var classes []string
	for _, key := range d.Keys {
		classes = append(classes, key.Class)
	}
	for _, s := range d.Shapes {
		if s.Class != "row-label" && !slices.Contains(classes, s.Class) {
			t.Errorf("no key explains %q: %q", s.Class, classes)
		}
		if s.X+s.Width >= d.Width && s.Class != "row-label" || s.Y+s.Height >= d.Height {
			t.Errorf("the line of %+v is at the edge of a drawing of %d × %d", s, d.Width, d.Height)
		}
	}
}
