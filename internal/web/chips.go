package web

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"terrier/internal/record"
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

// Chips returns the active filters of a list.
func (p *TypePages) Chips(params url.Values, defs []*record.Custom) []Chip {
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
			chip := p.chip(key, params[key], defs)
			chip.Remove = With(p.Path, rest)
			chips = append(chips, chip)
		}
	}
	return chips
}

func (p *TypePages) isFilter(key string) bool {
	return slices.Contains(p.filterNames, key) || strings.HasPrefix(key, customPrefix)
}

func (p *TypePages) chip(key string, values []string, defs []*record.Custom) Chip {
	name, lookup, _ := strings.Cut(key, "__")
	label, isTime := record.LabelOf(strings.TrimSuffix(name, "_id")), false
	if f := p.Type.Field(name); f != nil {
		label, isTime = f.Info().Label, f.Column().Storage == record.StoreTime
	} else if i := slices.IndexFunc(defs, func(def *record.Custom) bool { return customPrefix+def.Name == name }); i >= 0 {
		label, isTime = defs[i].Label, defs[i].Info().Widget == record.MomentInput
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
