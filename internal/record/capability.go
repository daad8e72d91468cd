package record

// What only some kinds of field can do is a small interface here. Each kind says at the top of its file which of them
// it has. Every other package asks for the capability and never for the kind, so that a new kind is one new file.

// Referring is a field that refers to records.
type Referring interface {
	Field
	Reference() Reference
}

// Reference is what a field refers to.
type Reference struct {
	Target     *Type
	Many       bool // a set of records, not one
	OnDelete   OnDelete
	Loose      bool   // kept when the target is gone: no foreign key holds it
	Tags       bool   // the labels people stick on a record
	FilterName string // ?tag=…, ?tag_id=…
}

// ReferenceOf returns what a field refers to; ok is false where it refers to nothing.
func ReferenceOf(f Field) (r Reference, ok bool) {
	if x, ok := f.(Referring); ok {
		return x.Reference(), true
	}
	return Reference{}, false
}

// ReferenceField is a field of a type that refers to records.
type ReferenceField struct {
	Index int // in All
	Name  string
	Reference
}

// TargetOf returns the type that a field refers to, nil where it refers to none.
func TargetOf(f Field) *Type {
	r, _ := ReferenceOf(f)
	return r.Target
}

// Hop is a step from a record to those that it refers to.
type Hop struct {
	Name   string // of the field
	Target *Type
	Many   bool
}

// HopOf returns the step through a field; its Target is nil where the field refers to nothing.
func HopOf(f Field) Hop {
	r, ok := ReferenceOf(f)
	if !ok {
		return Hop{}
	}
	return Hop{Name: f.Info().Name, Target: r.Target, Many: r.Many}
}

// Selected is a field that is read in another way than as a plain column.
type Selected interface {
	Field
	// Select asks for the one thing that its value is made of.
	Select(Selector)
}

// Selector is what can be read with a record. The store implements it.
type Selector interface {
	// Link is the reference in a column of the record, with the brief fields of its target.
	Link(Column, Reference)
	// Links is the set of references in a column of the record.
	Links(Column, Reference)
	// Members are the values of all custom fields that are defined for the record's type.
	Members(Column)
	// HasValue tells whether a column of the record is not null.
	HasValue(Column)
	// Count is the number of records of a type that refer to this one through a field.
	Count(of *Type, by Field)
	// Row is a field of another record that this one belongs to.
	Row(OtherRow)
	// Note is a moment in a side table, which has at most one row for each record.
	Note(table, key, column string)
	// Compute works the value out from other fields, when they are read.
	Compute(of func(Values) any, needs []string)
	// Nothing leaves the value to the ledger.
	Nothing()
}

// OtherRow is a field of a record of another type that a record belongs to.
type OtherRow struct {
	Of    *Type
	Field Field
	By    string // the column here that holds the other's id
	Both  string // a column in which the two rows are equal; "" for none
}

// Counting is a field whose value tells of records of another type, so that not everybody may know it.
type Counting interface {
	Field
	// Counts is the type whose records are counted.
	Counts() *Type
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
	// Types are those that can be named.
	Types() []*Type
}

// ReadBack is a field that shows its value in another form than it takes it.
type ReadBack interface {
	Field
	// FromShown turns what the API shows into what it takes. What is in another form stays as it is.
	FromShown(shown any) any
}

// Explained is a field that has something to say about how its value is written into a file.
type Explained interface {
	Field
	// HowWritten is one sentence.
	HowWritten() string
}
