package web

import (
	"net/url"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// filterInput is one input of the filter panel. Its name is the API's filter.
type filterInput struct {
	Name    string
	Label   string
	Kind    string // text, choices, bool, reference, number, time, date
	Value   string
	Bounds  bool   // number, time, date: a lower and an upper one
	Upper   string // the value of the upper bound
	From    string // time: the lower bound as the address has it, perhaps more exact than the input can show
	To      string
	Options []Option // reference: those that are chosen already; one more can be typed
	Choices string   // reference: where to look for records by typing
}

// filterGroup is a part of the filter panel.
type filterGroup struct {
	Name   string
	Inputs []filterInput
}

// Option is one of several values to choose from.
type Option struct {
	Value, Label string
	Selected     bool
	Group        string // the part of the list that it is in, if that has parts
}

// The parts of the filter panel that are not of the form.
const (
	throughOthers = "Through other records"
	whenChanged   = "Times"
	customInputs  = "Custom fields"
)

// filterInputs returns the filter panel, derived from the fields and filled with the current filters. It has the parts of the form.
func (p *TypePages) filterInputs(v *Visit, params url.Values, defs []*record.Custom) []filterGroup {
	var groups []filterGroup
	taken := map[string]bool{} // a declared filter may have the name of a field's own
	add := func(name string, input filterInput) {
		if taken[input.Name] {
			return
		}
		taken[input.Name] = true
		i := slices.IndexFunc(groups, func(g filterGroup) bool { return g.Name == name })
		if i < 0 {
			i, groups = len(groups), append(groups, filterGroup{Name: name})
		}
		groups[i].Inputs = append(groups[i].Inputs, input)
	}
	for _, i := range p.byParts() {
		f, in := p.Type.All()[i], p.Type.Infos()[i]
		if in.Hidden || f.Lookups() == nil {
			continue
		}
		if target := record.TargetOf(f); target != nil && !v.May(target, access.View) {
			continue // the caller may see no record to choose
		}
		if input, ok := filterInputOf(f, in, params); ok {
			add(p.partOf(in.Name), input)
		}
		for _, x := range p.Type.Filters {
			if x.Field == in.Name && !x.Secret && f.Column().Storage != record.StoreTime { // a time has inputs for both bounds
				add(p.partOf(in.Name), declaredInput(x, params))
			}
		}
	}
	for _, x := range p.Type.Filters {
		if x.Field == "" && !x.Secret && !x.Ignored && !x.Never && !p.repeats(x) {
			add(throughOthers, declaredInput(x, params))
		}
	}
	for _, def := range defs {
		add(customInputs, customInput(def, params))
	}
	return groups
}

// byParts returns the positions of all fields in the order of the form, and then those that it does not have.
func (p *TypePages) byParts() []int {
	var order []int
	for _, g := range p.Type.Groups {
		for _, name := range g.Fields {
			order = append(order, p.Type.Index(name))
		}
	}
	late := func(name string) bool { return p.partOf(name) != p.Single }
	for _, want := range []bool{false, true} {
		for i, in := range p.Type.Infos() {
			if !slices.Contains(order, i) && late(in.Name) == want {
				order = append(order, i)
			}
		}
	}
	return order
}

// partOf returns the part of the form that a field is in.
func (p *TypePages) partOf(name string) string {
	for _, g := range p.Type.Groups {
		if slices.Contains(g.Fields, name) {
			return g.Name
		}
	}
	switch {
	case slices.Contains(p.Type.Advanced, name):
		return advancedPart
	case name == "created" || name == "last_updated":
		return whenChanged
	}
	return p.Single
}

// repeats reports whether a filter means the same as that of a reference, which takes slugs and names.
func (p *TypePages) repeats(x record.Filter) bool {
	name, rest, _ := strings.Cut(x.Path, ".")
	target := record.TargetOf(p.Type.Field(name))
	return target != nil && target.LookupField() != "" && (rest == "" || rest == target.LookupField())
}

// declaredInput returns the input of a filter that the type declares.
func declaredInput(x record.Filter, params url.Values) filterInput {
	input := filterInput{Name: x.Name, Label: record.LabelOf(x.Name)}
	if x.Has != nil || x.Set != "" || x.Usable != "" || x.OneOf != nil {
		return input.yesOrNo(params)
	}
	input.Kind, input.Label, input.Value = "text", input.Label+" is", params.Get(x.Name)
	return input
}

// customInput returns the input for a custom field.
func customInput(def *record.Custom, params url.Values) filterInput {
	in := def.Info()
	input := filterInput{Name: customPrefix + def.Name, Label: def.Label}
	switch {
	case def.Choose():
		return input.choose(in.Choices, params)
	case len(in.Choices) > 0:
		return input.yesOrNo(params)
	case in.Widget == record.MomentInput:
		return input.bounded("time", params)
	case in.Widget == record.DateInput:
		return input.bounded("date", params)
	}
	input, _ = boundsOrText(def.Kind, input, params)
	return input
}

func filterInputOf(f record.Field, in record.Info, params url.Values) (filterInput, bool) {
	input := filterInput{Name: in.Name, Label: in.Label}
	ref, isRef := record.ReferenceOf(f)
	switch {
	case isRef && ref.Target.LookupField() == "":
		return input, false
	case isRef:
		input.Kind, input.Choices, input.Name = "reference", PagePath(ref.Target)+"choices/?by=key", ref.FilterName
		for _, text := range params[input.Name] {
			input.Options = append(input.Options, Option{Value: text, Label: text, Selected: true})
		}
		return input, true
	case len(in.Choices) > 0:
		input = input.choose(in.Choices, params)
	case in.Widget == record.CheckBox:
		input = input.yesOrNo(params)
	default:
		return boundsOrText(f, input, params)
	}
	input.Value = params.Get(input.Name)
	return input, true
}

// choose makes an input of boxes to check.
func (x filterInput) choose(choices []record.Option, params url.Values) filterInput {
	x.Kind = "choices"
	for _, o := range choices {
		x.Options = append(x.Options, Option{Value: o.Value, Label: o.Label, Selected: slices.Contains(params[x.Name], o.Value)})
	}
	return x
}

func (x filterInput) yesOrNo(params url.Values) filterInput {
	x.Kind, x.Value = "bool", params.Get(x.Name)
	for _, o := range []Option{{Value: "true", Label: "Yes"}, {Value: "false", Label: "No"}} {
		o.Selected = x.Value == o.Value
		x.Options = append(x.Options, o)
	}
	return x
}

// bounded makes an input of a lower and an upper bound.
func (x filterInput) bounded(kind string, params url.Values) filterInput {
	x.Kind, x.Bounds = kind, true
	x.Value, x.Upper = params.Get(x.Name+"__gte"), params.Get(x.Name+"__lte")
	if kind == "time" {
		x.From, x.To = x.Value, x.Upper
		x.Value, x.Upper = InputTime(x.Value), InputTime(x.Upper)
	}
	return x
}

func boundsOrText(f record.Field, input filterInput, params url.Values) (filterInput, bool) {
	switch f.Column().Storage {
	case record.StoreText, record.StoreMAC:
		input.Kind, input.Name, input.Label = "text", input.Name+"__ic", input.Label+" contains"
	case record.StoreUUID, record.StoreNumbers, record.StoreNetwork, record.StoreAddress:
		input.Kind, input.Label = "text", input.Label+" is"
	case record.StoreInt, record.StoreFloat:
		return input.bounded("number", params), true
	case record.StoreTime:
		return input.bounded("time", params), true
	case record.StoreDate:
		return input.bounded("date", params), true
	default:
		return input, false
	}
	input.Value = params.Get(input.Name)
	return input, true
}

// keptFilters returns the active filters that have no input of their own in the filter panel, such as saved ones. Its form sends them
// along.
func (p *TypePages) keptFilters(groups []filterGroup, params url.Values) []pair {
	own := map[string]bool{}
	for _, group := range groups {
		for _, input := range group.Inputs {
			if input.Bounds {
				own[input.Name+"__gte"], own[input.Name+"__lte"] = true, true
			} else {
				own[input.Name] = true
			}
		}
	}
	var kept []pair
	for _, key := range sortedKeys(params) {
		if key == "q" || own[key] || !p.isFilter(key) && !slices.Contains(ledger.SavedNames, key) {
			continue
		}
		for _, value := range params[key] {
			kept = append(kept, pair{Name: key, Value: value})
		}
	}
	return kept
}

func sortedKeys(params url.Values) []string {
	keys := make([]string, 0, len(params))
	for key := range params {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Filled returns the parameters that are not blank. A form sends every field, blank ones too.
func Filled(params url.Values) url.Values {
	out := url.Values{}
	for key, values := range params {
		if values = slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == "" }); len(values) > 0 {
			out[key] = values
		}
	}
	return out
}

// filledFrom returns what a new record needs so that the filters of a list find it: each reference to one record that they name by its id.
func (p *TypePages) filledFrom(params url.Values) url.Values {
	filled := url.Values{}
	for _, ref := range p.Type.References() {
		in := p.Type.Infos()[ref.Index]
		switch {
		case ref.TypeField != "":
			if of, id := params[ref.TypeField], params[ref.IDField]; len(of) == 1 && len(id) == 1 {
				filled.Set(ref.TypeField, of[0])
				filled.Set(ref.IDField, id[0])
			}
		case in.Widget == record.RecordInput:
			if id := params[ref.FilterName+"_id"]; len(id) == 1 && id[0] != "null" {
				filled.Set(in.Name, "#"+id[0])
			}
		}
	}
	return filled
}
