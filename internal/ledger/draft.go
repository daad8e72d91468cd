package ledger

import (
	"fmt"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// draft is one record that is about to be written.
type draft struct {
	pre   record.Values // as it was; the zero Values on a creation
	v     record.Values // as it must be
	given record.Values // what the caller sent, parsed
	errs  fault.Fields

	aliases map[string]string // second names that the caller gave in place of the first ones

	reveal map[string]record.Plain // keys that the answer shows, once

	cause *draft // of a derived record: the named record that it is created or changed with
	field string // the field of the cause on which errors are reported

	template *record.Type // of a child: the type of the template that it is made from
	blamed   int          // errors of derived records that were moved here
}

// derived reports whether the record changes with another one, and is not named by the caller.
func (d *draft) derived() bool { return d.cause != nil }

// derivedUpdate reports whether the record existed before and changes only because another one does.
func (d *draft) derivedUpdate() bool { return d.derived() && !d.creation() }

// root returns the draft that the caller names: this one, or its cause.
func (d *draft) root() *draft {
	if d.cause != nil {
		return d.cause
	}
	return d
}

// maxBlamed is how many errors of derived records are reported for one record. A device type can have hundreds of templates.
const maxBlamed = 10

// blame moves the errors of the record to its cause. The messages name the record only if the caller may see it.
func (d *draft) blame(named bool) {
	name := "a record of type " + d.v.Type().Key()
	if named {
		name = d.name()
	}
	for _, field := range slices.Sorted(maps.Keys(d.errs)) {
		for _, message := range d.errs[field] {
			switch d.cause.blamed++; {
			case d.cause.blamed <= maxBlamed:
				d.cause.errs.Add(d.field, "%s: %s", name, message)
			case d.cause.blamed == maxBlamed+1:
				d.cause.errs.Add(d.field, "There are more errors like these.")
			}
		}
	}
	d.errs = fault.Fields{}
}

// namedUpTo is how many characters of a name a message shows.
const namedUpTo = 60

// name returns the record's name for a message.
func (d *draft) name() string {
	t := d.v.Type()
	if name := t.NamingField(); name != "" && d.v.Text(name) != "" {
		if text := []rune(d.v.Text(name)); len(text) > namedUpTo {
			return t.Title() + " " + string(text[:namedUpTo]) + "…"
		}
		return t.Title() + " " + d.v.Text(name)
	}
	return fmt.Sprintf("%s %d", t.Title(), d.v.ID())
}

func (d *draft) clone() *draft {
	c := &draft{pre: d.pre, given: d.given.Clone(), aliases: d.aliases, errs: fault.Fields{}, reveal: d.reveal}
	if d.v.Type() != nil {
		c.v = d.v.Clone()
	}
	for field, messages := range d.errs {
		c.errs[field] = slices.Clone(messages)
	}
	return c
}

// parse reads the fields of an input into a draft. It ignores unknown and read-only fields, because clients send back what they read.
func parse(t *record.Type, in Input) *draft {
	d := &draft{given: t.NewValues(), errs: fault.Fields{}}
	in, d.aliases = unaliased(t, in, d.errs)
	in = d.unscoped(t, in)
	for i, f := range t.All() {
		info := t.Infos()[i]
		value, ok := in[info.Name]
		if !ok || info.ReadOnly {
			continue
		}
		parsed, err := record.ParseValue(f, info, value)
		if err != nil {
			d.errs.Add(info.Name, "%s", err.Error())
			continue
		}
		d.given.SetAt(i, parsed)
	}
	return d
}

// sign makes the caller the author of a new record, unless another user or null is given.
func (d *draft) sign(c Caller) {
	for _, ref := range d.given.Type().References() {
		if ref.Author && !d.given.HasAt(ref.Index) && len(d.errs[ref.Name]) == 0 && c.UserID != 0 {
			d.given.SetAt(ref.Index, record.Link{ID: c.UserID})
		}
	}
}

// require adds an error for each required field that was not given.
func (d *draft) require(t *record.Type) {
	for i, info := range t.Infos() {
		if info.Required && !info.ReadOnly && info.Name != t.Owner && !d.given.HasAt(i) && len(d.errs[info.Name]) == 0 {
			d.errs.Add(info.Name, "%s", record.ErrRequired().Error())
		}
	}
}

// complete sets the values of a new record from what was given and the defaults.
func (d *draft) complete(t *record.Type) {
	d.v = t.NewValues()
	for i, info := range t.Infos() {
		d.v.SetAt(i, info.Default)
	}
	d.v.Merge(d.given)
}

// checkWords refuses given words that a field does not know, unless they are stored already.
func (d *draft) checkWords(t *record.Type) {
	before := d.before(t)
	for i, f := range t.All() {
		words, ok := f.(record.WordChecker)
		if !ok || !d.given.HasAt(i) {
			continue
		}
		if err := words.CheckAdded(before.At(i), d.given.At(i)); err != nil {
			d.errs.Add(t.Infos()[i].Name, "%s", err.Error())
		}
	}
}

// creation reports whether the record is new.
func (d *draft) creation() bool { return d.pre.Type() == nil }

// before returns the former values, or an empty record.
func (d *draft) before(t *record.Type) record.Values {
	if d.creation() {
		return t.NewValues()
	}
	return d.pre
}

// changed reports whether a field was given and differs from before.
func (d *draft) changed(i int) bool {
	return d.given.HasAt(i) && (d.creation() || !record.SameValue(d.pre.At(i), d.v.At(i)))
}

// check refuses changes of immutable fields and values that are too long, and applies the rules between fields. A rule does not apply if it
// looks at a field with an error.
func (d *draft) check(rules ...func(before, after record.Values) fault.Fields) {
	t := d.v.Type()
	for i, info := range t.Infos() {
		if !d.changed(i) {
			continue
		}
		if info.Immutable != "" && !d.creation() {
			d.errs.Add(info.Name, "%s", info.Immutable)
		}
		if info.MaxBytes == 0 || info.Widget == record.CustomInputs {
			continue // Parse checks the characters of a text, and the method custom checks custom fields
		}
		if err := info.TooLong(d.v.At(i)); err != nil {
			d.errs.Add(info.Name, "%s", err.Error())
		}
	}
	invalid := maps.Clone(d.errs)
	for _, rule := range rules {
		if rule == nil {
			continue
		}
		var broken fault.Fields
		d.v.Hiding(maps.Keys(invalid), func(after record.Values) { broken = rule(d.before(t), after) })
		for field, messages := range broken {
			d.errs[field] = append(d.errs[field], messages...)
		}
	}
}

// failed returns the errors of all drafts, by position.
func failed(drafts []*draft) error {
	items, bad := make([]fault.Fields, len(drafts)), false
	for i, d := range drafts {
		items[i] = d.reported()
		bad = bad || len(d.errs) > 0
	}
	if !bad {
		return nil
	}
	return &fault.Error{Kind: fault.Invalid, Items: items}
}

// own gives a new record the caller as its owner, if its type says so. People who may keep only private records of a shared type get one
// of those.
func (d *draft) own(c Caller) {
	t := d.given.Type()
	if t.Owner == "" || t.Shared != "" && c.Granted(t, access.Add) {
		return
	}
	for name, value := range map[string]any{t.Owner: record.Link{ID: c.UserID}, t.Shared: false} {
		if name != "" && !d.given.Has(name) && len(d.errs[name]) == 0 {
			d.given.Set(name, value)
		}
	}
}
