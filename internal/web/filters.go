package web

import (
	"net/url"
	"slices"

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

// Option is one of several values to choose from.
type Option struct {
	Value, Label string
	Selected     bool
	Group        string // the part of the list that it is in, if that has parts
}

// filterInputs returns the filter panel, derived from the fields and filled with the current filters.
func (p *TypePages) filterInputs(v *Visit, params url.Values, defs []*record.Custom) []filterInput {
	var inputs []filterInput
	for i, f := range p.Type.All() {
		in := p.Type.Infos()[i]
		if in.Hidden || f.Lookups() == nil {
			continue
		}
		if target := record.TargetOf(f); target != nil && !v.May(target, access.View) {
			continue // the caller may see no record to choose
		}
		if input, ok := filterInputOf(f, in, params); ok {
			inputs = append(inputs, input)
		}
	}
	for _, x := range p.Type.Filters {
		if x.Secret {
			continue
		}
		if f := p.Type.Field(x.Field); f != nil && f.Column().Storage == record.StoreTime {
			continue // the field has inputs for both bounds
		}
		inputs = append(inputs, filterInput{Name: x.Name, Label: record.LabelOf(x.Name), Kind: "text", Value: params.Get(x.Name)})
	}
	for _, def := range defs {
		inputs = append(inputs, customInput(def, params))
	}
	return inputs
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
		input.Kind, input.Name = "text", input.Name+"__ic"
	case record.StoreUUID, record.StoreNumbers, record.StoreNetwork, record.StoreAddress:
		input.Kind = "text"
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
func (p *TypePages) keptFilters(inputs []filterInput, params url.Values) []pair {
	own := map[string]bool{}
	for _, input := range inputs {
		if input.Bounds {
			own[input.Name+"__gte"], own[input.Name+"__lte"] = true, true
		} else {
			own[input.Name] = true
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
