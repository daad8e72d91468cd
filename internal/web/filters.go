package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"terrier/internal/access"
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
	Options []Option
	Choices string // reference: where to look for records by typing
}

// Option is one of several values to choose from.
type Option struct {
	Value, Label string
	Selected     bool
	Group        string // the part of the list that it is in, if that has parts
}

// filterInputs returns the filter panel, derived from the fields and filled with the current filters.
func (p *TypePages) filterInputs(v *Visit, params url.Values) []filterInput {
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
		if f := p.Type.Field(x.Field); f != nil && f.Column().Storage == record.StoreTime {
			continue // the field has inputs for both bounds
		}
		inputs = append(inputs, filterInput{Name: x.Name, Label: record.LabelOf(x.Name), Kind: "text", Value: params.Get(x.Name)})
	}
	return inputs
}

func filterInputOf(f record.Field, in record.Info, params url.Values) (filterInput, bool) {
	input := filterInput{Name: in.Name, Label: in.Label}
	ref, isRef := record.ReferenceOf(f)
	switch {
	case isRef && ref.Target.LookupField() == "":
		return input, false
	case isRef:
		input.Kind, input.Choices, input.Name = "reference", PagePath(ref.Target)+"choices/?by=key", ref.FilterName
	case len(in.Choices) > 0:
		input.Kind = "choices"
		for _, o := range in.Choices {
			input.Options = append(input.Options, Option{Value: o.Value, Label: o.Label, Selected: slices.Contains(params[in.Name], o.Value)})
		}
	case in.Widget == record.CheckBox:
		input.Kind = "bool"
		for _, o := range []Option{{Value: "true", Label: "Yes"}, {Value: "false", Label: "No"}} {
			o.Selected = params.Get(in.Name) == o.Value
			input.Options = append(input.Options, o)
		}
	default:
		return boundsOrText(f, input, params)
	}
	input.Value = params.Get(input.Name)
	return input, true
}

func boundsOrText(f record.Field, input filterInput, params url.Values) (filterInput, bool) {
	switch f.Column().Storage {
	case record.StoreText, record.StoreMAC:
		input.Kind, input.Name = "text", input.Name+"__ic"
	case record.StoreUUID, record.StoreNumbers, record.StoreNetwork, record.StoreAddress:
		input.Kind = "text"
	case record.StoreInt, record.StoreFloat:
		input.Kind = "number"
	case record.StoreTime:
		input.Kind = "time"
	case record.StoreDate:
		input.Kind = "date"
	default:
		return input, false
	}
	input.Value = params.Get(input.Name)
	if input.Kind != "text" {
		input.Bounds = true
		input.Value, input.Upper = params.Get(input.Name+"__gte"), params.Get(input.Name+"__lte")
	}
	if input.Kind == "time" {
		input.Value, input.Upper = InputTime(input.Value), InputTime(input.Upper)
	}
	return input, true
}

// Chip is an active filter, and the address of the list without it. The times follow the text.
type Chip struct {
	Text, Remove string
	Times        []time.Time
}

// lookupWords say what a lookup means.
var lookupWords = map[string]string{
	"": "is", "n": "is not", "ic": "contains", "nic": "does not contain", "isw": "begins with", "nisw": "does not begin with",
	"iew": "ends with", "niew": "does not end with", "ie": "is", "nie": "is not", "empty": "is empty:",
	"lt": "is below", "lte": "is at most", "gt": "is above", "gte": "is at least",
	"net_contained": "is within", "net_contained_or_equal": "is within or equal to", "net_contains": "contains",
	"net_contains_or_equals": "contains or is", "net_covers": "contains or is", "net_host": "has the host",
	"net_host_contained": "has a host within", "family": "has the family", "net_mask_length": "has the length",
}

// timeWords say what a lookup means for times.
var timeWords = map[string]string{
	"": "is", "n": "is not", "lt": "is before", "lte": "is not after", "gt": "is after", "gte": "is not before",
}

// Chips returns the active filters of a list.
func (p *TypePages) Chips(params url.Values) []Chip {
	if len(params) > mostChips {
		return nil
	}
	var chips []Chip
	for _, key := range sortedKeys(params) {
		if key == "q" || p.isFilter(key) {
			rest := url.Values{}
			for k, values := range params {
				if k != key && k != "offset" && k != "cursor" {
					rest[k] = values
				}
			}
			chip := p.chip(key, params[key])
			chip.Remove = With(p.Path, rest)
			chips = append(chips, chip)
		}
	}
	return chips
}

func (p *TypePages) isFilter(key string) bool {
	return slices.Contains(p.filterNames, key) || strings.HasPrefix(key, "cf_")
}

func (p *TypePages) chip(key string, values []string) Chip {
	name, lookup, _ := strings.Cut(key, "__")
	label := record.LabelOf(strings.TrimSuffix(name, "_id"))
	if f := p.Type.Field(name); f != nil {
		label = f.Info().Label
		if times, ok := timesOf(f, lookup, values); ok {
			return Chip{Text: label + " " + timeWords[lookup], Times: times}
		}
	}
	if key == "q" {
		label, lookup = "Anything", "ic"
	}
	return Chip{Text: label + " " + lookupWords[lookup] + " " + strings.Join(values, " or ")}
}

// timesOf returns the values of a filter that are times. ok is false if they are something else.
func timesOf(f record.Field, lookup string, values []string) (times []time.Time, ok bool) {
	if f.Column().Storage != record.StoreTime || timeWords[lookup] == "" {
		return nil, false
	}
	for _, text := range values {
		at, err := record.ParseTime(text)
		if err != nil {
			return nil, false
		}
		times = append(times, at)
	}
	return times, true
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
