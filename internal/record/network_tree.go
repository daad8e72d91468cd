package record

import (
	"fmt"
	"slices"
	"strings"
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
	Narrow string // the filters that leave a part of the tree, as a refusal names them: "within or vrf_id"

	network, owner Column
}

// Network returns the column of the network.
func (t NetworkTree) Network() Column { return t.network }

// Owner returns the column of what the tree belongs to.
func (t NetworkTree) Owner() Column { return t.owner }

var (
	_ Reckoned = Inside{}
	_ Reckoned = Around{}
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

// NarrowBy implements Reckoned.
func (t NetworkTree) NarrowBy() string { return t.Narrow }

func (f Inside) Lookups() []Lookup               { return reckonedLookups }
func (f Around) Lookups() []Lookup               { return reckonedLookups }
func (f Inside) ParseText(s string) (any, error) { return Int{}.ParseText(s) }
func (f Around) ParseText(s string) (any, error) { return Int{}.ParseText(s) }

// addFilters adds the filter without the underscore that the name may begin with.
func (f Inside) addFilters(m map[string]filter, _ *Type) { addReckoned(m, f) }

// addFilters adds the filter without the underscore that the name may begin with.
func (f Around) addFilters(m map[string]filter, _ *Type) { addReckoned(m, f) }

// FilterNameOf returns the name of the filter for a field that is worked out.
func FilterNameOf(f Field) string { return strings.TrimPrefix(f.Info().Name, "_") }

func addReckoned(m map[string]filter, f Reckoned) {
	m[FilterNameOf(f)] = plainFilter(Predicate{Field: f}, f)
}

var reckonedLookups = []Lookup{Exact, Not, Less, AtMost, Greater, AtLeast}

func (f Inside) Info() Info { return treeInfo(f.Name, f.Label, f.Help) }
func (f Around) Info() Info { return treeInfo(f.Name, f.Label, f.Help) }

func treeInfo(name, given, help string) Info {
	return Info{Name: name, Label: label(given, name), Help: help, Type: "integer", ReadOnly: true, Default: int64(0), Wide: true}
}

func (f Inside) Schema() Schema { return Schema{"type": "integer", "format": "int64"} }
func (f Around) Schema() Schema { return Schema{"type": "integer", "format": "int64"} }
