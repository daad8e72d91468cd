package record

import "fmt"

// Space declares that a field gives each record a place: an address its host, a prefix its network, a VLAN its number. Actions find
// free places with Call.Free, and nobody else takes a place between the moment when an action has found it and the end of the action.
// With Enforced two records can't have the same place.
type Space struct {
	Of     string // an address, which is compared by its host, a network, or a whole number. Derive must not set it
	Within string // a reference to one record: each of these has places of its own, and so have the records that refer to none
	// Enforced names a flag of the record behind Within: two records may not have the same place there. For records that refer to none,
	// a setting says so. If it is "", only Unique keeps places apart.
	Enforced string
	// Shared names a choice. Records may have the same place, even where it is Enforced, if all of them have one of the values SharedBy.
	Shared   string
	SharedBy []string
}

// WithinOf returns the id of the record that Within refers to, or 0.
func (s *Space) WithinOf(v Values) int64 {
	if s.Within == "" {
		return 0
	}
	return v.Link(s.Within).ID
}

// Reads returns the fields that decide whether two records have the same place, and whether they may.
func (s *Space) Reads() []string {
	fields := []string{s.Of}
	for _, name := range []string{s.Within, s.Shared} {
		if name != "" {
			fields = append(fields, name)
		}
	}
	return fields
}

// placed are the storages of fields that can be places.
var placed = map[Storage]bool{StoreInt: true, StoreNetwork: true, StoreAddress: true}

func (t *Type) checkSpace() error {
	s := t.Space
	if s == nil {
		return nil
	}
	if f := t.Field(s.Of); f == nil || !placed[f.Column().Storage] || f.Info().ReadOnly {
		return fmt.Errorf("its Space is of %q, which is not a number, network or address that is written", s.Of)
	}
	ref, refers := ReferenceOf(t.Field(s.Within))
	switch {
	case s.Within != "" && (!refers || ref.Many || ref.Target == nil):
		return fmt.Errorf("its Space is within %q, which is not a reference to one record", s.Within)
	case s.Enforced != "" && (s.Within == "" || ref.Target.Field(s.Enforced) == nil ||
		ref.Target.Field(s.Enforced).Column().Storage != StoreBool):
		return fmt.Errorf("its Space is enforced by %q, which is not a flag of a record that it is within", s.Enforced)
	case (s.Shared == "") != (len(s.SharedBy) == 0):
		return fmt.Errorf("its Space needs both Shared and SharedBy, or neither")
	}
	if f := t.Field(s.Shared); s.Shared != "" && (f == nil || f.Info().Type != "choice") {
		return fmt.Errorf("its Space is shared by %q, which is not a choice", s.Shared)
	}
	return nil
}

// FreePlaces asks for free places of a type that declares a Space.
type FreePlaces struct {
	Of     string // the type: "ipam.ipaddress"
	Within int64  // the record that they are within, 0 for none
	// Everywhere means that a place is not free if a record has it within any other record.
	Everywhere  bool
	None        bool // nothing is free
	First, Last any  // both included: addresses without a length, as texts, or int64
	Count       int  // how many are wanted, the lowest first
	// Less names records whose runs of places are not free either.
	Less *Runs
}

// Runs are the places between two fields of each record of a type, both included: IP ranges. They must not overlap within a record.
type Runs struct {
	Of          string
	Start, End  string // the fields
	Within      string // the reference; they count within the same record as the places
	First, Last any    // runs that are partly outside of these do not count
}
