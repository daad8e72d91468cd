package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// FormPage is what a form shows.
type FormPage struct {
	Title, Single string
	Name          string // of the record; "" for a new one
	Doc           string
	Cancel        string
	Submit        string
	Version       int64 // the version that the caller saw, 0 for a new record
	Groups        []FormGroup
	Errors        []FormError // of a form that was refused
	Type          *record.Type
	ID            int64        // 0 for a new record
	Uploads       bool         // it can have files
	Many          *manyPreview // of several new records
	Conflict      *conflict    // with what others saved meanwhile
	More          any          // for the type's own template
}

type FormGroup struct {
	Name   string
	Fields []FormField
	Folded bool // few people need it
}

// Open reports whether a folded group is shown open: one of its fields has a value or an error.
func (g FormGroup) Open() bool {
	return slices.ContainsFunc(g.Fields, func(f FormField) bool { return f.set || len(f.Errors) > 0 })
}

// FormField is one widget and its value.
type FormField struct {
	Name, ID    string
	Label, Help string
	Widget      record.Widget
	Required    bool
	Max         int
	Value       string
	Checked     bool
	Options     []Option
	Suggestions []string // what is offered while somebody types
	Choices     string   // the address that finds records while somebody types
	ChoicesOf   string   // the widget with the type of these records, if that can change
	ChoicesWith string   // the names of the widgets whose records these belong to
	Links       []Option // the current references, by id
	Unseen      int      // how many current references the caller may not see
	Kept        bool     // there is a secret, and it stays unless another is typed
	CanClear    bool     // the current value, which is not shown, may be removed
	Clear       bool     // the checkbox that removes it is checked
	Fixed       bool     // shown, and can't be changed
	Numbers     bool     // a list of numbers
	Errors      []string
	Focus       bool   // it is the first with an error
	Warning     string // what may go wrong with its value, which can be saved all the same

	File   *Cell  // the present file
	Accept string // the media types of a file

	SlugOf string // the widget with the name that its value is made from, until somebody types another

	held string // a fingerprint of its value before anybody typed
	set  bool   // its value is not the default
}

// FormSource is where the contents of a form come from: a record, or what was typed.
type FormSource struct {
	v      record.Values // the zero Values for a new record
	typed  url.Values    // nil if nothing was typed yet
	part   bool          // only what is typed counts; the rest is the record's
	shown  shownForm     // the values that were shown to the person who typed
	errs   fault.Fields
	defs   []*record.Custom
	unseen ledger.Unseen // references of the record that the caller may not see
	caller *Visit        // may not see all records that could be referred to
}

// fill sets the value of a widget: what was typed, or else what the record has.
func (s FormSource) fill(f *FormField, kept []string) {
	f.fill(kept)
	f.held = heldPrint(f.Widget, f.Name, f.posts())
	if s.typedInto(f) {
		f.fill(s.typed[f.Name])
		f.Clear = s.typed.Has(f.Name + clearSuffix)
	}
}

// customPrefix is the prefix of the names of custom fields' widgets, as of their filters.
const customPrefix = record.CustomPrefix

// advancedPart is the part of a form that is folded away.
const advancedPart = "Advanced"

// groups returns the form of a type.
func (p *TypePages) groups(src FormSource) []FormGroup {
	var groups []FormGroup
	rest, custom, advanced := FormGroup{Name: p.Single}, FormGroup{Name: customInputs}, FormGroup{Name: advancedPart, Folded: true}
	placed := map[string]bool{}
	place := func(name string, group *FormGroup) {
		switch {
		case placed[name] || !p.offers(name, src):
			return
		case slices.Contains(p.Type.Advanced, name):
			group = &advanced
		}
		placed[name] = true
		group.Fields = append(group.Fields, p.Field(p.Type.Field(name), src))
	}
	for _, g := range p.Type.Groups {
		group := FormGroup{Name: g.Name}
		for _, name := range g.Fields {
			place(name, &group)
		}
		groups = append(groups, group)
	}
	for _, in := range p.Type.Infos() {
		switch in.Widget {
		case record.NoWidget:
		case record.CustomInputs:
			custom.Fields = customFields(src)
		default:
			place(in.Name, &rest)
		}
	}
	groups = append(groups, rest, custom, advanced)
	return slices.DeleteFunc(groups, func(g FormGroup) bool { return len(g.Fields) == 0 })
}

// Prefilled returns the form of a record, or of a new one, with some widgets filled in.
func (p *TypePages) Prefilled(v *Visit, found record.Values, typed url.Values) []FormGroup {
	return p.groups(FormSource{v: found, typed: typed, part: true, caller: v})
}

// offers reports whether the form has a field. It lacks read-only fields, the flag that only superusers may set, and fields that
// take a permission of which the caller has none.
func (p *TypePages) offers(name string, src FormSource) bool {
	return !p.Type.Field(name).Info().ReadOnly && (name != p.Type.Elevated || src.caller.Caller.Superuser) && !p.isForGranted(name, src)
}

func (p *TypePages) Field(f record.Field, src FormSource) FormField {
	in := f.Info()
	out := widgetOf(in.Name, in, src)
	value := in.Default
	if src.v.Type() != nil {
		value = src.v.Get(in.Name)
		if out.Fixed = in.Immutable != ""; out.Fixed {
			out.Help = in.Immutable
		}
	}
	out.Numbers = hasNumbers(f)
	if name := p.Type.NamingField(); in.FromName && name != "" && src.v.Type() == nil {
		out.SlugOf, out.Required, out.Help = widgetID(name), false, "Leave it blank to make it from the name."
	}
	if types, ok := f.(record.TypeNaming); ok {
		out.Options = p.site.typeOptions(types)
	}
	if target := record.TargetOf(f); target != nil {
		if !out.Fixed && src.caller.May(target, access.View) {
			out.Choices, out.ChoicesWith = PagePath(target)+"choices/", chosenWith(p.Type, target)
		}
		src.fillLinks(&out, target, linksOf(value))
		src.suggestLink(&out, target)
		out.set = len(out.posts()) > 0 || out.Unseen > 0
		return out
	}
	if in.HalfOf != "" && in.Widget == record.NumberInput {
		ref, _ := record.ReferenceOf(p.Type.Field(in.HalfOf))
		out.Choices, out.ChoicesOf = p.Path+"choices/?for="+in.HalfOf, "id_"+ref.TypeField
		if name := src.nameOfAny(ref); name != "" {
			out.Help += " " + name
		}
	}
	usual := in.Default
	if sealed, ok := value.(record.Sealed); ok {
		out.Kept, out.CanClear = sealed != "", !in.Required
		value, usual = nil, nil
	}
	texts := textsOf(value)
	if in.KindOf != "" {
		out.Help = defaultHelp
		if src.v.Type() != nil {
			texts = defaultTexts(src.v.Text(in.KindOf), value)
		}
	}
	if in.Widget == record.FileInput {
		out.fillFile(in, value, src)
	}
	out.keepStored(f, texts)
	src.fill(&out, texts)
	out.set = out.Kept || out.differs(usual)
	return out
}

// differs reports whether the widget has another value than the default.
func (f *FormField) differs(usual any) bool {
	if f.Widget == record.CheckBox {
		return f.Checked != (usual == true)
	}
	return strings.Join(f.posts()[f.Name], "\n") != strings.Join(textsOf(usual), "\n")
}

// widgetOf returns a widget without its value.
func widgetOf(name string, in record.Info, src FormSource) FormField {
	out := FormField{Name: name, ID: widgetID(name), Label: in.Label, Help: in.Help, Widget: in.Widget, Max: in.Max,
		Errors: src.errs[name], Suggestions: in.Suggestions,
		Required: in.Required && (!in.Widget.IsWriteOnly() || src.v.Type() == nil)}
	if len(in.Choices) > 0 {
		// Without a default nothing is chosen until somebody chooses: the first choice would be saved by mistake.
		if chosen := in.Default != nil || src.v.Type() != nil; in.Widget == record.SelectOne && (in.Null || !chosen) {
			out.Options = append(out.Options, Option{Label: "—"})
		}
		for _, o := range in.Choices {
			out.Options = append(out.Options, Option{Value: o.Value, Label: o.Label})
		}
	}
	return out
}

// Choice returns a select widget that belongs to no field of the type.
func (s FormSource) Choice(name, label string, options []Option, chosen string) FormField {
	f := widgetOf(name, record.Info{Label: label, Widget: record.SelectOne}, s)
	f.Options = options
	s.fill(&f, []string{chosen})
	return f
}

// typeOptions returns the types that a webhook, a permission or a custom field can name.
func (s *Site) typeOptions(f record.TypeNaming) []Option {
	var options []Option
	for _, t := range f.Types() {
		options = append(options, Option{Value: t.Key(), Label: s.Pages(t).Single, Group: t.Section})
	}
	return options
}

// keepStored adds options for stored values that can't be chosen any more, so that they can stay.
func (f *FormField) keepStored(of record.Field, stored []string) {
	if len(f.Options) == 0 {
		return
	}
	for _, word := range stored {
		if !slices.ContainsFunc(f.Options, func(o Option) bool { return o.Value == word }) {
			f.Options = append(f.Options, Option{Value: word, Label: record.MarkUnknown(of, word)})
		}
	}
}

// fill sets the texts of the widget.
func (f *FormField) fill(texts []string) {
	switch f.Widget {
	case record.CheckBox:
		f.Checked = slices.Contains(texts, "true")
	case record.TypesInput, record.SelectOne:
		f.choose(texts)
	case record.LinesInput:
		if len(f.Options) > 0 {
			f.choose(texts)
			return
		}
		f.Value = strings.Join(texts, "\n")
	case record.PasswordInput, record.KeyArea: // never sent back
	case record.ColorInput:
		f.Value = asHeld(f.Widget, "#"+strings.TrimPrefix(strings.Join(texts, ""), "#"))
	case record.MomentInput:
		f.Value = asHeld(f.Widget, strings.Join(texts, ""))
	default:
		f.Value = strings.Join(texts, "\n")
	}
}

// OptionGroup is a part of the options of a widget.
type OptionGroup struct {
	Name    string // "" for stored values that can't be chosen any more
	Options []Option
}

// Grouped returns the options by their groups, in the order of the first of each.
func (f *FormField) Grouped() []OptionGroup {
	var groups []OptionGroup
	for _, o := range f.Options {
		i := slices.IndexFunc(groups, func(g OptionGroup) bool { return g.Name == o.Group })
		if i < 0 {
			i, groups = len(groups), append(groups, OptionGroup{Name: o.Group})
		}
		groups[i].Options = append(groups[i].Options, o)
	}
	return groups
}

// choose selects options.
func (f *FormField) choose(values []string) {
	for i, o := range f.Options {
		f.Options[i].Selected = slices.Contains(values, o.Value)
	}
}

// NameOf returns the text that means a record in a form. It has the id if several records may have the same name.
func NameOf(t *record.Type, id int64, display string) string {
	if name := t.NamingField(); t.Display == nil && name != "" && t.Field(name).Info().Unique && !strings.Contains(display, "#") {
		return display
	}
	return fmt.Sprintf("%s #%d", display, id)
}

// input returns the typed values that differ from what the form showed, as input for the ledger.
func (p *TypePages) input(src FormSource) (ledger.Input, fault.Fields) {
	in, errs := ledger.Input{}, fault.Fields{}
	for i, f := range p.Type.All() {
		info := p.Type.Infos()[i]
		if info.Widget == record.NoWidget || info.ReadOnly {
			continue
		}
		if info.Widget == record.CustomInputs {
			custom := ledger.Input{}
			for _, def := range src.defs {
				if value, given := src.value(nil, customPrefix+def.Name, def.Info(), errs); given {
					custom[def.Name] = value
				}
			}
			if len(custom) > 0 {
				in[info.Name] = custom
			}
			continue
		}
		if value, given := src.value(f, info.Name, info, errs); given {
			in[info.Name] = value
		}
	}
	if src.v.Type() == nil {
		p.makeSlug(in)
	}
	return in, errs
}

// makeSlug gives a new record a slug if nobody typed one. The API does not: there a slug is required.
func (p *TypePages) makeSlug(in ledger.Input) {
	name, _ := in[p.Type.NamingField()].(string)
	for _, info := range p.Type.Infos() {
		if text, _ := in[info.Name].(string); info.FromName && strings.TrimSpace(text) == "" && record.SlugOf(name) != "" {
			in[info.Name] = record.SlugOf(name)
		}
	}
}

// value parses the value of one widget. given is false if the record keeps its value.
func (s FormSource) value(f record.Field, name string, in record.Info, errs fault.Fields) (value any, given bool) {
	if in.Widget == record.FileInput {
		return s.file(name, errs)
	}
	if !s.touched(name, in) {
		return nil, false
	}
	value, given = typedValue(f, name, in, s.typed, errs)
	if target := record.TargetOf(f); target != nil && s.v.Type() != nil {
		return s.withUnseen(target, name, value)
	}
	return value, given
}

// customFields returns the widgets of custom fields.
func customFields(src FormSource) []FormField {
	values := customValues(src.v)
	fields := make([]FormField, len(src.defs))
	for i, def := range src.defs {
		in := def.Info()
		fields[i] = widgetOf(customPrefix+in.Name, in, src)
		value, ok := values[in.Name]
		if !ok && src.v.Type() == nil && def.Default != nil {
			value = decoded(def.Default)
		}
		texts := customTexts(in, value)
		fields[i].keepStored(def.Kind, texts)
		src.fill(&fields[i], texts)
	}
	return fields
}

// Field returns a field of a form, or nil.
func (f *FormPage) Field(name string) *FormField {
	for _, g := range f.Groups {
		for i := range g.Fields {
			if g.Fields[i].Name == name {
				return &g.Fields[i]
			}
		}
	}
	return nil
}

// LeaveOut removes a field from a form, and its group if that is empty then.
func (f *FormPage) LeaveOut(name string) {
	for i, g := range f.Groups {
		f.Groups[i].Fields = slices.DeleteFunc(g.Fields, func(field FormField) bool { return field.Name == name })
	}
	f.Groups = slices.DeleteFunc(f.Groups, func(g FormGroup) bool { return len(g.Fields) == 0 })
}
