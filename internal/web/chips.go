package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

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

// Chips returns the active filters of a list. A filter by the id of a record has its name, or the id if the caller may not see the record.
func (p *TypePages) Chips(v *Visit, params url.Values, defs []*record.Custom) ([]Chip, error) {
	if len(params) > mostChips {
		return nil, nil
	}
	named, err := p.named(v, params)
	if err != nil {
		return nil, err
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
			chip := p.chip(key, named[key], defs)
			chip.Remove = With(p.Path, rest)
			chips = append(chips, chip)
		}
	}
	return chips, nil
}

func (p *TypePages) isFilter(key string) bool {
	return slices.Contains(p.filterNames, key) || strings.HasPrefix(key, customPrefix)
}

func (p *TypePages) chip(key string, values []string, defs []*record.Custom) Chip {
	name, lookup, _ := strings.Cut(key, "__")
	label, isTime := record.LabelOf(strings.TrimSuffix(name, "_id")), false
	if f := p.Type.Field(name); f != nil {
		label, isTime = f.Info().Label, f.Column().Storage == record.StoreTime
		if half := f.Info().HalfOf; half != "" && strings.HasSuffix(name, "_id") {
			label = record.LabelOf(half)
		}
	} else if i := slices.IndexFunc(defs, func(def *record.Custom) bool { return customPrefix+def.Name == name }); i >= 0 {
		label, isTime = defs[i].Label, defs[i].Info().Widget == record.MomentInput
	}
	for _, x := range p.Type.Filters {
		if f := p.Type.Field(x.Field); x.Name == key && f != nil && f.Column().Storage == record.StoreTime {
			label, lookup, isTime = f.Info().Label, string(x.Lookup), true
		}
	}
	if isTime && timeWords[lookup] != "" {
		if times, ok := timesOf(values); ok {
			return Chip{Text: label + " " + timeWords[lookup], Times: times}
		}
	}
	if key == "q" {
		label, lookup = "Anything", "ic"
	}
	return Chip{Text: label + " " + lookupWords[lookup] + " " + strings.Join(values, " or ")}
}

// mostNamed is how many records of a type chips name. The ids of others are shown.
const mostNamed = 100

// named returns parameters with the names of records in place of their ids. It reads each type that a filter refers to once.
func (p *TypePages) named(v *Visit, params url.Values) (url.Values, error) {
	shown, targets := url.Values{}, map[string]*record.Type{}
	ids := map[*record.Type][]any{}
	for key, texts := range params {
		shown[key] = texts
		test, known, err := p.Type.ParseFilter(key, texts)
		if !known || err != nil {
			continue
		}
		target, values := test.Refers()
		if of := p.otherHalf(key, params); of != nil {
			target, values = of, test.Values
		}
		if target == nil || len(values) != len(texts) {
			continue
		}
		targets[key] = target
		for _, value := range values {
			if value != nil && len(ids[target]) < mostNamed && !slices.Contains(ids[target], value) {
				ids[target] = append(ids[target], value)
			}
		}
	}
	names := map[*record.Type]map[string]string{}
	for target, of := range ids {
		var err error
		if names[target], err = v.namesOf(target, of); err != nil {
			return nil, err
		}
	}
	for key, target := range targets {
		shown[key] = slices.Clone(params[key])
		for i, id := range shown[key] {
			if _, err := target.ParseID(id); err == nil { // not null
				shown[key][i] = cmp.Or(names[target][id], "#"+id)
			}
		}
	}
	return shown, nil
}

// otherHalf returns the type of the records whose ids a filter compares, if it is the id of a reference to one of several types and
// another filter names one type.
func (p *TypePages) otherHalf(key string, params url.Values) *record.Type {
	for _, ref := range p.Type.References() {
		if ref.TypeField != "" && ref.IDField == key && len(params[ref.TypeField]) == 1 {
			return p.Type.Registry().Type(params[ref.TypeField][0])
		}
	}
	return nil
}

// namesOf returns the names of records by their ids, of those that the caller may see.
func (v *Visit) namesOf(t *record.Type, ids []any) (map[string]string, error) {
	if !v.May(t, access.View) {
		return nil, nil
	}
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, t, store.Query{Where: []record.Predicate{{Values: ids}}, Limit: len(ids),
		Count: store.CountNone, View: t.FullNameView()})
	names := map[string]string{}
	for _, r := range found.Rows {
		names[t.FormatID(r.ID())] = r.FullName()
	}
	return names, err
}

// timesOf returns values that are times. ok is false if one is something else.
func timesOf(values []string) (times []time.Time, ok bool) {
	for _, text := range values {
		at, err := record.ParseTime(text)
		if err != nil {
			return nil, false
		}
		times = append(times, at)
	}
	return times, true
}
