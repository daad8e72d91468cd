package hookpages

import (
	"slices"

	"terrier/internal/record"
)

// attributes returns the attributes of types that conditions usually ask for, to be offered while somebody types.
func (h webhookPages) attributes(types []string) []string {
	var names []string
	for _, key := range types {
		t := h.site.Registry.Type(key)
		if t == nil {
			continue
		}
		for i, f := range t.All() {
			names = append(names, attributeOf(f, t.Infos()[i])...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// attributeOf returns a field as a condition names it, with the attribute that identifies the record behind a reference.
func attributeOf(f record.Field, in record.Info) []string {
	ref, refers := record.ReferenceOf(f)
	switch {
	case in.Hidden || in.IsForAPI() || in.DetailOnly || in.OnRequest || f.Column().Storage == record.NoStorage:
		return nil
	case refers && !ref.Many && ref.Target != nil && ref.Target.LookupField() != "":
		return []string{in.Name + "." + ref.Target.LookupField()}
	}
	return []string{in.Name}
}
