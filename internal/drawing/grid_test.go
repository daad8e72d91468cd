package drawing

import (
	"fmt"
	"testing"

	"terrier/internal/record"
)

// TestGrid holds where spans are drawn: a part of a row, whole rows, and the rest; and what the table says of them.
func TestGrid(t *testing.T) {
	t.Parallel()
	data := record.Grid{Cells: 64, Labels: []string{"a", "b", "c", "d"}, Head: "Places", Caption: "Each cell is one.",
		Spans: []record.Span{{From: 0, To: 13, Places: "0–13", Use: record.GridTaken, Held: true},
			{From: 14, To: 51, Places: "14–51", Use: record.GridRange, What: "Range"}},
		Rows: []record.Span{{Places: "0–13", Use: record.GridTaken, Held: true},
			{Places: "52–63", Use: record.GridFree, New: &record.New{Of: "x.y"}}}, More: "and more"}
	d, err := Make("grid", "Map", data, Links{New: func(n record.New) string { return "/add/" + n.Of }})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range d.Shapes[4:] {
		got = append(got, fmt.Sprintf("%s %d,%d %dx%d %v", s.Class, s.X-16, s.Y, s.Width, s.Height, s.Hatch != ""))
	}
	want := "[cell taken hidden-record 0,0 476x24 false cell range 476,0 68x24 true cell range 0,24 544x48 true cell range 0,72 136x24 true]"
	if fmt.Sprint(got) != want {
		t.Errorf("it draws %v", got)
	}
	if rows := fmt.Sprint(d.Rows); rows != "[[{0–13 } {Taken }] [{52–63 } {Free: add here /add/x.y}] [{and more } { }]]" {
		t.Errorf("the table is %s", rows)
	}
	if len(d.Keys) != 2 || d.Keys[1].Text != "Reserved" {
		t.Errorf("the keys are %v", d.Keys)
	}
	if _, err := Make("grid", "Map", 7, Links{}); err == nil {
		t.Error("it draws a number")
	}
}
