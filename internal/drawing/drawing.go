// Package drawing owns the pictures that pages and the API show: what is where, as shapes, and the same as a table for people who can't
// see them. It knows neither pages nor HTTP. Pages give the shapes their colours, and SVG makes a file that needs no other.
package drawing

import (
	"fmt"

	"terrier/internal/record"
)

// Drawing is a picture, and the same as a table.
type Drawing struct {
	Label         string // what the picture shows, in words
	Caption       string // what is written below it
	Width, Height int64
	Shapes        []Shape
	Heads         []string
	Rows          [][]Cell
	Keys          []Shape // what the styles mean: the class and the text
}

// Shape is a rectangle and the text in it.
type Shape struct {
	Class         string // of its style
	X, Y          int64
	Width, Height int64
	Text          string
	Title         string // what it is, in words, for somebody who points at it
	Fill          string // six hexadecimal digits, if its colour is data
	Hatch         string // the path of lines across it
	Href          string
}

// Cell is a text of the table, with or without a link.
type Cell struct{ Text, Href string }

// Links says where shapes lead to. A function that returns "" means nowhere.
type Links struct {
	Record func(record.Values) string
	// Add returns the address of the form for a new record at a unit of a face.
	Add func(at, face string) string
	// New returns the address of the form for a record, and List that of a part of a list.
	New  func(record.New) string
	List func(record.Listing) string
}

// drawings are the drawings that a panel or an action can name.
var drawings = map[string]func(label string, data any, links Links) (*Drawing, error){
	"elevation": elevation,
	"grid":      grid,
}

// Exists reports whether there is a drawing of that name.
func Exists(name string) bool { return drawings[name] != nil }

// Make returns a drawing of what a panel or an action returned.
func Make(name, label string, data any, links Links) (*Drawing, error) {
	draw := drawings[name]
	if draw == nil {
		return nil, fmt.Errorf("%q names the drawing %q, and there is no such drawing", label, name)
	}
	return draw(label, data, links)
}
