package web

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// Names of inputs in the bulk form. No field can have such a name.
const (
	toPrefix  = "to."  // before the name of a field: its widget
	howPrefix = "how." // before the name of a field: how to change a set of references
)

// The ways to change a set of references.
const (
	addThem    = "add"
	removeThem = "remove"
	setThem    = "set"
)

var hows = []Option{{Value: addThem, Label: "Add these"}, {Value: removeThem, Label: "Remove these"},
	{Value: setThem, Label: "Replace all by these"}}

// inBulk reports whether it makes sense to give several records the same value of a field. It does not for unique and immutable fields,
// secrets,
// owners, what shares a record, and fields whose meaning differs from record to record.
func (p *TypePages) inBulk(f record.Field, in record.Info) bool {
	if _, secret := record.SecrecyOf(f); secret || in.Widget == record.NoWidget || in.Widget == record.CustomInputs ||
		in.Widget == record.FileInput || in.ReadOnly {
		return false
	}
	if in.Unique || in.Immutable != "" || in.KindOf != "" || slices.Contains([]string{p.Type.Owner, p.Type.Shared, p.Type.Elevated}, in.Name) {
		return false
	}
	return record.TargetOf(f) != nil || !slices.ContainsFunc(p.Type.Unique, func(u record.Unique) bool {
		return slices.Contains(u.Fields, in.Name)
	})
}

// bulkField is a widget with a checkbox: only checked fields are changed.
type bulkField struct {
	FormField
	Key    string // of the field
	Change bool
	How    string // the name of the choice below, "" if there is none
	Hows   []Option
}

type bulkGroup struct {
	Name   string
	Fields []bulkField
}

// bulkGroups returns the form for many records.
func (p *TypePages) bulkGroups(form url.Values, src FormSource) []bulkGroup {
	own, custom := bulkGroup{Name: p.Single}, bulkGroup{Name: "Custom fields"}
	for i, f := range p.Type.All() {
		in := p.Type.Infos()[i]
		if in.Widget == record.CustomInputs {
			for _, field := range customFields(src) {
				custom.Fields = append(custom.Fields, asBulk(field, form))
			}
		}
		if p.inBulk(f, in) {
			own.Fields = append(own.Fields, asBulk(p.Field(f, src), form))
		}
	}
	return slices.DeleteFunc([]bulkGroup{own, custom}, func(g bulkGroup) bool { return len(g.Fields) == 0 })
}

func asBulk(field FormField, form url.Values) bulkField {
	out := bulkField{FormField: field, Key: field.Name, Change: slices.Contains(form["change"], field.Name)}
	out.Name, out.Required = toPrefix+field.Name, false
	if field.Widget == record.RecordsInput {
		out.How, out.Hows = howPrefix+field.Name, slices.Clone(hows)
		for i := range out.Hows {
			out.Hows[i].Selected = form.Get(out.How) == out.Hows[i].Value
		}
	}
	return out
}

// typedInBulk returns the values of the bulk form's widgets, by the names of their fields.
func typedInBulk(form url.Values) url.Values {
	typed := url.Values{}
	for key, values := range form {
		if name, ok := strings.CutPrefix(key, toPrefix); ok {
			typed[name] = values
		}
	}
	return typed
}

// bulkChange is the change to make to every record.
type bulkChange struct {
	input ledger.Input
	sets  []setChange
}

// setChange adds to a set of references, removes from it, or replaces it.
type setChange struct {
	field   string
	how     string
	target  *record.Type
	written []any // as typedLink reads them
	these   []record.Link
}

// bulkChange parses the checked fields.
func (p *TypePages) bulkChange(form url.Values, defs []*record.Custom) (bulkChange, fault.Fields) {
	change, errs := bulkChange{input: ledger.Input{}}, fault.Fields{}
	typed := typedInBulk(form)
	read := func(f record.Field, name string, in record.Info) (any, bool) {
		if !slices.Contains(form["change"], name) {
			return nil, false
		}
		value, given := typedValue(f, name, in, typed, errs)
		if !given {
			errs.Add(name, "Type a value.")
		}
		return value, given
	}
	for i, f := range p.Type.All() {
		in := p.Type.Infos()[i]
		if !p.inBulk(f, in) {
			continue
		}
		value, given := read(f, in.Name, in)
		how := form.Get(howPrefix + in.Name)
		switch these, _ := value.([]any); {
		case !given:
		case in.Widget != record.RecordsInput:
			change.input[in.Name] = value
		case len(these) == 0 && how != setThem:
			errs.Add(in.Name, "Name at least one.")
		default:
			change.sets = append(change.sets, setChange{field: in.Name, how: how, target: record.TargetOf(f), written: these})
		}
	}
	custom := ledger.Input{}
	for _, def := range defs {
		if value, given := read(nil, customPrefix+def.Name, def.Info()); given {
			custom[def.Name] = value
		}
	}
	if len(custom) > 0 {
		change.input["custom_fields"] = custom
	}
	if len(errs) == 0 && len(change.input) == 0 && len(change.sets) == 0 {
		errs.Add(fault.General, "Select the fields to change.")
	}
	return change, errs
}

// refer resolves the records that the sets name.
func (p *TypePages) refer(v *Visit, sets []setChange, errs fault.Fields) error {
	for i, set := range sets {
		found, problems, err := p.site.Ledger.Refer(v.Ctx, v.Caller, set.target, set.written)
		if err != nil {
			return err
		}
		for _, problem := range problems {
			errs.Add(set.field, "%s", problem)
		}
		sets[i].these = found
	}
	return nil
}

// edits returns the edit of each record. A new set is computed from the one that was read, so the record must not have changed since.
func (c bulkChange) edits(rows []record.Values, unseen ledger.Unseen) []ledger.Edit {
	edits := make([]ledger.Edit, len(rows))
	for i, v := range rows {
		edits[i] = ledger.Edit{ID: v.ID(), Input: c.input}
		if len(c.sets) > 0 {
			edits[i].Input, edits[i].Match = maps.Clone(c.input), []int64{v.Version}
		}
		for _, set := range c.sets {
			edits[i].Input[set.field] = set.of(v.Links(set.field), unseen)
		}
	}
	return edits
}

// of returns the new set for a current one. Records that the caller may not see stay in it.
func (c setChange) of(links []record.Link, unseen ledger.Unseen) []any {
	out := []any{}
	for _, l := range links {
		named := slices.ContainsFunc(c.these, func(this record.Link) bool { return this.ID == l.ID })
		if unseen[c.target][l.ID] || c.how != setThem && (c.how != removeThem || !named) {
			out = append(out, idOf(l))
		}
	}
	if c.how != removeThem {
		for _, l := range c.these {
			out = append(out, idOf(l))
		}
	}
	return out
}
