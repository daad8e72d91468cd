package api_test

import (
	"cmp"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"terrier/internal/record"
	"terrier/test/apitest"
)

var counter atomic.Int64

func next() int { return int(counter.Add(1)) }

func query(s string) string { return url.QueryEscape(s) }

// testFilters uses every filter with every lookup, over two records, and compares the answer with the meaning of the
// lookup, computed here from what the API shows.
func (u suite) testFilters(t *testing.T) {
	a, b := u.create(t, u.t), u.create(t, u.t)
	both := fmt.Sprintf("id=%d&id=%d", apitest.ID(a), apitest.ID(b))
	asked := 0
	for _, name := range u.t.FilterNames() {
		field, lookup, _ := strings.Cut(name, "__")
		if field == "id" && lookup == "" {
			continue // it picks the two records
		}
		value, ok := u.filterValue(field, a)
		if lookup == "empty" {
			value, ok = "true", true
		}
		if value, ok = networkValue(record.Lookup(lookup), value, ok); !ok {
			continue
		}
		asked++
		var want []int64
		for _, row := range []map[string]any{a, b} {
			if holds(record.Lookup(lookup), u.filterValues(field, row), value) {
				want = append(want, apitest.ID(row))
			}
		}
		got := u.do(t, "GET", u.t.Path()+"?"+both+"&"+name+"="+query(value), nil).Page(t)
		ids := got.IDs()
		slices.Sort(ids)
		if !slices.Equal(ids, want) || got.Count != int64(len(want)) {
			t.Errorf("%s=%s found %v (count %d), want %v", name, value, ids, got.Count, want)
		}
	}
	if asked == 0 {
		t.Error("no filter was asked")
	}
}

// filterValue returns the value that finds a record by a filter.
func (u suite) filterValue(filter string, row map[string]any) (string, bool) {
	values := u.filterValues(filter, row)
	if len(values) == 0 {
		return "", false
	}
	return values[0], true
}

// filterValues returns the texts by which a filter finds a record; none means null, or that the suite does not know them.
func (u suite) filterValues(filter string, row map[string]any) []string {
	if filter == "id" {
		return []string{fmt.Sprint(apitest.ID(row))}
	}
	for _, x := range u.t.Filters {
		_, refers := record.ReferenceOf(u.t.Field(x.Field))
		switch {
		case x.Name != filter && (x.Path == "" || x.Name+"_id" != filter):
		case refers:
			return u.fieldValues(x.Field+"_id", row)
		case x.TypeIDs && x.Field != "":
			ids := u.fieldValues(x.Field, row)
			for i, key := range ids {
				ids[i] = fmt.Sprint(u.s.App.Registry.Type(key).ContentTypeID())
			}
			return ids
		case x.Field != "" && x.Words == nil && x.OneOf == nil && (x.Lookup == record.Exact || x.Lookup == record.EqualFold):
			return u.fieldValues(x.Field, row)
		default:
			return nil
		}
	}
	return u.fieldValues(filter, row)
}

// fieldValues returns the texts by which the filter of a field finds a record.
func (u suite) fieldValues(filter string, row map[string]any) []string {
	for i, f := range u.t.All() {
		in := u.t.Infos()[i]
		shown := row[in.Name]
		switch x := f.(type) {
		case record.Ref:
			nested, _ := shown.(map[string]any)
			if x.Bare && shown != nil {
				nested = map[string]any{"id": shown}
			}
			if nested == nil || (filter != in.Name && filter != in.Name+"_id") {
				continue
			}
			if filter == in.Name {
				name, ok := nested[record.TargetOf(x).LookupField()].(string)
				if !ok {
					continue // the nested form does not show it
				}
				return []string{name}
			}
			return []string{fmt.Sprint(apitest.ID(nested))}
		case record.AnyRef:
			if nested, ok := shown.(map[string]any); ok && filter == in.Name {
				return []string{fmt.Sprint(apitest.ID(nested))}
			}
		case record.Refs:
			if slugs, _ := shown.([]any); x.Slugs && filter == "tag" && len(slugs) > 0 {
				return []string{slugs[0].(string)}
			} else if x.Slugs {
				continue
			}
			if v, ok := manyValues(filter, x.Name, shown, record.TargetOf(x).LookupField()); ok {
				return v
			}
		case record.Tags:
			if v, ok := manyValues(filter, "tags", shown, "slug"); ok {
				return v
			}
		case record.NumberChoice:
			if m, ok := shown.(map[string]any); ok && filter == in.Name {
				return []string{textOf(m["value"])}
			}
		case record.Ints:
			if filter == in.Name || filter == x.FilterName {
				return textsOf(shown)
			}
		case record.List, record.ObjectTypes, record.Actions:
			if filter == in.Name || filter == strings.TrimSuffix(in.Name, "s") {
				return textsOf(shown)
			}
		case record.Choice:
			if m, ok := shown.(map[string]any); ok && filter == in.Name {
				return []string{m["value"].(string)}
			}
		default:
			if filter == in.Name && shown != nil {
				return []string{textOf(shown)}
			}
		}
	}
	return nil
}

func manyValues(filter, name string, shown any, lookup string) ([]string, bool) {
	single := strings.TrimSuffix(name, "s")
	var out []string
	for _, item := range shown.([]any) {
		m := item.(map[string]any)
		switch filter {
		case single:
			out = append(out, m[lookup].(string))
		case single + "_id":
			out = append(out, fmt.Sprint(apitest.ID(m)))
		}
	}
	return out, filter == single || filter == single+"_id"
}

// textOf writes a decoded value as in a query: a large number without an exponent.
func textOf(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func textsOf(list any) []string {
	var out []string
	for _, v := range list.([]any) {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

// holds reports what a lookup means for texts.
func holds(l record.Lookup, have []string, want string) bool {
	some := func(test func(string) bool) bool { return slices.ContainsFunc(have, test) }
	lower := strings.ToLower(want)
	switch l {
	case record.Exact:
		return slices.Contains(have, want)
	case record.Not:
		return !slices.Contains(have, want)
	case record.Contains:
		return some(func(s string) bool { return strings.Contains(strings.ToLower(s), lower) })
	case record.NotContains:
		return !holds(record.Contains, have, want)
	case record.Starts:
		return some(func(s string) bool { return strings.HasPrefix(strings.ToLower(s), lower) })
	case record.NotStarts:
		return !holds(record.Starts, have, want)
	case record.Ends:
		return some(func(s string) bool { return strings.HasSuffix(strings.ToLower(s), lower) })
	case record.NotEnds:
		return !holds(record.Ends, have, want)
	case record.EqualFold:
		return some(func(s string) bool { return strings.ToLower(s) == lower })
	case record.NotEqualFold:
		return !holds(record.EqualFold, have, want)
	case record.Empty:
		return !some(func(s string) bool { return s != "" })
	case record.Less:
		return some(func(s string) bool { return compareTexts(s, want) < 0 })
	case record.AtMost:
		return some(func(s string) bool { return compareTexts(s, want) <= 0 })
	case record.Greater:
		return some(func(s string) bool { return compareTexts(s, want) > 0 })
	case record.AtLeast:
		return some(func(s string) bool { return compareTexts(s, want) >= 0 })
	}
	return some(func(s string) bool { return holdsNetwork(l, s, want) })
}

// networkValue is what to ask for by a lookup of networks, to find some of those that are shown as value.
func networkValue(l record.Lookup, value string, ok bool) (string, bool) {
	net, err := netip.ParsePrefix(value)
	if err != nil {
		return value, ok
	}
	switch l {
	case record.NetContained, record.NetHostContained:
		return netip.PrefixFrom(net.Addr(), net.Bits()-3).Masked().String(), ok
	case record.NetContains:
		return netip.PrefixFrom(net.Addr(), net.Bits()+3).String(), ok
	case record.NetFamily:
		return map[bool]string{true: "4", false: "6"}[net.Addr().Is4()], ok
	case record.NetMaskLength:
		return fmt.Sprint(net.Bits()), ok
	}
	return value, ok
}

// holdsNetwork says what a lookup of networks means.
func holdsNetwork(l record.Lookup, have, want string) bool {
	net := netip.MustParsePrefix(have)
	if l == record.NetFamily {
		return net.Addr().Is4() == (want == "4")
	}
	if l == record.NetMaskLength {
		return fmt.Sprint(net.Bits()) == want
	}
	other := netip.MustParsePrefix(want)
	within := func(a, b netip.Prefix) bool { return b.Contains(a.Addr()) && a.Bits() >= b.Bits() }
	switch l {
	case record.NetContained:
		return within(net, other) && net != other.Masked()
	case record.NetContainedEqual:
		return within(net, other)
	case record.NetContains:
		return within(other, net) && net != other
	case record.NetContainsEqual, record.NetCovers:
		return within(other, net)
	case record.NetMasked:
		return net == other.Masked()
	case record.NetHost:
		return net.Addr() == other.Addr()
	case record.NetHostContained:
		return other.Contains(net.Addr())
	}
	panic("no such lookup: " + l)
}

// compareTexts compares numbers as numbers, and times and dates, which have a fixed form, as texts.
func compareTexts(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}

// testOrdering sorts by every field that allows it, in both directions, and walks the pages forward and back: each
// walk returns every record once, in the same order.
func (u suite) testOrdering(t *testing.T) {
	from := u.make(t, u.t)
	for range 5 {
		u.create(t, u.t)
	}
	list := fmt.Sprintf("%s?id__gte=%d&ordering=", u.t.Path(), from)
	names := []string{"", "id"}
	for i, f := range u.t.All() {
		switch f.Column().Storage {
		case record.StoreText, record.StoreInt, record.StoreFloat, record.StoreBool, record.StoreTime, record.StoreDate, record.StoreMAC,
			record.StoreNumbers, record.StoreNetwork, record.StoreAddress:
			if _, secret := f.(record.Secret); !secret && !u.t.Infos()[i].Hidden {
				names = append(names, u.t.Infos()[i].Name)
			}
		}
	}
	for _, name := range names {
		whole := u.do(t, "GET", list+name, nil).Page(t).IDs()
		if name != "" {
			reverse := u.do(t, "GET", list+"-"+name, nil).Page(t).IDs()
			slices.Reverse(reverse)
			if !slices.Equal(whole, reverse) {
				t.Errorf("ordering by -%s is not the reverse of %s", name, name)
			}
		}
		u.walk(t, list+name, whole)
	}
	u.do(t, "GET", u.t.Path()+"?ordering=nothing", nil).Want(t, http.StatusBadRequest)
}

func (u suite) walk(t *testing.T, list string, whole []int64) {
	t.Helper()
	size := max(2, len(whole)/4)
	var forward []int64
	var last apitest.Page
	for path := fmt.Sprintf("%s&limit=%d", list, size); path != ""; {
		last = u.do(t, "GET", path, nil).Page(t)
		forward = append(forward, last.IDs()...)
		path = u.local(last.Next)
	}
	if !slices.Equal(forward, whole) {
		t.Errorf("%s: following next gives %v, want %v", list, forward, whole)
	}
	backward := last.IDs()
	for path := u.local(last.Previous); path != ""; {
		page := u.do(t, "GET", path, nil).Page(t)
		backward = append(page.IDs(), backward...)
		path = u.local(page.Previous)
	}
	if !slices.Equal(backward, whole) {
		t.Errorf("%s: following previous gives %v, want %v", list, backward, whole)
	}
}

// local is the path of a link; links are absolute.
func (u suite) local(link *string) string {
	if link == nil {
		return ""
	}
	return strings.TrimPrefix(*link, u.s.URL)
}
