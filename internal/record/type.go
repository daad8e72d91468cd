// Package record owns what a kind of record is: Type, the field kinds, Values, and the
// Registry that holds them all.
//
// A type is declared once, as data. Everything else in Terrier is derived from the
// declaration: statements, endpoints, filters, validation, snapshots, the OpenAPI
// document. The package knows no SQL statements and no HTTP: a field names its column
// and its lookups, the store writes the statement; a field prints itself as JSON, rest
// sends it.
package record

import (
	"cmp"
	"strings"

	"terrier/internal/fault"
)

// Type declares a kind of record. Declare it as a value and hand it to NewRegistry; use
// the *Type that the registry returns.
type Type struct {
	App    string // "dcim"
	Name   string // "site": with App it makes the name "dcim.site" and the table dcim_site
	Plural string // "sites": the last part of its address
	Label  string // "site group", where Name is not a word
	Doc    string // one sentence for people who read the API document

	Section string   // where the pages list it: "Organization"; under the name of App where it says nothing
	Columns []string // what a list shows at first; the first few fields where it says nothing
	Groups  []Group  // the parts of its form; one part where it says nothing
	Panels  []Panel  // what the page of a record shows besides its fields

	Fields Fields
	Brief  []string // what a nested representation shows; the first text among them names the record
	Order  []string // default ordering
	Search []string // text fields that q looks into
	// Filters are names of filters besides those that the fields have.
	Filters []Filter
	Unique  []Unique // rules over several fields; single ones are said on the field

	Display func(Reader) string // instead of the first brief field
	// Check holds the rules between fields, on the merged record; before holds nothing on a creation.
	Check func(before, after Values) fault.Fields

	// Derive sets what the machine keeps about a record from how it changes; before holds
	// nothing on a creation.
	Derive   func(before, after Values)
	Same     []Same     // what a record shares with those it refers to
	Follows  []Follows  // what it takes over from those it refers to
	Children []Children // which other records a new one brings

	// Actions are what can be done with records besides reading and writing them.
	Actions []Action
	// Rights are what permissions can allow besides view, add, change and delete.
	Rights []string
	// ReadOnly types are written by the machine alone.
	ReadOnly bool
	// Sensitive types are never readable by the wildcard of EXEMPT_VIEW_PERMISSIONS.
	Sensitive bool
	Special

	reg        *Registry
	path       string
	key        string
	filters    map[string]filter
	fields     []Field // Fields resolved, plus created and last_updated
	infos      []Info
	index      map[string]int
	brief      []int
	core       []int  // brief without references and counts
	naming     string // the field that names a record; "" for none
	whole      *plan  // how all of it is shown
	snapshot   []snapshotField
	references []ReferenceField
	watches    []Watch
	followers  []Follower
	broods     []Brood
	lookup     string // the field that ?region=… means on types that refer to this one; "" for none
}

// Special is what only accounts, changes and deliveries need.
type Special struct {
	// Owner names a reference to users.user. It defaults to the caller, and writing
	// somebody else's needs the action "grant", which the type declares.
	Owner string
	// MaxOwned is how many records one owner may have, 0 for any number. Those whose time in the field Expiry is past do
	// not count.
	MaxOwned int
	Expiry   string
	// Elevated names a flag that only a superuser may set, and a record with the flag can
	// be written by superusers alone.
	Elevated string
	// TimedID types draw their ids from the time of the row and show them as UUIDs.
	TimedID bool
	// Copies says that some fields repeat those of another type.
	Copies *Copies
	// About names the field that says which type a record is about.
	About string
	// SearchNewest is how many of the newest records that pass the filters q looks at; 0 for all of them.
	SearchNewest int
}

// Fields is the list of a type's fields, in the order in which they are shown.
type Fields []Field

// Group is a part of a form: fields that belong together.
type Group struct {
	Name   string
	Fields []string
}

// Unique says that a combination of fields stands only once. Name is the constraint's.
type Unique struct {
	Name     string
	Fields   []string
	FoldCase bool // texts that differ only in upper and lower case are the same
	// NullsDiffer lets any number of records have null in one of the fields. Otherwise null counts as a value.
	NullsDiffer bool
}

// Copies says that a type's rows repeat fields of the row of another type that they belong
// to. Who looks for one of them finds it by the other's index.
type Copies struct {
	Of     string            // the other type
	By     string            // the column that holds the other's id
	Fields map[string]string // the names here and there
}

// Reader is what a Display function may look at: a whole record, or the brief fields of
// a nested one.
type Reader interface {
	ID() int64
	Text(field string) string
	Link(field string) Link
}

// TestApp means the app in the type of a change that only tests a webhook: "test.site". No type
// has it, so that no record lists the change as its own and no replay finds it, and receivers see
// the name they know.
const TestApp = "test"

// Notifies reports whether webhooks can be notified of changes to records of the type. Accounts and
// webhooks themselves are nobody else's business.
func (t *Type) Notifies() bool { return !t.ReadOnly && !t.Sensitive }

// Key is the type's name everywhere: "dcim.site".
func (t *Type) Key() string {
	if t.key != "" { // it is asked for in every decision
		return t.key
	}
	return t.App + "." + t.Name
}

// Table is the type's table.
func (t *Type) Table() string { return t.App + "_" + t.Name }

// Path is the address of the type's list.
func (t *Type) Path() string { return "/api/" + t.App + "/" + t.Plural + "/" }

// Title is the type's name for people.
func (t *Type) Title() string {
	if t.Label != "" {
		return t.Label
	}
	return t.Name
}

// Registry returns the registry that holds the type.
func (t *Type) Registry() *Registry { return t.reg }

// All returns every field, created and last_updated included.
func (t *Type) All() []Field { return t.fields }

// Infos returns the descriptions of All, computed once.
func (t *Type) Infos() []Info { return t.infos }

// Index returns a field's position in All, or -1.
func (t *Type) Index(name string) int {
	if i, ok := t.index[name]; ok {
		return i
	}
	return -1
}

// Field returns a field by name, or nil.
func (t *Type) Field(name string) Field {
	if i := t.Index(name); i >= 0 {
		return t.fields[i]
	}
	return nil
}

// BriefIndex returns the positions in All of the brief fields.
func (t *Type) BriefIndex() []int { return t.brief }

// CoreIndex returns the positions in All of what a record shows inside another one that is itself nested: the brief
// fields without references and counts.
func (t *Type) CoreIndex() []int { return t.core }

// BriefOf returns the positions in All of the fields that a link to a record of the type has.
func (t *Type) BriefOf(l Link) []int {
	if len(l.Brief) == len(t.core) {
		return t.core
	}
	return t.brief
}

// NamingField names the field that names a record, "" where there is none.
func (t *Type) NamingField() string { return t.naming }

// References returns the fields that refer to records.
func (t *Type) References() []ReferenceField { return t.references }

// LookupField names the field by which others filter for this type: ?region=<slug>. It is "" where no field names a
// record.
func (t *Type) LookupField() string { return t.lookup }

// lookupWord is what names a record of the type in a file.
func (t *Type) lookupWord() string { return cmp.Or(t.lookup, "id") }

// Tree reports whether records of the type form a tree through "parent".
func (t *Type) Tree() bool {
	r, _ := ReferenceOf(t.Field("parent"))
	return r.Target == t && !r.Many
}

// Rules returns every uniqueness rule, those of single fields included.
func (t *Type) Rules() []Unique {
	rules := make([]Unique, 0, 4)
	for _, in := range t.infos {
		if in.Unique {
			rules = append(rules, Unique{Name: t.Table() + "_" + in.Name + "_unique", Fields: []string{in.Name}, FoldCase: in.FoldCase,
				NullsDiffer: in.NullsDiffer})
		}
	}
	return append(rules, t.Unique...)
}

// RefRule names the foreign key of a reference.
func (t *Type) RefRule(field string) string { return t.Table() + "_" + field + "_exists" }

// WholeRule names the constraint that holds the halves of a reference to one of several types together.
func (t *Type) WholeRule(field string) string { return t.Table() + "_" + field + "_whole" }

// labelOf makes a label from a field's name: "physical_address" → "Physical address".
func labelOf(name string) string {
	s := strings.ReplaceAll(name, "_", " ")
	if s == "" {
		return "" // the registry refuses it
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
