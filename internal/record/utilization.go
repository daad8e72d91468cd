package record

import (
	"fmt"
	"slices"
	"strings"
)

// Utilization is how much of a record's addresses is used, in per cent with one decimal. The record has a Network, or a run of addresses
// from Start to End. It tells of all records, whoever asks, because nobody can use what hidden records have. It costs much, so only
// those get it who ask: ?utilization=true.
type Utilization struct {
	Name string
	Usage

	readOnly
}

// Usage says which addresses a record has, and what uses them.
type Usage struct {
	Network    string // a Network of the record
	Start, End string // or two Addresses
	Within     string // the reference that used addresses have in common with the record; "" for all there are
	Full       string // a flag: it is 100
	Pool       string // a flag: the first and the last address of an IPv4 network are usable

	// Blocks is the Network of a type, "ipam.prefix.prefix", that covers a part of the record's. Those of the record's own type must be
	// smaller than its own.
	Blocks string
	// Hosts is the Address of a type, "ipam.ipaddress.address", each of which is used.
	Hosts string
	// Runs are two Addresses of a type, "ipam.iprange.start_address" and "ipam.iprange.end_address". All between them are used, if the
	// run is in the network as a whole.
	Runs [2]string
	// BlocksIf is a choice and its value, "status=container": such a record counts blocks, and any other hosts and runs.
	BlocksIf string
	// AllHosts means that hosts within any other record take addresses of a record with BlocksIf that is within none. They are not counted,
	// but not given out either.
	AllHosts bool

	columns map[string]Column
	foreign map[string]TypeColumn
}

// TypeColumn is a column of a type.
type TypeColumn struct {
	Of *Type
	Column
}

var _ Selected = Utilization{}

// ColumnOf returns one of the columns that the declaration names; ok is false where it names none.
func (u Usage) ColumnOf(name string) (c Column, ok bool) {
	c, ok = u.columns[name]
	return c, ok
}

// Foreign returns a column of another type that the declaration names.
func (u Usage) Foreign(name string) TypeColumn { return u.foreign[name] }

// OwnerOf returns the column with which a type refers to what used addresses have in common.
func (u Usage) OwnerOf(t *Type) Column { return t.Field(u.Within).Column() }

// HostsOfAll reports whether hosts within any record take addresses of this one.
func (u Usage) HostsOfAll(v Values) bool {
	name, value, _ := strings.Cut(u.BlocksIf, "=")
	return u.AllHosts && v.Text(name) == value && v.Link(u.Within).ID == 0
}

// Condition returns the column of the choice in BlocksIf, and its value.
func (u Usage) Condition() (c Column, value string) {
	name, value, _ := strings.Cut(u.BlocksIf, "=")
	return u.columns[name], value
}

// names are the fields of the record that the declaration names.
func (u Usage) names() []string {
	condition, _, _ := strings.Cut(u.BlocksIf, "=")
	return slices.DeleteFunc([]string{u.Network, u.Start, u.End, u.Within, u.Full, u.Pool, condition}, func(s string) bool { return s == "" })
}

// among implements sibling: it finds the columns.
func (f Utilization) among(fields Fields) (Field, error) {
	f.columns = map[string]Column{}
	for _, name := range f.names() {
		i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == name })
		if i < 0 || fields[i].Column().Storage == NoStorage {
			return nil, fmt.Errorf("field %s names %q, which is not a field with a column", f.Name, name)
		}
		f.columns[name] = fields[i].Column()
	}
	if (f.Network == "") == (f.Start == "" || f.End == "") {
		return nil, fmt.Errorf("field %s needs a Network, or a Start and an End", f.Name)
	}
	return f, nil
}

func (f Utilization) resolve(r *Registry) (Field, error) {
	f.foreign = map[string]TypeColumn{}
	for _, path := range []string{f.Blocks, f.Hosts, f.Runs[0], f.Runs[1]} {
		if path == "" {
			continue
		}
		at := max(strings.LastIndex(path, "."), 0)
		of := r.byKey[path[:at]]
		if of == nil {
			return nil, fmt.Errorf("field %s names %q, and there is no such type", f.Name, path)
		}
		fields := of.declared() // the other type may not be built yet
		i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == path[at+1:] })
		if i < 0 || fields[i].Column().Storage != StoreNetwork && fields[i].Column().Storage != StoreAddress {
			return nil, fmt.Errorf("field %s names %q, which is neither a network nor an address", f.Name, path)
		}
		f.foreign[path] = TypeColumn{of, fields[i].Column()}
	}
	return f, nil
}

func (f Utilization) checkDeclaration(*Type) error {
	if f.Blocks == "" && f.Hosts == "" || (f.BlocksIf != "") != (f.Blocks != "" && f.Hosts != "") {
		return fmt.Errorf("it counts Blocks or Hosts, and needs BlocksIf where it can count either")
	}
	for _, other := range f.foreign {
		if f.Within != "" && TargetOf(other.Of.Field(f.Within)) == nil {
			return fmt.Errorf("it is within %q, and %s has no such reference", f.Within, other.Of.Key())
		}
	}
	return nil
}

// Select implements Selected.
func (f Utilization) Select(s Selector) { s.Utilization(f.Usage) }

func (f Utilization) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "decimal", ReadOnly: true,
		Help:    "The share of its addresses that is used, in per cent.",
		Default: float64(0), OnRequest: true, Percent: true}
}

func (f Utilization) Schema() Schema {
	return Schema{"type": "number", "format": "double", "minimum": 0, "maximum": 100}
}
