package record

import "fmt"

// Apart declares that records never overlap: the networks of aggregates, or the runs of addresses from one field to another, within the
// record behind a reference. The error is on the network, or on no field for a run.
type Apart struct {
	Of     string // a network, or the address that a run begins with
	To     string // the address that a run ends with, "" for networks
	Within string // a reference to one record; records that refer to none are kept apart, too. "" for all records
}

// Reads returns the fields that decide whether two records overlap.
func (a *Apart) Reads() []string {
	fields := []string{a.Of}
	for _, name := range []string{a.To, a.Within} {
		if name != "" {
			fields = append(fields, name)
		}
	}
	return fields
}

// WithinOf returns the id of the record that Within refers to, or 0.
func (a *Apart) WithinOf(v Values) int64 {
	if a.Within == "" {
		return 0
	}
	return v.Link(a.Within).ID
}

func (t *Type) checkApart() error {
	a := t.Apart
	if a == nil {
		return nil
	}
	is := func(name string, s Storage) bool {
		f := t.Field(name)
		return f != nil && f.Column().Storage == s && f.Info().Required
	}
	if !is(a.Of, StoreNetwork) && a.To == "" || a.To != "" && (!is(a.Of, StoreAddress) || !is(a.To, StoreAddress)) {
		return fmt.Errorf("its Apart is of %q to %q, and needs a required network, or two required addresses", a.Of, a.To)
	}
	if ref, refers := ReferenceOf(t.Field(a.Within)); a.Within != "" && (!refers || ref.Many || ref.Target == nil) {
		return fmt.Errorf("its Apart is within %q, which is not a reference to one record", a.Within)
	}
	return nil
}
