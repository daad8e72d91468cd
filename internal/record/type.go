// Package record owns what a record type is: Type, the field kinds, Values, and the
// Registry that holds them all.
//
// A type is declared once, as data. Everything else in Terrier is derived from the
// declaration: statements, endpoints, filters, validation, snapshots, the OpenAPI
// document. The package knows no SQL statements and no HTTP. A field names its column and
// its lookups, and the store writes the statement. A field prints itself as JSON, and rest
// sends it.
package record

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"

	"terrier/internal/fault"
)

// Type declares a record type. Declare it as a value, pass it to NewRegistry, and use the *Type that the registry returns.
type Type struct {
	App    string // "dcim"
	Name   string // "site": with App it makes the name "dcim.site" and the table dcim_site
	Plural string // "sites": the last part of its address
	Label  string // "site group", if Name is not an ordinary word
	Doc    string // one sentence for people who read the API document

	Section string   // where the pages list it: "Organization"; the default is the name of App
	Columns []string // what a list shows at first; the default is the first few fields
	// Indent names a field with the depth of a record in a tree. A list in its own order, which must be that of the tree, indents records
	// by it.
	Indent string
	Groups []Group // the parts of its form; the default is one part
	// Advanced names fields that few people need. A form folds them away, unless one of them has a value.
	Advanced []string
	Panels   []Panel // what the page of a record shows besides its fields
	Totals   []Total // sums that the page of a record shows below its fields
	Map      *Map    // which fields say where a record is, for a link to a map

	Fields Fields
	Brief  []string // what a nested representation shows; the first text in it names the record
	// BriefList names fields that ?brief shows besides Brief. A nested representation lacks them.
	BriefList []string
	Order     []string // default ordering
	// Search names the texts that q looks into: fields of the record, of one that it refers to ("manufacturer.name"), and of those that
	// refer to it ("[dcim.inventoryitem.device].serial").
	Search      []string
	SearchStart []string // names in Search of texts that are found by their beginning alone
	// SearchAs is what people write before a number that is in Search, in addition to the title of the type: "AS" in AS64512.
	SearchAs string
	// Filters are filters besides those of the fields.
	Filters []Filter
	Unique  []Unique // rules for several fields; a single field declares its own
	// Scoped is a reference to a site that a body may also give as scope_type and scope_id, as newer clients do.
	Scoped string
	// Allocates says which field actions choose free values of.
	Allocates *Allocation
	// Space says which field gives each record a place that others can't take.
	Space *Space
	// Apart says that records never overlap.
	Apart *Apart

	// Called says what a record is called for people, instead of by the first brief text: "{name} ({label})". The first form counts
	// whose values are all set. A value may be behind references, "{module_bay.name}"; a reference means what its record is called.
	Called  []string
	Display func(Reader) string // instead of both, for what is not text
	// FullName says what people call a record among those of other owners: "{device} › {display}". Pages use it. The first form counts
	// whose values are all set; {display} is what the API shows. A search of several words looks into the owners too.
	FullName []string
	// Check checks the rules between fields, on the merged record. before is empty on a creation.
	Check func(before, after Values) fault.Fields
	// CheckWith checks rules between a record and those that it refers to.
	CheckWith []CheckWith

	// Derive sets the fields that Terrier maintains itself, from how the record changes. before is empty on a creation.
	Derive   func(before, after Values)
	Defaults []Default  // values that a new record takes from those it refers to, if it has none itself
	Same     []Same     // values that a record has in common with those it refers to
	Follows  []Follows  // values that it takes over from those it refers to
	Gives    []Gives    // values that it gives to those it refers to
	Together []Together // rules over the records that refer to the same one
	Children []Children // records that are created with a new one

	// Actions are operations on records besides reading and writing them.
	Actions []Action
	// Rights are rights that permissions can give, besides view, add, change and delete.
	Rights []string
	// ReadOnly types are written only by Terrier itself.
	ReadOnly bool
	// Sensitive types are never made readable by the wildcard of EXEMPT_VIEW_PERMISSIONS.
	Sensitive bool
	Special

	reg          *Registry
	path         string
	key          string
	filters      map[string]filter
	fields       []Field // Fields resolved, plus created and last_updated
	infos        []Info
	index        map[string]int
	brief        []int
	briefList    []int   // brief and BriefList
	core         []int   // brief without references and counts
	inBrief      []Field // the fields as the brief form shows them
	naming       string  // the field that names a record; "" for none
	whole        *plan   // how all of it is shown
	logged       *plan   // what the change log keeps of it
	snapshot     []snapshotField
	references   []ReferenceField
	uploads      []int // the fields whose value is a file
	defaultRules []DefaultRule
	watches      []Watch
	together     togetherRules
	gives        giveRules
	followers    []Follower
	sourceData   []SourceData
	namedBy      []*Type // records of these types are part of what a record of this type is called
	childRules   []ChildRule
	fullName     [][]fullNamePart
	searchFields []Field
	searchValues []FoundByValue
	searchPaths  []SearchPath
	lookup       string // the field that ?region=… means on types that refer to this one; "" for none
}

// Special is what only accounts, changes and deliveries need.
type Special struct {
	// Owner names a reference to users.user. Its default is the caller. Setting another user needs the right "grant", which the
	// type declares.
	Owner string
	// Shared names a flag of a type with an Owner that may be empty. Everybody who is logged in may keep records of their own without the
	// flag, and see those with it. Everything else takes a permission, as for any type; the right "grant" has no part in it.
	Shared string
	// MaxOwned is how many records one owner may have, 0 for any number. Records that have expired, by the field Expiry, don't
	// count.
	MaxOwned int
	Expiry   string
	// Elevated names a flag that only a superuser may set. Only superusers may write a record with the flag.
	Elevated string
	// Limited names the fields that limit what a token is good for. A caller with a token gives no token more than its own has.
	Limited *Limited
	// TimedID types make their ids from the time of the row and show them as UUIDs.
	TimedID bool
	// Copies declares that some fields repeat those of another type.
	Copies *Copies
	// About names the field that says which type a record is about.
	About string
	// Audited returns the events under which a change to a record enters the audit log. before is empty on a creation, after on a deletion.
	Audited func(before, after Values) []Audited
	// Alerts names the reference to the webhook that a record is about. Such a type is written by Terrier itself, but as any record:
	// with change rows, and webhooks can be notified of it. The one that a record is about never is.
	Alerts string
	// SearchNewest limits q to this many of the newest records that match the filters; 0 means all of them.
	SearchNewest int
}

// Audited is an event of the audit log. Detail says what was done, in our words: it never has a value that may be a secret.
type Audited struct{ Event, Detail string }

// Limited names the fields that limit a token.
type Limited struct {
	Expires  string // when it ends; null for never
	Networks string // where it may be used from; empty for everywhere
	Writes   string // whether it may write
}

// Fields is the list of a type's fields, in the order in which they are shown.
type Fields []Field

// Group is a part of a form: fields that belong together.
type Group struct {
	Name   string
	Fields []string
}

// Unique declares that a combination of fields is unique. Name is the constraint's name.
type Unique struct {
	Name     string
	Fields   []string
	FoldCase bool // texts that differ only in upper and lower case are the same
	// NullsDiffer allows any number of records with null in one of the fields. Otherwise null counts as a value.
	NullsDiffer bool
	// Where names a field. The rule applies to the records in which it is not null.
	Where string
	// Message is what callers read who break the rule. It is about the record as a whole. The default is an error on the first field.
	Message string
}

// Reads returns the fields that decide whether the rule is broken: Fields, and Where if it is not among them.
func (u Unique) Reads() []string {
	if u.Where == "" || slices.Contains(u.Fields, u.Where) {
		return u.Fields
	}
	return append(slices.Clone(u.Fields), u.Where)
}

// Copies declares that a type's rows repeat fields of the row of another type that they belong to. A filter on such a field uses the
// other type's index.
type Copies struct {
	Of     string            // the other type
	By     string            // the column that holds the id of the other row
	Fields map[string]string // the names there, by the names here
}

// Reader is what a Display function may read: a whole record, or the brief fields of a nested one.
type Reader interface {
	ID() int64
	Text(field string) string
	Int(field string) int64
	Numbers(field string) []int64
	Link(field string) Link
}

// TestApp is the app in the type of a change that only tests a webhook: "test.site". No type has this app, so that no record lists
// the change and no replay finds it. Receivers still see the name that they know.
const TestApp = "test"

// Notifies reports whether webhooks can be notified of changes to records of the type. They are not notified of changes to accounts
// and webhooks.
func (t *Type) Notifies() bool { return t.Alerts != "" || !t.ReadOnly && !t.Sensitive }

// HoldsSecrets reports whether an answer about records of the type can have a secret in plain text: a new key, a header of a webhook.
// Such an answer is never compressed.
func (t *Type) HoldsSecrets() bool {
	return t != nil && slices.ContainsFunc(t.fields, func(f Field) bool { _, secret := SecrecyOf(f); return secret })
}

// Logged reports whether the ledger writes the records of the type: changes to them are in the change log, and they say when they were
// created and changed.
func (t *Type) Logged() bool { return t.Alerts != "" || !t.ReadOnly }

// Key returns the type's unique name: "dcim.site".
func (t *Type) Key() string {
	if t.key != "" { // it is computed once, because every permission check needs it
		return t.key
	}
	return t.App + "." + t.Name
}

// String returns the key, for messages.
func (t *Type) String() string { return t.Key() }

// ContentTypeID returns the number of the type in the list of types. It is made from the name, so that it is the same in every
// installation and release, whatever other types there are.
func (t *Type) ContentTypeID() int64 { return contentTypeID(t.Key()) }

func contentTypeID(key string) int64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return int64(h.Sum32() >> 1) // clients may have signed numbers of 32 bits
}

// Table returns the name of the type's table.
func (t *Type) Table() string { return t.App + "_" + t.Name }

// Path returns the address of the type's list in the API.
func (t *Type) Path() string { return "/api/" + t.App + "/" + t.Plural + "/" }

// Title returns the type's name for people.
func (t *Type) Title() string {
	if t.Label != "" {
		return t.Label
	}
	return t.Name
}

// PluralTitle returns the type's name for people in the plural: "site groups".
func (t *Type) PluralTitle() string {
	words, label := strings.Split(t.Plural, "-"), strings.Fields(t.Title())
	if more := len(label) - len(words); more > 0 && strings.HasPrefix(words[0], label[more]) {
		words = append(slices.Clone(label[:more]), words...) // VM interfaces, as in VM interface
	}
	for i, word := range words {
		if i < len(label) && len(word) >= len(label[i]) && strings.EqualFold(word[:len(label[i])], label[i]) {
			words[i] = label[i] + word[len(label[i]):] // VLAN groups, as in VLAN group
		}
	}
	return strings.Join(words, " ")
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

// Joined returns the names of the fields that people write and that mean something only together with a field, itself among them: the
// type and the id of a reference to one of several types, numbers and their unit.
func (t *Type) Joined(name string) []string {
	i := t.Index(name)
	if i < 0 {
		return []string{name} // a custom field
	}
	var names []string
	for _, in := range t.infos {
		if in.joint() == t.infos[i].joint() && !in.ReadOnly {
			names = append(names, in.Name)
		}
	}
	return names
}

// BriefIndex returns the positions in All of the brief fields.
func (t *Type) BriefIndex() []int { return t.brief }

// CoreIndex returns the positions in All of the core fields: the brief fields without references and counts. A record that is nested
// in a nested one shows only these.
func (t *Type) CoreIndex() []int { return t.core }

// BriefField returns a field as the brief form shows it, or nil.
func (t *Type) BriefField(name string) Field {
	if i := t.Index(name); i >= 0 {
		return t.inBrief[i]
	}
	return nil
}

// BriefOf returns the positions in All of the fields that a link to a record of the type has.
func (t *Type) BriefOf(l Link) []int {
	if len(l.Brief) == len(t.core) {
		return t.core
	}
	return t.brief
}

// NamingField returns the name of the field that names a record, "" if there is none.
func (t *Type) NamingField() string { return t.naming }

// References returns the fields that refer to records.
func (t *Type) References() []ReferenceField { return t.references }

// BelongsTo returns the references to one record that every record of the type has: the site of a rack.
func (t *Type) BelongsTo() (all []ReferenceField) {
	for _, ref := range t.references {
		if ref.Target != nil && !ref.Many && t.infos[ref.Index].Required {
			all = append(all, ref)
		}
	}
	return all
}

// BelongsWith returns what records of the type belong to and those of another type refer to in a field of the same name: a rack and
// the device in it are at one site.
func (t *Type) BelongsWith(other *Type) (shared []ReferenceField) {
	for _, ref := range t.BelongsTo() {
		if theirs, _ := ReferenceOf(other.Field(ref.Name)); theirs.Target == ref.Target && !theirs.Many {
			shared = append(shared, ref)
		}
	}
	return shared
}

// LookupField returns the name of the field by which other types filter for this one: ?region=<slug>. It is "" if no field names a
// record.
func (t *Type) LookupField() string { return t.lookup }

// lookupWord returns the fields by which a file names a record of the type.
func (t *Type) lookupWord() string {
	if t.lookup != t.naming && t.naming != "" {
		return t.lookup + " or " + t.naming
	}
	return cmp.Or(t.lookup, "id")
}

// Tree reports whether records of the type form a tree through "parent".
func (t *Type) Tree() bool {
	r, _ := ReferenceOf(t.Field("parent"))
	return r.Target == t && !r.Many
}

// Outlined reports whether lists show the tree of the type's records, which tell their depth.
func (t *Type) Outlined() bool { return t.Tree() && t.Field("_depth") != nil }

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

// RefRule returns the name of a reference's foreign key.
func (t *Type) RefRule(field string) string { return t.Table() + "_" + field + "_exists" }

// WholeRule returns the name of the constraint that keeps the type and the id of an AnyRef both null or both set.
func (t *Type) WholeRule(field string) string { return t.Table() + "_" + field + "_whole" }
