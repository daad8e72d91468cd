package record

import "slices"

// This file has a small interface for each capability that only some kinds of field have. Each kind asserts its capabilities at the
// top of its file. Other packages ask for the capability and never for the kind, so that a new kind is one new file.

// Referring is a field that refers to records.
type Referring interface {
	Field
	Reference() Reference
}

// Reference is what a field refers to.
type Reference struct {
	Target     *Type // nil for a reference to one of several types
	Many       bool  // a set of records, not one
	OnDelete   OnDelete
	Clears     []string // fields that become null with the reference, if OnDelete empties it
	Loose      bool     // kept when the target is deleted: there is no foreign key
	NullFirst  bool     // in the default order, records without one come first
	Tags       bool     // the labels people stick on a record
	FilterName string   // ?tag=…, ?tag_id=…
	Also       []int    // the positions in Target of fields that a link has after the brief ones
	Author     bool     // of a new record, it is the caller unless another user or null is given

	// For a reference to one of several types: the types, and the fields that hold the type and the id.
	Targets            []*Type
	TypeField, IDField string
	Tab                string // the tab of these types that lists the records which refer to one; "" for none
}

// Of returns the type of the record behind a link.
func (r Reference) Of(l Link) *Type {
	if l.Of != nil {
		return l.Of
	}
	return r.Target
}

// ValueOf returns the value that a link has for a field of the record behind it; ok is false if it has none.
func (r Reference) ValueOf(l Link, field string) (value any, ok bool) {
	t := r.Of(l)
	for n, i := range slices.Concat(t.BriefOf(l), r.Also) {
		if t.infos[i].Name == field && n < len(l.Brief) {
			return l.Brief[n], true
		}
	}
	return nil, false
}

// IncludesBelow reports whether what refers to a record through this field of a type includes what refers to those below it: in filters by
// it, counts, and the pages of records. The field must be a reference to one record of another type, which is a tree. A set of references,
// a reference to one of several types, and the parent of a tree refer to a record alone.
func (r Reference) IncludesBelow(of *Type) bool {
	return !r.Many && r.Target != nil && r.Target != of && r.Target.Tree()
}

// Types returns the types that can be referred to.
func (r Reference) Types() []*Type {
	if r.Target != nil {
		return []*Type{r.Target}
	}
	return r.Targets
}

// refersTo reports whether the reference can be to a record of a type.
func (r Reference) refersTo(t *Type) bool { return r.Target == t || slices.Contains(r.Targets, t) }

// ReferenceOf returns what a field refers to; ok is false where it refers to nothing.
func ReferenceOf(f Field) (r Reference, ok bool) {
	if x, ok := f.(Referring); ok {
		return x.Reference(), true
	}
	return Reference{}, false
}

// ReferenceField is a field of a type that refers to records.
type ReferenceField struct {
	Index   int // in All
	Name    string
	Written []int // the positions in All of the fields that hold it: itself, or the type and the id
	Reference
}

// Links returns the links to the records that v refers to through the field.
func (f ReferenceField) Links(v Values) []Link {
	switch x := v.At(f.Written[0]).(type) {
	case Link:
		return []Link{x}
	case []Link:
		return x
	case string:
		if id, ok := v.At(f.Written[1]).(int64); ok {
			return []Link{f.anyLink(v, x, id)}
		}
	}
	return nil
}

// LinkTo returns a link to a record.
func (r Reference) LinkTo(t *Type, id int64) Link {
	if r.Target != nil {
		return Link{ID: id}
	}
	return Link{ID: id, Of: t}
}

// SetLink makes v refer to one record through the field.
func (f ReferenceField) SetLink(v Values, l Link) {
	v.SetAt(f.Index, l)
	if f.TypeField != "" {
		v.SetAt(f.Written[0], l.Of.Key())
		v.SetAt(f.Written[1], l.ID)
	}
}

// anyLink returns the link to a record of a type, with its brief fields if they were read.
func (f ReferenceField) anyLink(v Values, key string, id int64) Link {
	if read, ok := v.At(f.Index).(Link); ok && read.ID == id && read.Of.Key() == key {
		return read
	}
	return Link{ID: id, Of: v.t.reg.byKey[key]}
}

// Missing returns the name of the half that a reference to one of several types lacks, "" if it has both or none.
func (f ReferenceField) Missing(v Values) string {
	switch {
	case f.TypeField == "" || (v.At(f.Written[0]) == nil) == (v.At(f.Written[1]) == nil):
		return ""
	case v.At(f.Written[0]) == nil:
		return f.TypeField
	}
	return f.IDField
}

// TargetOf returns the type that a field refers to, nil where it refers to none or to one of several.
func TargetOf(f Field) *Type {
	r, _ := ReferenceOf(f)
	return r.Target
}

// Hop is a step from a record to the records that it refers to, or back to those that refer to it.
type Hop struct {
	Name   string // of the field; of Target's field for a step back
	Target *Type  // the type of the records that it leads to
	Many   bool   // the field is a set
	Back   bool   // to the records of Target that refer to this one
	Up     bool   // without a field, in a tree: to the record itself and to all below it
}

// HopOf returns the step through a field; its Target is nil where the field refers to nothing.
func HopOf(f Field) Hop {
	r, ok := ReferenceOf(f)
	if !ok {
		return Hop{}
	}
	return Hop{Name: f.Info().Name, Target: r.Target, Many: r.Many}
}

// Selected is a field that is not read as a plain column.
type Selected interface {
	Field
	// Select calls the one method of the Selector that its value comes from.
	Select(Selector)
}

// Selector has a method for each thing that can be read with a record. The store implements it.
type Selector interface {
	// Column reads a column of the record.
	Column(Column)
	// Link reads the reference in a column of the record, with the brief fields of its target.
	Link(Column, Reference)
	// AnyLink reads the reference in two columns of the record: the type and the id.
	AnyLink(typ, id Column, ref Reference)
	// Links reads the set of references in a column of the record.
	Links(Column, Reference)
	// Members reads the values of all custom fields that are defined for the record's type.
	Members(Column)
	// HasValue reads whether a column of the record is not null.
	HasValue(Column)
	// Either reads whether one of several columns of the record is true.
	Either([]Column)
	// Part reads a number that the database computes from a column of the record.
	Part(Column)
	// Aggregate reads the number of records of a type that refer to this one through a field, or the sum of one of their fields.
	Aggregate(of *Type, by, sum Field)
	// CountBelow reads the number of records of a type that refer to this one, or to one below it in its tree, through a field.
	CountBelow(of *Type, by Field)
	// CountBetween reads how many records of a type have a number from one column of this record to another, both included.
	CountBetween(of *Type, number Field, from, to Column)
	// Back reads the one record that refers to this one.
	Back(BackLink)
	// Backs reads the records of a type that refer to this one through a field, as far as the caller may see them.
	Backs(of *Type, by Field)
	// Depth reads how many records are above this one in the tree of its type.
	Depth()
	// NetworksInside reads how many networks of the record's tree are inside its own.
	NetworksInside(NetworkTree)
	// NetworksAround reads how many different networks of the record's tree its own is inside of.
	NetworksAround(NetworkTree)
	// Utilization reads how much of the record's addresses is used.
	Utilization(Usage)
	// Row reads a field of another record that this one belongs to.
	Row(OtherRow)
	// Note reads a time from a side table, which has at most one row for each record.
	Note(table, key, column string)
	// Called reads what the record is called, by the first form that it has all values for.
	Called([]CalledForm)
	// Compute computes the value from other fields after they are read.
	Compute(of func(Values) any, needs []string)
	// Nothing reads no value. The ledger fills it in.
	Nothing()
}

// Reckoned is a whole number that the database works out for each record from other records of its type. Tests of it are done on the
// records that the other filters of a list leave, and only if these are few.
type Reckoned interface {
	Selected
	// NarrowBy names filters that leave few records, for the message to callers whose filters leave too many.
	NarrowBy() string
}

// OtherRow is a field of a record of another type that a record belongs to.
type OtherRow struct {
	Of    *Type
	Field Field
	By    string // the column here that holds the other's id
	Both  string // a column in which the two rows are equal; "" for none
}

// Counting is a field whose value depends on records of another type. It covers only those that the caller may see.
type Counting interface {
	Field
	// Counts returns the types whose records decide what is counted.
	Counts() []*Type
}

// NamedBy is a field that may show records of other types that refer to this one. It shows only those that the caller may see.
type NamedBy interface {
	NamedBy() []*Type
}

// Compared is a field with lookups of its own.
type Compared interface {
	Field
	// Test returns the test for one of its lookups, Exact and Not included, in terms of equality and ranges.
	Test(l Lookup, texts []string) (Predicate, error)
	// PartOf returns what a lookup compares instead of the field, such as the length of a network.
	PartOf(l Lookup) (Field, bool)
}

// Sealing is a field whose value is kept sealed.
type Sealing interface {
	Field
	Secrecy() Secrecy
}

// SecrecyOf returns how the value of a field is kept; ok is false where it is no secret.
func SecrecyOf(f Field) (s Secrecy, ok bool) {
	if x, ok := f.(Sealing); ok {
		return x.Secrecy(), true
	}
	return Secrecy{}, false
}

// TypeNaming is a field whose words are the names of record types.
type TypeNaming interface {
	Field
	// Types returns the types that can be named.
	Types() []*Type
}

// ReadBack is a field that shows its value in another form than it takes it.
type ReadBack interface {
	Field
	// FromShown turns a value that the API shows into one that it takes. It leaves any other value as it is.
	FromShown(shown any) any
}

// Explained is a field that explains how its value is written in a file.
type Explained interface {
	Field
	// HowWritten returns one sentence.
	HowWritten() string
}

// Uploaded is a field whose value is a file. The record has the path of the file, and a side table its bytes.
type Uploaded interface {
	Field
	// PathOf returns the path of a file that is uploaded to a record. The record has its id.
	PathOf(v Values, u *Upload) string
}

// Uploads returns the positions in All of the fields whose value is a file.
func (t *Type) Uploads() []int { return t.uploads }
