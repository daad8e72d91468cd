package record

import "errors"

// Depth is the field _depth of a type whose records form a tree: the number of records above one.
type Depth struct {
	readOnly
}

var _ Selected = Depth{}

// Select implements Selected.
func (f Depth) Select(s Selector) { s.Depth() }

func (f Depth) checkDeclaration(t *Type) error {
	if !t.Tree() {
		return errors.New("its type is not a tree: it has no reference parent to itself")
	}
	return nil
}

func (f Depth) Info() Info {
	return Info{Name: "_depth", Label: "Depth", Help: "How many records are above it in the tree.", Type: "integer", ReadOnly: true,
		Default: int64(0), Wide: true}
}

func (f Depth) Schema() Schema { return Schema{"type": "integer", "format": "int64"} }
