package record_test

import (
	"regexp"
	"strings"
	"testing"

	"terrier/internal/record"
)

// declare returns a small type, after change was applied to it.
func declare(change func(*record.Type)) record.Type {
	t := record.Type{App: "a", Name: "b", Plural: "bs", Brief: []string{"name"}, Order: []string{"name"}, Fields: record.Fields{
		record.Text{Name: "name", Max: 100, Required: true}, record.Text{Name: "tag", Null: true}, record.Ref{Name: "parent", To: "a.b"},
		record.Bool{Name: "flag"}}}
	change(&t)
	return t
}

func withFields(fields ...record.Field) []record.Type {
	return []record.Type{declare(func(t *record.Type) { t.Fields = append(t.Fields, fields...) })}
}

func with(change func(*record.Type)) []record.Type { return []record.Type{declare(change)} }

// withBack declares a type with a Back, and makes its reference parent unique.
func withBack(f record.Back) []record.Type {
	return with(func(t *record.Type) {
		t.Fields = append(t.Fields, f)
		t.Unique = []record.Unique{{Name: "u", Fields: []string{"parent"}, NullsDiffer: true}}
	})
}

// anyB returns an AnyRef to one type, after change was applied to it.
func anyB(change func(*record.AnyRef)) record.AnyRef {
	f := record.AnyRef{Name: "r", To: []string{"a.b"}}
	if change != nil {
		change(&f)
	}
	return f
}

func withAny(change func(*record.Type)) []record.Type {
	return with(func(t *record.Type) {
		t.Fields = append(t.Fields, anyB(nil))
		change(t)
	})
}

// spaced declares a type with a number.
func spaced(change func(*record.Type)) []record.Type {
	return with(func(t *record.Type) {
		t.Fields = append(t.Fields, record.Int{Name: "size"})
		change(t)
	})
}

func declaring(filters ...record.Filter) []record.Type {
	return withAny(func(t *record.Type) { t.Filters = filters })
}

func withFilter(path string) []record.Type {
	return declaring(record.Filter{Name: "f", Path: path})
}

var logged = record.Type{App: "a", Name: "log", Plural: "logs", ReadOnly: true, Brief: []string{"name"},
	Fields: record.Fields{record.Text{Name: "name"}}}

var refersToItself = record.Type{App: "a", Name: "c", Plural: "cs", Brief: []string{"name"},
	Fields: record.Fields{record.Text{Name: "name"}, record.Ref{Name: "c", To: "a.c"}}}

func nothing(record.Values) any { return nil }

func number(n int64) *int64 { return &n }

// TestDeclarationsAreChecked checks that a mistake in a declaration is found at start, with what is wrong.
func TestDeclarationsAreChecked(t *testing.T) {
	plain := declare(func(*record.Type) {})
	for name, c := range map[string]struct {
		types []record.Type
		want  string
	}{
		"nothing wrong": {[]record.Type{plain}, ""},
		"twice":         {[]record.Type{plain, plain}, "record type a.b is registered twice"},
		"no app":        {with(func(t *record.Type) { t.App, t.Fields = "", t.Fields[:2] }), "App and Name must be lower-case words"},
		"upper case": {with(func(t *record.Type) { t.Name, t.Fields = "siteGroup", t.Fields[:2] }),
			"App and Name must be lower-case words"},
		"the app of tests": {with(func(t *record.Type) { t.App = "test"; t.Fields = t.Fields[:2] }),
			`the app "test" is for changes that only test a webhook`},
		"no plural": {with(func(t *record.Type) { t.Plural = "" }), `Plural is "", which can't be part of an address`},
		"same address": {[]record.Type{plain, {App: "a", Name: "c", Plural: "bs", Brief: []string{"name"},
			Fields: plain.Fields[:1]}}, "a.b has the address /api/a/bs/ too"},
		"same name in the API": {[]record.Type{plain, {App: "c", Name: "b", Plural: "bs", Brief: []string{"name"},
			Fields: plain.Fields[:1]}}, "a.b has the name B in the API document too: set Label"},
		"field twice":          {withFields(record.Bool{Name: "flag"}), "field flag is declared twice"},
		"name of a field":      {withFields(record.Bool{Name: "is__on"}), `field "is__on": a name is lower-case words`},
		"field without a name": {withFields(record.Bool{}), `field "": a name is lower-case words`},
		"reserved name":        {withFields(record.Bool{Name: "brief"}), `field "brief" has a name that means something else in every request`},
		"same column":          {withFields(record.Text{Name: "other", StoredAs: "tag"}), "fields tag and other have the same column tag"},
		"version's column": {withFields(record.Int{Name: "sequence", StoredAs: "version"}),
			"fields version and sequence have the same column version"},
		"same filter":               {withFields(record.Int{Name: "parent_id", StoredAs: "x"}), "have the same filter parent_id"},
		"ranges in many lines":      {withFields(record.Text{Name: "other", Ranges: true}), "its Ranges are typed into one line"},
		"looked up without a limit": {withFields(record.Text{Name: "other", LookedUp: true}), "it is LookedUp, so its Max"},
		"no brief":                  {with(func(t *record.Type) { t.Brief = nil }), "nothing names a record"},
		"brief without a name":      {with(func(t *record.Type) { t.Brief = []string{"flag"} }), "nothing names a record"},
		"unknown in Brief": {with(func(t *record.Type) { t.Brief = []string{"name", "nam"} }),
			`Brief names "nam", and there is no such field`},
		"id in Brief":    {with(func(t *record.Type) { t.Brief = []string{"name", "id"} }), `Brief names "id", and there is no such field`},
		"twice in Brief": {with(func(t *record.Type) { t.Brief = []string{"name", "name"} }), `Brief names "name" twice`},
		"secret in Brief": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.Secret{Name: "pin"})
			t.Brief = append(t.Brief, "pin")
		})}, `Brief names "pin", which is not a field that can be shown`},
		"set in Brief": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.Refs{Name: "bs", To: "a.b"})
			t.Brief = append(t.Brief, "bs")
		})}, `Brief names "bs", which is not a field that can be shown`},
		"JSON in Brief": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.JSON{Name: "j"})
			t.Brief = append(t.Brief, "j")
		})}, `Brief names "j", which is not a field that can be shown`},
		"hidden in Brief": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.Text{Name: "h", Hidden: true})
			t.Brief = append(t.Brief, "h")
		})}, `Brief names "h", which is not a field that can be shown`},
		"computed from nothing": {withFields(record.Computed{Name: "c", Of: nothing}), "must name the fields that it is worked out from"},
		"computed from no field": {withFields(record.Computed{Name: "c", Of: nothing, Needs: []string{"x"}}),
			`it needs "x", and there is no such field`},
		"computed in Brief": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.Computed{Name: "c", Of: nothing, Needs: []string{"tag"}})
			t.Brief = append(t.Brief, "c")
		})}, `it is in Brief and needs "tag"`},
		"loose in Order": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.Ref{Name: "r", To: "a.b", Loose: true})
			t.Order = []string{"r"}
		})}, `Order names "r", which is Loose`},
		"name of something else": {with(func(t *record.Type) { t.Label = "error" }), "the API document calls something else Error: set Label"},
		"unknown in Order":       {with(func(t *record.Type) { t.Order = []string{"-x"} }), `Order names "x"`},
		"list in Order": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.List{Name: "words"})
			t.Order = []string{"words"}
		})}, `Order names "words"`},
		"long list of numbers in Order": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.Ints{Name: "numbers"})
			t.Order = []string{"-numbers"}
		})}, "it is in Order, and an index holds no more than 250 numbers: set MaxItems"},
		"short list of numbers in Order": {[]record.Type{declare(func(t *record.Type) {
			t.Fields = append(t.Fields, record.Ints{Name: "numbers", MaxItems: 250})
			t.Order = []string{"-numbers"}
		})}, ""},
		"list of more than any": {withFields(record.Ints{Name: "numbers", MaxItems: 1001}), "its MaxItems must lie between 0 and 1000"},
		"unknown in Search":     {with(func(t *record.Type) { t.Search = []string{"x"} }), `Search names "x"`},
		"unknown in SearchStart": {with(func(t *record.Type) { t.SearchStart = []string{"x"} }),
			`SearchStart names "x", which is not a text of its Search`},
		"flag in Search": {with(func(t *record.Type) { t.Search = []string{"flag"} }),
			`Search names "flag", which is neither a text nor a number`},
		"later with a value": {withFields(record.Later{Name: "x", Shows: "y"}), "field x: it shows y: a field of a type that comes later"},
		"later in Brief": {with(func(t *record.Type) {
			t.Fields, t.Brief = append(t.Fields, record.Later{Name: "_x", Shows: false}), []string{"name", "_x"}
		}), ""},
		"later in Columns": {with(func(t *record.Type) {
			t.Fields, t.Columns = append(t.Fields, record.Later{Name: "x"}), []string{"x"}
		}), `Columns names "x", which is not a field that a list can show`},
		"bare and nested": {withFields(record.Ref{Name: "r", To: "a.b", Bare: true, Shows: &record.Nested{}}),
			"field r: it is Bare, so it has no nested"},
		"nested that shows nothing": {withFields(record.Ref{Name: "r", To: "a.b", Shows: &record.Nested{Fields: []string{"x"}}}),
			`field r: its Shows names "x", which is not a field of a.b that can be shown`},
		"nested that shows twice": {withFields(record.Ref{Name: "r", To: "a.b", Shows: &record.Nested{Fields: []string{"tag", "tag"}}}),
			`field r: its Shows names "tag" twice`},
		"bare text": {withFields(record.Ref{Name: "r", To: "a.b", Shows: &record.Nested{Fields: []string{"tag"}, Bare: []string{"tag"}}}),
			`field r: its Shows has "tag" in Bare, which is not a reference to one type`},
		"bare and not shown": {withFields(record.Ref{Name: "r", To: "a.b", Shows: &record.Nested{Bare: []string{"parent"}}}),
			`field r: its Shows has "parent" in Bare, which is not in Fields`},
		"brief form of nothing": {with(func(t *record.Type) {
			t.Fields, t.Brief = append(t.Fields, record.Ref{Name: "r", To: "a.b", InBrief: "tag"}), []string{"name", "r"}
		}), `field r: its InBrief names "tag", which is not a text in the Brief of a.b`},
		"brief form that is not in Brief": {withFields(record.Ref{Name: "r", To: "a.b", InBrief: "name"}),
			"field r: it has InBrief, and is not in Brief"},
		"unknown in BriefList": {with(func(t *record.Type) { t.BriefList = []string{"x"} }),
			`BriefList names "x", and there is no such field`},
		"brief twice": {with(func(t *record.Type) { t.BriefList = []string{"name"} }),
			`BriefList names "name", which is not a field that can be shown besides those in Brief`},
		"depth of a tree": {withFields(record.Depth{}), ""},
		"depth of no tree": {append(with(func(*record.Type) {}), record.Type{App: "a", Name: "d", Plural: "ds", Brief: []string{"name"},
			Fields: record.Fields{record.Text{Name: "name"}, record.Depth{}}}), "field _depth: its type is not a tree"},
		"back of nothing": {withFields(record.Back{Name: "x", Of: "x.y", By: "parent"}), "field x is a record of x.y, which is not registered"},
		"back by a text": {withFields(record.Back{Name: "x", Of: "a.b", By: "tag"}),
			`field x: it is a record of a.b by "tag", which is not a reference`},
		"back by a reference of many": {withFields(record.Back{Name: "x", Of: "a.b", By: "parent"}),
			`field x: it is the one record of a.b by "parent", and nothing makes that reference unique`},
		"back through nothing": {withBack(record.Back{Name: "x", Of: "a.b", By: "parent", Through: "parent", As: "y"}),
			`field x: its Through names "parent", which is not a reference in the Brief of a.b`},
		"back as nothing": {withBack(record.Back{Name: "x", Of: "a.b", By: "parent", As: "y"}), "field x: its Through and As belong together"},
		"back":            {withBack(record.Back{Name: "x", Of: "a.b", By: "parent", Fields: []string{"tag"}}), ""},
		"back in Brief that shows nothing": {withBack(record.Back{Name: "x", Of: "a.b", By: "parent", Fields: []string{"y"}}),
			`field x: its Shows names "y"`},
		"alias that is taken": {withFields(record.Ref{Name: "r", To: "a.b", Alias: "tag"}), "field tag is declared twice"},
		"alias in Brief": {with(func(t *record.Type) {
			t.Fields, t.Brief = append(t.Fields, record.Ref{Name: "r", To: "a.b", Alias: "s"}), []string{"name", "s"}
		}), `Brief names "s", which is not a field that can be shown`},
		"unknown in Columns": {with(func(t *record.Type) { t.Columns = []string{"x"} }), `Columns names "x"`},
		"unknown in Groups":  {with(func(t *record.Type) { t.Groups = []record.Group{{Name: "G", Fields: []string{"x"}}} }), `Groups names "x"`},
		"required in Advanced": {with(func(t *record.Type) { t.Advanced = []string{"name"} }),
			`Advanced names "name", which is not a field that a form can ask for and do without`},
		"twice in Groups": {with(func(t *record.Type) { t.Groups = []record.Group{{Name: "G", Fields: []string{"tag", "tag"}}} }),
			`Groups names "tag" twice`},
		"rule over nothing": {with(func(t *record.Type) { t.Unique = []record.Unique{{Name: "u", Fields: []string{"x"}}} }),
			`rule u names "x", and there is no such column`},
		"rule without a name": {with(func(t *record.Type) { t.Unique = []record.Unique{{Fields: []string{"tag"}}} }),
			"a rule over tag needs a Name of its own"},
		"nulls that are none": {with(func(t *record.Type) {
			t.Unique = []record.Unique{{Name: "u", Fields: []string{"name"}, NullsDiffer: true}}
		}), "rule u says that nulls differ"},
		"Allocates": {with(func(t *record.Type) { t.Allocates = &record.Allocation{Field: "name", Within: "parent"} }), ""},
		"Allocates nothing": {with(func(t *record.Type) { t.Allocates = &record.Allocation{Field: "nosuch"} }),
			`its Allocates names "nosuch", which is not a field that is written`},
		"Allocates within no record": {with(func(t *record.Type) { t.Allocates = &record.Allocation{Field: "name", Within: "tag"} }),
			`its Allocates names "tag", which is not a reference to one record`},
		"Space": {spaced(func(t *record.Type) { t.Space = &record.Space{Of: "size", Within: "parent", Enforced: "flag"} }), ""},
		"Space of a text": {spaced(func(t *record.Type) { t.Space = &record.Space{Of: "name"} }),
			`its Space is of "name", which is not a number, network or address that is written`},
		"Space within a text": {spaced(func(t *record.Type) { t.Space = &record.Space{Of: "size", Within: "name"} }),
			`its Space is within "name", which is not a reference to one record`},
		"Space enforced by a text": {spaced(func(t *record.Type) { t.Space = &record.Space{Of: "size", Within: "parent", Enforced: "name"} }),
			`its Space is enforced by "name", which is not a flag of a record that it is within`},
		"Space enforced by nothing": {spaced(func(t *record.Type) { t.Space = &record.Space{Of: "size", Enforced: "flag"} }),
			`its Space is enforced by "flag", which is not a flag`},
		"Space shared by nobody": {spaced(func(t *record.Type) { t.Space = &record.Space{Of: "size", Shared: "flag"} }),
			`its Space needs both Shared and SharedBy, or neither`},
		"Space shared by a flag": {spaced(func(t *record.Type) {
			t.Space = &record.Space{Of: "size", Shared: "flag", SharedBy: []string{"x"}}
		}), `its Space is shared by "flag", which is not a choice`},
		"Apart of a text": {with(func(t *record.Type) { t.Apart = &record.Apart{Of: "name"} }),
			`its Apart is of "name" to "", and needs a required network, or two required addresses`},
		"Apart within a text": {with(func(t *record.Type) {
			t.Fields = append(t.Fields, record.Network{Name: "net", Required: true})
			t.Apart = &record.Apart{Of: "net", Within: "name"}
		}), `its Apart is within "name", which is not a reference to one record`},
		"case of a flag": {with(func(t *record.Type) {
			t.Unique = []record.Unique{{Name: "u", Fields: []string{"flag"}, FoldCase: true}}
		}), "rule u folds case"},
		"same as a flag": {with(func(t *record.Type) { t.Same = []record.Same{{Ref: "flag", Path: "tag"}} }),
			`Same names "flag", which is not a reference`},
		"same, said elsewhere": {with(func(t *record.Type) { t.Same = []record.Same{{Ref: "parent", Path: "tag", On: "x"}} }),
			`Same reports errors on "x", and there is no such field`},
		"default of nothing": {with(func(t *record.Type) { t.Defaults = []record.Default{{Field: "tag", From: "parent.x"}} }),
			`Defaults take "parent.x", which is not a field of a record that it refers to`},
		"default from no record": {with(func(t *record.Type) { t.Defaults = []record.Default{{Field: "tag", From: "flag.tag"}} }),
			`Defaults take "flag.tag"`},
		"default of another kind": {with(func(t *record.Type) { t.Defaults = []record.Default{{Field: "tag", From: "parent.flag"}} }),
			`Defaults set "tag", which is not the same kind of field as "parent.flag"`},
		"default of what is required": {with(func(t *record.Type) { t.Defaults = []record.Default{{Field: "name", From: "parent.tag"}} }),
			`Defaults set "name", which is required and so never empty`},
		"rule where nothing is": {with(func(t *record.Type) {
			t.Unique = []record.Unique{{Name: "u", Fields: []string{"tag"}, Where: "name"}}
		}), `rule u applies where "name" is not null, which is not a field that can be null`},
		"clears what is required": {withFields(record.Ref{Name: "r", To: "a.b", OnDelete: record.SetNull, Clears: []string{"name"}}),
			`field r: its Clears names "name", which is not a field that can be null`},
		"clears on no delete": {withFields(record.Ref{Name: "r", To: "a.b", Clears: []string{"tag"}}),
			"field r: it has Clears, which needs OnDelete: record.SetNull"},
		"same of nothing": {with(func(t *record.Type) { t.Same = []record.Same{{Ref: "parent", Path: "x"}} }),
			`Same names "x", which leads from a.b to no column`},
		"same far away":    {with(func(t *record.Type) { t.Same = []record.Same{{Ref: "parent", Path: "parent.parent.parent"}} }), ""},
		"same through any": {withAny(func(t *record.Type) { t.Same = []record.Same{{Ref: "parent", Path: "r[a.b].tag", Here: "tag"}} }), ""},
		"same through any of no type": {withAny(func(t *record.Type) {
			t.Same = []record.Same{{Ref: "parent", Path: "r.tag", Here: "tag"}}
		}), `"r.tag": r does not refer to "": say to which type`},
		"same unless a text": {with(func(t *record.Type) {
			t.Same = []record.Same{{Ref: "parent", Path: "flag", Or: []record.Equal{{Path: "tag", Unless: "name"}}}}
		}), `Same has an Unless "name", which is not a yes or no`},
		"same through a flag": {with(func(t *record.Type) {
			t.Same = []record.Same{{Ref: "parent", Path: "tag",
				Here: "flag.tag"}}
		}), `"flag.tag", which leads from a.b to no column`},
		"same or nothing": {with(func(t *record.Type) {
			t.Same = []record.Same{{Ref: "parent", Path: "tag", Or: []record.Equal{{Path: "x"}}}}
		}),
			`Same names "x", which leads`},
		"follows a flag": {with(func(t *record.Type) { t.Follows = []record.Follows{{Fields: []string{"tag"}, Of: "flag"}} }),
			`Follows names "flag", which is not a reference to one record`},
		"follows nothing": {with(func(t *record.Type) { t.Follows = []record.Follows{{Of: "parent"}} }),
			`Follows of "parent" names no fields`},
		"follows an unknown field": {with(func(t *record.Type) { t.Follows = []record.Follows{{Fields: []string{"x"}, Of: "parent"}} }),
			`Follows names "x", which is not the same kind of field`},
		"unknown target":  {withFields(record.Ref{Name: "r", To: "x.y"}), "field r refers to x.y, which is not registered"},
		"unknown targets": {withFields(record.Refs{Name: "rs", To: "x.y"}), "field rs refers to x.y, which is not registered"},
		"required and set to null": {withFields(record.Ref{Name: "r", To: "a.b", Required: true, OnDelete: record.SetNull}),
			"field r: it is required, so it can't be set to null"},
		"loose and cascading": {withFields(record.Ref{Name: "r", To: "a.b", Loose: true, OnDelete: record.Cascade}), "field r: it is Loose"},
		"no targets":          {withFields(record.AnyRef{Name: "r"}), "field r: its To names no type that it can refer to"},
		"unknown among targets": {withFields(record.AnyRef{Name: "r", To: []string{"a.b", "x.y"}}),
			"field r refers to x.y, which is not registered"},
		"target twice": {withFields(record.AnyRef{Name: "r", To: []string{"a.b", "a.b"}}), "field r: its To names a.b twice"},
		"target of the machine": {append(withFields(record.AnyRef{Name: "r", To: []string{"a.log"}}), logged),
			"it refers to a.log, which the machine alone writes"},
		"any and set to null": {withFields(anyB(func(f *record.AnyRef) { f.Required, f.OnDelete = true, record.SetNull })),
			"field r: it is required, so it can't be set to null"},
		"half that is taken": {withFields(record.Text{Name: "r_type"}, anyB(nil)), "field r_type is declared twice"},
		"any in Order":       {withAny(func(t *record.Type) { t.Order = []string{"r"} }), `Order names "r"`},
		"half in Order":      {withAny(func(t *record.Type) { t.Order = []string{"r_id"} }), ""},
		"any in a rule": {withAny(func(t *record.Type) { t.Unique = []record.Unique{{Name: "u", Fields: []string{"r"}}} }),
			`rule u names "r", and there is no such column`},
		"halves in a rule": {withAny(func(t *record.Type) {
			t.Unique = []record.Unique{{Name: "u", Fields: []string{"r_type", "r_id"}}}
		}), ""},
		"any in Brief":       {withAny(func(t *record.Type) { t.Brief = []string{"name", "r"} }), ""},
		"half names records": {withAny(func(t *record.Type) { t.Brief = []string{"r_type"} }), "nothing names a record"},
		"any in Groups": {withAny(func(t *record.Type) { t.Groups = []record.Group{{Fields: []string{"r"}}} }),
			`Groups names "r", which is not a field that a form can ask for`},
		"any in Search": {withAny(func(t *record.Type) { t.Search = []string{"r"} }), `Search names "r"`},
		"same of any":   {withAny(func(t *record.Type) { t.Same = []record.Same{{Ref: "r", Path: "tag"}} }), ""},
		"same of any, where one lacks it": {append(with(func(t *record.Type) {
			t.Fields = append(t.Fields, anyB(func(f *record.AnyRef) { f.To = []string{"a.b", "a.c"} }))
			t.Same = []record.Same{{Ref: "r", Path: "tag"}}
		}), refersToItself), `Same names "tag", which leads from a.c to no column`},
		"any owner":          {withAny(func(t *record.Type) { t.Owner = "r" }), `Owner names "r", which is not a reference`},
		"filter through two": {withFilter("parent.parent"), ""},
		"filter through any": {withFilter("r[a.b].tag"), ""},
		"filter by an id":    {withFilter("r[a.b].id"), ""},
		"filter without a path": {withFilter(""),
			"its filter f must have exactly one of Field, Path, Has, Set, Common, UsedBy, Usable, Is, Ignored and Never"},
		"filter by a run of texts": {declaring(record.Filter{Name: "f", Field: "name", End: "name", Lookup: record.RunCovers}),
			`its filter f asks for a run from "name" to "name", which are not two addresses that are always there`},
		"filter with an end alone": {declaring(record.Filter{Name: "f", Path: "parent.name", End: "name"}),
			"has an End, which belongs to a Field without Words and TypeIDs"},
		"count between texts": {withFields(record.CountBetween{Name: "n", Of: "a.b", Number: "flag", From: "name", To: "name"}),
			`field n counts from "name" to "name", which are not two numbers`},
		"count between of nothing": {withFields(record.CountBetween{Name: "n", Of: "a.x"}), "field n counts a.x, which is not registered"},
		"usage without addresses":  {withFields(record.Utilization{Name: "u"}), "field u needs a Network, or a Start and an End"},
		"usage of no column": {withFields(record.Utilization{Name: "u", Usage: record.Usage{Network: "x"}}),
			`field u names "x", which is not a field with a column`},
		"usage of no type": {withFields(record.Utilization{Name: "u", Usage: record.Usage{Network: "name", Blocks: "a.x.net"}}),
			`field u names "a.x.net", and there is no such type`},
		"usage of a text": {withFields(record.Utilization{Name: "u", Usage: record.Usage{Network: "name", Blocks: "a.b.name"}}),
			`field u names "a.b.name", which is neither a network nor an address`},
		"usage by nothing":       {withFields(record.Utilization{Name: "u", Usage: record.Usage{Network: "name"}}), "it counts Blocks or Hosts"},
		"filter by nothing":      {withFilter("parent.x"), `its filter f has the path "parent.x": a.b has no field "x" to look for`},
		"filter through a text":  {withFilter("name.tag"), `its filter f has the path "name.tag": it leads nowhere from "tag" on`},
		"filter with a space":    {withFilter("parent tag"), `it leads nowhere from "parent tag" on`},
		"filter to any":          {withFilter("r.tag"), `r does not refer to "": say to which type in brackets`},
		"filter to another":      {withFilter("r[a.c].tag"), `r does not refer to "a.c"`},
		"filter back":            {withFilter("[a.b.parent].tag"), ""},
		"filter back by any":     {withFilter("parent.[a.b.r].id"), ""},
		"filter back from none":  {withFilter("[a.x.parent].tag"), "there is no type a.x"},
		"filter back by a text":  {withFilter("[a.b.name].tag"), `a.b has no field "name" that refers to a.b`},
		"filter that ends back":  {withFilter("[a.b.parent]"), "say behind [a.b.parent] which field is compared"},
		"filter of two kinds":    {declaring(record.Filter{Name: "f", Field: "flag", Never: true}), "must have exactly one of Field, Path"},
		"filter by a name":       {declaring(record.Filter{Name: "f", Field: "parent"}), ""},
		"filter instead":         {declaring(record.Filter{Name: "parent", Field: "parent"}), ""},
		"filter instead by path": {declaring(record.Filter{Name: "parent", Path: "parent.name"}), ""},
		"filter twice instead": {declaring(record.Filter{Name: "parent", Field: "parent"}, record.Filter{Name: "parent", Field: "parent"}),
			`its Filters name "parent", which is not a name, or names the filter of parent`},
		"filter with a lookup of nothing": {declaring(record.Filter{Name: "f", Path: "parent.name", Lookup: record.EqualFold}),
			"has a Lookup, Words or OneOf, which belong to a Field"},
		"filter by words": {declaring(record.Filter{Name: "f", Field: "flag", Words: map[string][]string{"on": {"true"}}}), ""},
		"filter by words for nothing": {declaring(record.Filter{Name: "f", Field: "flag", Words: map[string][]string{"on": {"maybe"}}}),
			`its filter f says that "on" means a value that flag can't have`},
		"filter by words and a lookup": {declaring(record.Filter{Name: "f", Field: "flag", Lookup: record.Not,
			Words: map[string][]string{"on": nil}}),
			"has a Lookup and Words"},
		"filter by one of some values": {declaring(record.Filter{Name: "f", Field: "flag", OneOf: []string{"true"}}), ""},
		"filter by one of what it can't be": {declaring(record.Filter{Name: "f", Field: "flag", OneOf: []string{"maybe"}}),
			"its filter f has in its OneOf what flag can't be"},
		"filter by one of some values and words": {declaring(record.Filter{Name: "f", Field: "flag", OneOf: []string{"true"},
			Words: map[string][]string{"on": {"true"}}}), "has a OneOf, which goes with nothing but its Field"},
		"filter by ids of types": {declaring(record.Filter{Name: "f", UsedBy: true, TypeIDs: true}), ""},
		"filter by ids of types of nothing": {declaring(record.Filter{Name: "f", Set: "flag", TypeIDs: true}),
			"its filter f has TypeIDs, which belong to a Field"},
		"filter by one of a tree": {declaring(record.Filter{Name: "f", Path: "parent.parent", Exactly: true}), ""},
		"filter by one of no tree": {declaring(record.Filter{Name: "f", Path: "parent.name", Exactly: true}),
			`its filter f is Exactly, and the path "parent.name" does not end in a tree`},
		"filter by one field of no tree": {declaring(record.Filter{Name: "f", Field: "flag", Exactly: true}),
			"its filter f is Exactly, and flag does not refer to a tree"},
		"filter by nothing exactly": {declaring(record.Filter{Name: "f", Never: true, Exactly: true}),
			"is Exactly or has an Or, which belong to a Field"},
		"filter by what it has":    {declaring(record.Filter{Name: "f", Has: []string{"a.b.parent", "a.b.r"}}), ""},
		"filter by having nothing": {declaring(record.Filter{Name: "f", Has: []string{}}), "its filter f has an empty list"},
		"filter by having no type": {declaring(record.Filter{Name: "f", Has: []string{"parent"}}),
			`its filter f names "parent": there is no type`},
		"filter by having a text": {declaring(record.Filter{Name: "f", Has: []string{"a.b.tag"}}),
			`its filter f names "a.b.tag": a.b has no field "tag" that refers to a.b`},
		"filter by either": {declaring(record.Filter{Name: "f", Field: "parent",
			Or: []record.Or{{Path: "parent.[a.b.parent].id", Unless: "flag"}}}), ""},
		"filter by either unless a flag on the way": {declaring(record.Filter{Name: "f", Field: "parent",
			Or: []record.Or{{Path: "parent.parent.id", Unless: "parent.flag"}}}), ""},
		"filter by either unless a flag elsewhere": {declaring(record.Filter{Name: "f", Field: "parent",
			Or: []record.Or{{Path: "parent.id", Unless: "r[a.b].flag"}}}),
			`has in its Or an Unless "r[a.b].flag", which is not a yes or no of a record on the path`},
		"filter by either of two names": {declaring(record.Filter{Name: "f", Path: "parent.parent", Or: []record.Or{{Path: "parent.id"}}}),
			"its filter f has an Or, so its path must end in a field or in id"},
		"filter by either reference": {declaring(record.Filter{Name: "f", Field: "parent", Or: []record.Or{{Path: "parent.parent"}}}),
			`has in its Or the path "parent.parent", which must lead to another record and end in a field`},
		"filter by either and nowhere": {declaring(record.Filter{Name: "f", Field: "parent", Or: []record.Or{{Path: "parent.x"}}}),
			`has in its Or the path "parent.x": a.b has no field "x"`},
		"filter by either unless a text": {
			declaring(record.Filter{Name: "f", Field: "parent", Or: []record.Or{{Path: "parent.id", Unless: "tag"}}}),
			`has in its Or an Unless "tag", which is not a yes or no`},
		"filter by either and never": {declaring(record.Filter{Name: "f", Never: true, Or: []record.Or{{Path: "parent.id"}}}),
			"is Exactly or has an Or, which belong to a Field"},
		"filter by a place in common": {declaring(record.Filter{Name: "f", Common: &record.Common{With: "a.b", OrNone: []string{"parent.r"},
			Places: []record.CommonPlace{{Here: "parent", There: "parent.parent", Unless: "parent"}}}}), ""},
		"filter by a place in common with nothing": {declaring(record.Filter{Name: "f", Common: &record.Common{With: "a.x"}}),
			`its filter f has a place in common with "a.x", which is not a type`},
		"filter by a text in common": {declaring(record.Filter{Name: "f", Common: &record.Common{With: "a.b",
			Places: []record.CommonPlace{{Here: "parent", There: "parent.name"}}}}), "they do not end in references to the same type"},
		"filter by a place in common unless a text": {declaring(record.Filter{Name: "f", Common: &record.Common{With: "a.b",
			Places: []record.CommonPlace{{Here: "parent", There: "parent", Unless: "name"}}}}), `its Unless "name" is not a reference of a.b`},
		"filter by no text": {declaring(record.Filter{Name: "f", Common: &record.Common{With: "a.b", OrNone: []string{"name"}}}),
			`has in its OrNone the path "name": "name" is not a reference of a.b to one record`},
		"filter by the subnet of a text": {declaring(record.Filter{Name: "f", Path: "parent.name", Subnet: "parent"}),
			`asks for the subnet of "parent.name" by "parent", which are not an address and a reference beside it`},
		"filter by the subnet of nothing": {declaring(record.Filter{Name: "f", Never: true, Subnet: "parent"}),
			"has a Subnet, which belongs to a Path"},
		"filter by a request": {declaring(record.Filter{Name: "created_by_request", Never: true}),
			`its Filters name "created_by_request", which is not a name, or names the filter of every type`},
		"filter by what is set": {declaring(record.Filter{Name: "f", Set: "parent"}), ""},
		"filter by set nothing": {declaring(record.Filter{Name: "f", Set: "x"}),
			`its filter f asks whether "x" is set, and there is no such field`},
		"brackets of one type": {withFilter("parent[a.b].tag"), "parent does not refer to one of several types"},
		"filter that is taken": {withAny(func(t *record.Type) { t.Filters = []record.Filter{{Name: "tag", Path: "parent.tag"}} }),
			`its Filters name "tag", which is not a name, or names the filter of tag`},
		"count by any":   {withFields(anyB(nil), record.Count{Name: "n", Of: "a.b", By: "r"}), ""},
		"count by a set": {withFields(record.Refs{Name: "rs", To: "a.b"}, record.Count{Name: "n", Of: "a.b", By: "rs"}), ""},
		"count by another's": {append(withFields(record.Count{Name: "n", Of: "a.c", By: "c"}), refersToItself),
			`it counts a.c by "c", which is not a reference to a a.b`},
		"sum of a number": {withFields(record.Int{Name: "i"}, record.Aggregate{Name: "n", Of: "a.b", By: "parent", Sum: "i"}), ""},
		"sum of nothing": {withFields(record.Aggregate{Name: "n", Of: "a.b", By: "parent", Sum: "x"}),
			`field n adds up "x" of a.b, which is not a number`},
		"sum of a text": {withFields(record.Aggregate{Name: "n", Of: "a.b", By: "parent", Sum: "name"}),
			`field n adds up "name" of a.b, which is not a number`},
		"sum of references": {withFields(record.Aggregate{Name: "n", Of: "a.b", By: "parent", Sum: "parent"}),
			`field n adds up "parent" of a.b, which is not a number`},
		"sum of ids": {withFields(anyB(nil), record.Aggregate{Name: "n", Of: "a.b", By: "parent", Sum: "r_id"}),
			`field n adds up "r_id" of a.b, which is not a number`},
		"sum of what is hidden": {withFields(record.Int{Name: "i", Hidden: true},
			record.Aggregate{Name: "n", Of: "a.b", By: "parent", Sum: "i"}), `field n adds up "i" of a.b, which is not a number that is shown`},
		"sum of weights in several units": {withFields(record.Choice{Name: "u", Of: record.Weights.Choices("g", "kg")},
			record.Measure{Name: "m", Unit: "u", Of: record.Weights, Max: 100, Places: 2},
			record.Aggregate{Name: "n", Of: "a.b", By: "parent", Sum: "m"}), `field n adds up "m" of a.b, which is not a number that is shown`},
		"count in Order": {with(func(t *record.Type) {
			t.Fields, t.Order = append(t.Fields, record.Count{Name: "n", Of: "a.b", By: "parent"}), []string{"n"}
		}), `Order names "n"`},
		"count of nothing":     {withFields(record.Count{Name: "n", Of: "x.y", By: "parent"}), "field n counts x.y, which is not registered"},
		"count by nothing":     {withFields(record.Count{Name: "n", Of: "a.b", By: "x"}), `it counts a.b by "x", which is not a reference`},
		"count by a flag":      {withFields(record.Count{Name: "n", Of: "a.b", By: "flag"}), `it counts a.b by "flag", which is not a reference`},
		"value of nothing":     {withFields(record.HasValue{Name: "has_x", Of: "x"}), "field has_x tells of x, which does not exist"},
		"value that is always": {withFields(record.HasValue{Name: "has_name", Of: "name"}), "it tells of name, which always has a value"},
		"field of nothing": {withFields(record.Borrowed{Name: "f", From: "x.y", Field: "name", By: "parent_id"}),
			"field f is one of x.y, which is not registered"},
		"no field of another": {withFields(record.Borrowed{Name: "f", From: "a.b", Field: "x", By: "parent_id"}),
			`it is the field "x" of a.b`},
		"choice of nothing": {withFields(record.Choice{Name: "c"}), "a choice needs values to choose from"},
		"default is not a choice": {withFields(record.Choice{Name: "c", Of: record.Choices{{Value: "x"}}, Default: "y"}),
			`its default "y" is not a choice`},
		"choice twice": {withFields(record.Choice{Name: "c", Of: record.Choices{{Value: "x"}, {Value: "x"}}}),
			`"x" can't be a choice, or is one twice`},
		"choice called null": {withFields(record.Choice{Name: "c", Of: record.Choices{{Value: "null"}}}), `"null" can't be a choice`},
		"default too long":   {withFields(record.Text{Name: "s", Max: 1, Default: "xy"}), `its default "xy" would not be taken as a value`},
		"sort key without Max": {withFields(record.Text{Name: "s", Sort: record.InterfaceNames}),
			"it has a sort key, so its Max must be at most 200"},
		"sort key of much": {withFields(record.Text{Name: "s", Max: 201, Sort: record.InterfaceNames}),
			"it has a sort key, so its Max must be at most 200"},
		"sort of what is hidden": {withFields(record.Text{Name: "s", Max: 9, Hidden: true, Sort: record.Natural}),
			"it is Hidden, so nothing is ordered by it"},
		"unknown sort": {withFields(record.Text{Name: "s", Sort: 7}), "its Sort is none of"},
		"column of a sort key": {withFields(record.Text{Name: "s", Max: 9, Sort: record.InterfaceNames}, record.Text{Name: "s_key"}),
			"fields s and s_key have the same column s_key"},
		"number choice of nothing": {withFields(record.NumberChoice{Name: "c"}), "a choice needs values to choose from"},
		"number choice of zero":    {withFields(record.NumberChoice{Name: "c", Of: []record.NumberOption{{}}}), "0 can't be a choice"},
		"number choice twice": {withFields(record.NumberChoice{Name: "c", Of: []record.NumberOption{{Value: 1}, {Value: 1}}}),
			"1 can't be a choice, or is one twice"},
		"number is not a choice": {withFields(record.NumberChoice{Name: "c", Default: 2, Of: []record.NumberOption{{Value: 1}}}),
			"its default 2 is not a choice"},
		"filter of no field": {with(func(t *record.Type) { t.Filters = []record.Filter{{Name: "within", Field: "net"}} }),
			`its filter within asks for "net"`},
		"filter by no lookup": {with(func(t *record.Type) {
			t.Filters = []record.Filter{{Name: "within", Field: "name", Lookup: record.NetContained}}
		}), `asks for "name" by "net_contained", and there is no such field or lookup`},
		"filter of another": {with(func(t *record.Type) { t.Filters = []record.Filter{{Name: "parent_id", Field: "flag"}} }),
			`its Filters name "parent_id", which is not a name, or names the filter of parent`},
		"filter of every type": {with(func(t *record.Type) { t.Filters = []record.Filter{{Name: "limit", Field: "flag"}} }),
			`its Filters name "limit"`},
		"column of an address": {withFields(record.Address{Name: "a"}, record.Text{Name: "a_key"}),
			"fields a and a_key have the same column a_key"},
		"measure without a unit": {withFields(record.Measure{Name: "w", Unit: "u", Of: record.Weights, Max: 9}),
			"field w has its unit in u, which does not exist"},
		"measure in a flag": {withFields(record.Measure{Name: "w", Unit: "flag", Of: record.Weights, Max: 9}),
			"its unit flag must be a Choice that may be null"},
		"measure in other units": {withFields(record.Measure{Name: "w", Unit: "u", Of: record.Weights, Max: 9},
			record.Choice{Name: "u", Of: record.Lengths.Choices("m")}),
			`u offers "m", which is none of its units`},
		"measure in an unknown unit": {withFields(record.Measure{Name: "w", Unit: "u", Of: record.Weights, Max: 9},
			record.Choice{Name: "u", Of: record.Weights.Choices("g", "st")}),
			`u offers "st", which is none of its units`},
		"unit twice": {withFields(record.Measure{Name: "w", Unit: "u", Of: record.Units{{"g", "G", 1}, {"g", "G", 2}}, Max: 9},
			record.Choice{Name: "u", Of: record.Weights.Choices("g")}),
			`its unit "g" is there twice`},
		"measure of too much": {withFields(record.Measure{Name: "w", Unit: "u", Of: record.Weights, Max: 1e12},
			record.Choice{Name: "u", Of: record.Weights.Choices("g")}),
			"is more than can be compared exactly"},
		"measure of nothing": {withFields(record.Measure{Name: "w", Unit: "u", Of: record.Weights},
			record.Choice{Name: "u", Of: record.Weights.Choices("g")}), "its minimum is not below its maximum"},
		"numbers of no range":     {withFields(record.Ints{Name: "n", Min: number(2), Max: number(1)}), "its minimum is above its maximum"},
		"filter of numbers twice": {withFields(record.Ints{Name: "n", FilterName: "flag"}), "have the same filter flag"},
		"match without help":      {withFields(record.Text{Name: "s", Match: regexp.MustCompile("x")}), "Match and MatchHelp belong together"},
		"minimum above maximum":   {withFields(record.Int{Name: "n", Min: number(2), Max: number(1)}), "its minimum is above its maximum"},
		"default below minimum":   {withFields(record.Int{Name: "n", Min: number(2)}), "its default 0 would not be taken as a value"},
		"decimal without a range": {withFields(record.Decimal{Name: "n"}), "its minimum is not below its maximum"},
		"default is not a word": {withFields(record.List{Name: "l", Of: &record.Vocabulary{Noun: "word", Words: []string{"x"}},
			Default: []string{"y"}}), "its default: Unknown word"},
		"kind of nothing": {withFields(record.JSON{Name: "j", KindOf: "x"}), `KindOf names "x"`},
		"shown password": {withFields(record.Secret{Name: "s", Seal: record.Password, Shown: true}),
			"only an encrypted secret can be shown"},
		"blank secret that nobody sees": {withFields(record.Secret{Name: "s", Seal: record.Encrypted, Blank: true}),
			"only a secret that is shown and not required can be blank"},
		"id of no reference": {withFields(record.RefID{Name: "i", Of: "flag"}),
			`field i is the id of "flag", which is not a reference to one record`},
		"checked with a text": {with(func(t *record.Type) { t.CheckWith = []record.CheckWith{{Ref: "name"}} }),
			`its CheckWith names "name", which is not a reference to a record of one type`},
		"checked with no function": {with(func(t *record.Type) { t.CheckWith = []record.CheckWith{{Ref: "parent"}} }),
			"its CheckWith has no Check"},
		"called by those that refer": {with(func(t *record.Type) { t.Called = []string{"{name} {[a.b.parent].name}"} }), ""},
		"called by none that refer": {with(func(t *record.Type) { t.Called = []string{"{[a.b.flag].name}"} }),
			`a.b has no field "flag" that refers to a.b`},
		"called by a flag": {with(func(t *record.Type) { t.Called = []string{"{flag}"} }),
			"is not a text, number, time, address or reference to one record"},
		"called far behind those that refer": {with(func(t *record.Type) { t.Called = []string{"{[a.b.parent].parent.name}"} }),
			"must end in a field of the records that refer to this one"},
		"hint of nothing":     {withFields(record.Secret{Name: "s", Hint: "x"}), `Hint names "x"`},
		"owner is a flag":     {with(func(t *record.Type) { t.Owner = "flag" }), `Owner names "flag", which is not a reference`},
		"owner without grant": {with(func(t *record.Type) { t.Owner = "parent" }), `needs "grant" among its Rights`},
		"shared by a text":    {with(func(t *record.Type) { t.Owner, t.Shared = "parent", "name" }), `Shared needs an Owner, and names "name"`},
		"shared, no owner":    {with(func(t *record.Type) { t.Shared = "flag" }), `Shared needs an Owner`},
		"expiry by a text":    {with(func(t *record.Type) { t.Expiry = "name" }), "its Expiry must name a time"},
		"usable, no owner":    {declaring(record.Filter{Name: "f", Usable: "name"}), "its filter f is Usable, which needs a flag"},
		"most without owner":  {with(func(t *record.Type) { t.MaxOwned = 1 }), "MaxOwned needs an Owner"},
		"elevated by a text":  {with(func(t *record.Type) { t.Elevated = "name" }), `Elevated names "name"`},
		"about a flag":        {with(func(t *record.Type) { t.About = "flag" }), `About names "flag"`},
		"copies of nothing":   {with(func(t *record.Type) { t.Copies = &record.Copies{Of: "x.y"} }), "Copies names x.y, which is not registered"},
		"copies of no field": {with(func(t *record.Type) {
			t.Copies = &record.Copies{Of: "a.b",
				Fields: map[string]string{"name": "x"}}
		}), `Copies names "name" and "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := record.NewRegistry(c.types...)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("want %q, got %v", c.want, err)
			}
		})
	}
}
