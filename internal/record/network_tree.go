package record

import (
	"fmt"
	"slices"
)

// The networks of a type form a tree without a stored parent: one is inside another if its addresses are. Those of each record that
// Within refers to are a tree of their own, and so are those without one.

// Inside is the number of other records whose network is inside this one's.
type Inside struct {
	Name, Label, Help string
	NetworkTree

	readOnly
}

// Around is the number of different networks that this record's network is inside of: its depth in the tree.
type Around struct {
	Name, Label, Help string
	NetworkTree

	readOnly
}

// NetworkTree says which networks form a tree.
type NetworkTree struct {
	Of     string // the field with the network
	Within string // the reference to what the tree belongs to

	network, owner Column
}

// Network returns the column of the network.
func (t NetworkTree) Network() Column { return t.network }

// Owner returns the column of what the tree belongs to.
func (t NetworkTree) Owner() Column { return t.owner }

var (
	_ Selected = Inside{}
	_ Selected = Around{}
)

// among finds the columns.
func (t NetworkTree) among(fields Fields) (NetworkTree, error) {
	column := func(name string) (c Column, found bool) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Info().Name == name })
		if i < 0 {
			return c, false
		}
		return fields[i].Column(), true
	}
	var of, within bool
	t.network, of = column(t.Of)
	t.owner, within = column(t.Within)
	if !of || !within || t.network.Storage != StoreNetwork || t.network.Null || !t.owner.Null {
		return t, fmt.Errorf("a tree needs a network that is always there and a reference that may be null, not %q and %q", t.Of, t.Within)
	}
	return t, nil
}

// among implements sibling.
func (f Inside) among(fields Fields) (_ Field, err error) {
	f.NetworkTree, err = f.NetworkTree.among(fields)
	return f, err
}

// among implements sibling.
func (f Around) among(fields Fields) (_ Field, err error) {
	f.NetworkTree, err = f.NetworkTree.among(fields)
	return f, err
}

// Select implements Selected.
func (f Inside) Select(s Selector) { s.NetworksInside(f.NetworkTree) }

// Select implements Selected.
func (f Around) Select(s Selector) { s.NetworksAround(f.NetworkTree) }

func (f Inside) Info() Info { return treeInfo(f.Name, f.Label, f.Help) }
func (f Around) Info() Info { return treeInfo(f.Name, f.Label, f.Help) }

func treeInfo(name, given, help string) Info {
	return Info{Name: name, Label: label(given, name), Help: help, Type: "integer", ReadOnly: true, Default: int64(0), Wide: true}
}

func (f Inside) Schema() Schema { return Schema{"type": "integer", "format": "int64"} }
func (f Around) Schema() Schema { return Schema{"type": "integer", "format": "int64"} }
