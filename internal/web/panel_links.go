package web

import (
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
)

// newLink returns the address of the form for a record that a drawing has room for, "" for callers who may not add it. The form leads back.
func (v *Visit) newLink(n record.New) string {
	t := v.Site.Registry.Type(n.Of)
	if t == nil || !v.May(t, access.Add) {
		return ""
	}
	filled := []string{nextParam, v.R.URL.Path}
	for _, name := range slices.Sorted(maps.Keys(n.Fields)) {
		filled = append(filled, name, n.Fields[name])
	}
	for _, name := range slices.Sorted(maps.Keys(n.Refs)) {
		to := n.Refs[name]
		filled = append(filled, name, NameOf(to.Type, to.ID, to.Display))
	}
	return With(PagePath(t)+"add/", nil, filled...)
}

// listLink returns the address of a part of a list, "" for callers who may not see it.
func (v *Visit) listLink(l record.Listing) string {
	t := v.Site.Registry.Type(l.Of)
	if t == nil || !v.May(t, access.View) {
		return ""
	}
	var filters []string
	for _, name := range slices.Sorted(maps.Keys(l.Filters)) {
		filters = append(filters, name, l.Filters[name])
	}
	return With(PagePath(t), nil, filters...)
}
