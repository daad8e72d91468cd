package hookpages

import (
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/web"
)

// attribute is what a condition can ask for.
type attribute struct {
	Name     string
	JSONType string // of what it is compared with: "string", "number" or "boolean"; "" if that is not known
}

// attributes returns the attributes of types that conditions usually ask for, to be offered while somebody types.
func (h webhookPages) attributes(v *web.Visit, types []string) ([]attribute, error) {
	found := map[string]string{} // the JSON types by name
	add := func(a attribute) {
		if known, twice := found[a.Name]; twice && known != a.JSONType {
			a.JSONType = "" // the record types disagree
		}
		found[a.Name] = a.JSONType
	}
	var extended []*record.Type // those whose custom fields the caller may see
	for _, key := range slices.Compact(slices.Sorted(slices.Values(types))) {
		t := h.site.Registry.Type(key)
		if t == nil {
			continue
		}
		for i, f := range t.All() {
			for _, a := range attributesOf(f, t.Infos()[i]) {
				add(a)
			}
		}
		if record.HasCustomFields(t) && v.May(t, access.View) {
			extended = append(extended, t)
		}
	}
	if len(extended) > 0 {
		customs, err := h.site.Ledger.CustomFields(v.Ctx, extended...)
		if err != nil {
			return nil, err
		}
		for _, c := range customs {
			add(attribute{"custom_fields." + c.Name, c.JSONType()})
		}
	}
	var all []attribute
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, attribute{name, found[name]})
	}
	return all, nil
}

// attributesOf returns a field as conditions name it. For a reference to a record these are the attributes that the record shows wherever
// it is nested, its id among them.
func attributesOf(f record.Field, in record.Info) []attribute {
	if in.Hidden || in.IsForAPI() || in.DetailOnly || in.OnRequest || f.Column().Storage == record.NoStorage {
		return nil
	}
	whole := attribute{in.Name, f.Schema().JSONType()}
	ref, _ := record.ReferenceOf(f)
	if ref.Target == nil || whole.JSONType != "" {
		return []attribute{whole}
	}
	all := []attribute{{in.Name + ".id", ref.Target.IDSchema().JSONType()}}
	if ref.Many {
		all = append(all, whole)
	}
	for _, i := range ref.Target.CoreIndex() {
		if nested := ref.Target.Infos()[i]; nested.IsInBrief() {
			all = append(all, attribute{in.Name + "." + nested.Name, ref.Target.BriefField(nested.Name).Schema().JSONType()})
		}
	}
	return all
}
