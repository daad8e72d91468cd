package record

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// check returns the mistakes in a declaration. It runs when the registry is built and all types are resolved, so that the
// program does not start with a mistake.
func (t *Type) check() error {
	for _, check := range []func() error{t.checkNames, t.checkColumns, t.checkFilters, t.checkLists, t.checkUnique, t.checkAllocation,
		t.checkScoped, t.checkSpace, t.checkApart, t.checkMap, t.checkPanels, t.checkTotals, t.checkSpecial, t.checkActions} {
		if err := check(); err != nil {
			return err
		}
	}
	for i, f := range t.fields {
		if err := t.checkField(f, t.infos[i]); err != nil {
			return fmt.Errorf("field %s: %w", t.infos[i].Name, err)
		}
	}
	return nil
}

var (
	typeName  = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	fieldName = regexp.MustCompile(`^_?[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	pathName  = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
)

// reserved are names that fields may not have: members of every record, and parameters of every list.
var reserved = []string{"id", "pk", "url", "display", "version", "q", "limit", "offset", "cursor", "ordering", "brief", "fields",
	"omit", "exclude", "format", "count"}

func (t *Type) checkNames() error {
	switch {
	case !typeName.MatchString(t.App) || !typeName.MatchString(t.Name):
		return fmt.Errorf("its App and Name must be lower-case words")
	case t.App == TestApp:
		return fmt.Errorf("the app %q is for changes that only test a webhook", TestApp)
	case !pathName.MatchString(t.Plural):
		return fmt.Errorf("its Plural is %q, which can't be part of an address", t.Plural)
	}
	if slices.Contains([]string{"Error", "FieldErrors", "BulkErrors"}, t.SchemaName("")) {
		return fmt.Errorf("the API document calls something else %s: set Label", t.SchemaName(""))
	}
	for _, in := range t.infos {
		if !fieldName.MatchString(in.Name) {
			return fmt.Errorf("field %q: a name is lower-case words with single underscores between them", in.Name)
		}
		if slices.Contains(reserved, in.Name) {
			return fmt.Errorf("field %q has a name that means something else in every request", in.Name)
		}
	}
	for _, other := range t.reg.types {
		if other == t {
			break
		}
		if other.ContentTypeID() == t.ContentTypeID() {
			return fmt.Errorf("%s has the same number in the list of types: choose another Name", other.Key())
		}
		if other.path == t.path {
			return fmt.Errorf("%s has the address %s too", other.Key(), t.path)
		}
		if other.SchemaName("") == t.SchemaName("") {
			return fmt.Errorf("%s has the name %s in the API document too: set Label", other.Key(), t.SchemaName(""))
		}
	}
	return nil
}

// checkColumns refuses two fields that share a column.
func (t *Type) checkColumns() error {
	if f := t.Field(t.Indent); t.Indent != "" && (f == nil || f.Info().Type != "integer") {
		return fmt.Errorf("its Indent names %q, which is not a whole number", t.Indent)
	}
	by := map[string]string{"id": "id"}
	if !t.ReadOnly {
		by["version"] = "version"
	}
	for i, f := range t.fields {
		c := f.Column()
		if c.Storage == NoStorage {
			continue
		}
		for _, name := range []string{c.Name, c.Key.Name} {
			if other, taken := by[name]; taken {
				return fmt.Errorf("fields %s and %s have the same column %s", other, t.infos[i].Name, name)
			}
			if name != "" {
				by[name] = t.infos[i].Name
			}
		}
	}
	return nil
}

// checkFilters refuses two filters with one name, because one would be lost. Only a declared filter that is about the same field may
// replace that of a field.
func (t *Type) checkFilters() error {
	by := map[string]string{"id": "id"}
	for name := range requestFilters {
		by[name] = "every type"
	}
	for i, f := range t.fields {
		own := map[string]filter{}
		t.addFilters(own, f)
		for name := range own {
			if other, taken := by[name]; taken {
				return fmt.Errorf("fields %s and %s have the same filter %s", other, t.infos[i].Name, name)
			}
			by[name] = t.infos[i].Name
		}
	}
	declared := map[string]bool{}
	for _, x := range t.Filters {
		own := map[string]filter{}
		if err := t.addDeclared(own, x); err != nil {
			return err
		}
		for name := range own {
			other, taken := by[name]
			if taken = taken && (declared[name] || other != x.about()); taken || slices.Contains(reserved, name) || !fieldName.MatchString(name) {
				return fmt.Errorf("its Filters name %q, which is not a name, or names the filter of %s", name, cmp.Or(other, "every type"))
			}
			by[name], declared[name] = x.Name, true
		}
	}
	return nil
}

// checkLists checks that the fields which a declaration names exist and fit.
func (t *Type) checkLists() error {
	for _, list := range []struct {
		name   string
		fields []string
		allows func(Field) bool
		want   string
	}{
		{"Brief", t.Brief, nestable, "can be shown in another record"},
		{"BriefList", t.BriefList, func(f Field) bool { return nestable(f) && !slices.Contains(t.Brief, f.Info().Name) },
			"can be shown besides those in Brief"},
		{"Columns", t.Columns, func(f Field) bool { return !f.Info().Hidden && !f.Info().DetailOnly && !f.Info().IsForAPI() }, "a list can show"},
		{"Groups", t.groupNames(), func(f Field) bool { return f.Info().Widget != NoWidget }, "a form can ask for"},
		{"Advanced", t.Advanced, func(f Field) bool { return f.Info().Widget != NoWidget && !f.Info().Required },
			"a form can ask for and do without"},
	} {
		for i, name := range list.fields {
			f := t.Field(name)
			switch {
			case f == nil:
				return fmt.Errorf("%s names %q, and there is no such field", list.name, name)
			case !list.allows(f):
				return fmt.Errorf("%s names %q, which is not a field that %s", list.name, name, list.want)
			case slices.Contains(list.fields[:i], name):
				return fmt.Errorf("%s names %q twice", list.name, name)
			}
		}
	}
	for _, name := range t.Order {
		name = strings.TrimPrefix(name, "-")
		f := t.Field(name)
		if name != "id" && (f == nil || !Orderable(f)) {
			return fmt.Errorf("its Order names %q, and there is no field of this name to order by", name)
		}
		if ref, _ := ReferenceOf(f); ref.Loose {
			return fmt.Errorf("its Order names %q, which is Loose: no cursor can stand where its record is gone", name)
		}
	}
	return nil
}

// nestable reports whether a field can be shown in another record: it must be one small value.
func nestable(f Field) bool {
	ref, _ := ReferenceOf(f)
	_, secret := f.(Sealing)
	switch f.Column().Storage {
	case StoreJSON, StoreJSONText, StoreMembers:
		return false
	}
	return !secret && !ref.Many && f.Info().AliasOf == "" && !f.Info().DetailOnly && f.Info().IsInBrief()
}

// searchable reports whether q can look into a field: a text of the record, or of another row that it belongs to, or JSON as text.
func searchable(f Field) bool {
	if b, ok := f.(Borrowed); ok {
		return b.from.Field(b.Field).Column().Storage == StoreText
	}
	return isText(f.Column().Storage) || f.Column().Storage == StoreJSON
}

// isText reports whether a value is one text that people read. The database may store it in another form.
func isText(s Storage) bool {
	return s == StoreText || s == StoreMAC || s == StoreNetwork || s == StoreAddress
}

func (t *Type) checkUnique() error {
	seen := map[string]bool{}
	for _, rule := range t.Rules() {
		if rule.Name == "" || seen[rule.Name] {
			return fmt.Errorf("a rule over %s needs a Name of its own", strings.Join(rule.Fields, ", "))
		}
		seen[rule.Name] = true
		null, text := false, false
		for _, name := range rule.Fields {
			f := t.Field(name)
			if f == nil || f.Column().Storage == NoStorage {
				return fmt.Errorf("rule %s names %q, and there is no such column", rule.Name, name)
			}
			null = null || f.Column().Null
			text = text || f.Column().Storage == StoreText
		}
		where := t.Field(rule.Where)
		switch {
		case rule.Where != "" && (where == nil || !where.Column().Null):
			return fmt.Errorf("rule %s applies where %q is not null, which is not a field that can be null", rule.Name, rule.Where)
		case rule.NullsDiffer && !null:
			return fmt.Errorf("rule %s says that nulls differ, and none of its fields can be null", rule.Name)
		case rule.FoldCase && !text:
			return fmt.Errorf("rule %s folds case, and none of its fields is a text", rule.Name)
		}
	}
	return nil
}

func (t *Type) checkSpecial() error {
	if t.Owner != "" {
		ref, ok := ReferenceOf(t.Field(t.Owner))
		switch {
		case !ok || ref.Many || ref.Target == nil:
			return fmt.Errorf("its Owner names %q, which is not a reference to one record", t.Owner)
		case t.Shared == "" && !slices.Contains(t.Rights, "grant"):
			return fmt.Errorf(`a type with an Owner needs "grant" among its Rights, or a flag that is Shared`)
		}
	}
	if t.Shared != "" && (t.Owner == "" || t.Field(t.Shared) == nil || t.Field(t.Shared).Column().Storage != StoreBool) {
		return fmt.Errorf("its Shared needs an Owner, and names %q, which is not a yes or no", t.Shared)
	}
	if t.MaxOwned > 0 && t.Owner == "" || t.Expiry != "" && (t.Field(t.Expiry) == nil || t.Field(t.Expiry).Column().Storage != StoreTime) {
		return fmt.Errorf("its MaxOwned needs an Owner, and its Expiry must name a time")
	}
	if t.Elevated != "" && (t.Field(t.Elevated) == nil || t.Field(t.Elevated).Column().Storage != StoreBool) {
		return fmt.Errorf("its Elevated names %q, which is not a yes or no", t.Elevated)
	}
	if t.About != "" && (t.Field(t.About) == nil || t.Field(t.About).Column().Storage != StoreText) {
		return fmt.Errorf("its About names %q, which is not a text", t.About)
	}
	if t.Copies == nil {
		return nil
	}
	of := t.reg.byKey[t.Copies.Of]
	if of == nil {
		return fmt.Errorf("its Copies names %s, which is not registered", t.Copies.Of)
	}
	for here, there := range t.Copies.Fields {
		if t.Field(here) == nil || of.Field(there) == nil {
			return fmt.Errorf("its Copies names %q and %q, and one of them does not exist", here, there)
		}
	}
	return nil
}

// declared is a field that checks its own declaration.
type declared interface {
	checkDeclaration(t *Type) error
}

func (t *Type) checkField(f Field, in Info) error {
	if x, ok := f.(declared); ok {
		if err := x.checkDeclaration(t); err != nil {
			return err
		}
	}
	switch ref, refers := ReferenceOf(f); {
	case in.KindOf != "" && t.Field(in.KindOf) == nil:
		return fmt.Errorf("its KindOf names %q, and there is no such field", in.KindOf)
	case in.Unit != "" && t.Field(in.Unit) == nil:
		return fmt.Errorf("its Unit names %q, and there is no such field", in.Unit)
	case refers && !ref.Many && ref.OnDelete == SetNull && !in.Null:
		return fmt.Errorf("it is required, so it can't be set to null when its record is deleted: use Protect or Cascade")
	case refers && ref.Loose && ref.OnDelete != Protect && !ref.Many:
		return fmt.Errorf("it is Loose, so nothing happens to it on delete")
	case len(ref.Clears) > 0 && ref.OnDelete != SetNull:
		return fmt.Errorf("it has Clears, which needs OnDelete: record.SetNull")
	default:
		for _, name := range ref.Clears {
			if f := t.Field(name); f == nil || !f.Column().Null || f.Info().HalfOf != "" {
				return fmt.Errorf("its Clears names %q, which is not a field that can be null", name)
			}
		}
	}
	return nil
}
