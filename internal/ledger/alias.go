package ledger

import (
	"maps"
	"reflect"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// unaliased returns an input in which every field has its first name, and the second names that were given alone by the first ones. A value
// that is given under both names must be the same.
func unaliased(t *record.Type, in Input, errs fault.Fields) (out Input, given map[string]string) {
	out = in
	for _, info := range t.Infos() {
		value, ok := in[info.Name]
		if info.AliasOf == "" || !ok {
			continue
		}
		first, both := in[info.AliasOf]
		switch {
		case both && !reflect.DeepEqual(givenID(first), givenID(value)):
			errs.Add(info.Name, "This is another name of %s, which has a different value here: give one of them.", info.AliasOf)
		case !both:
			out = maps.Clone(out)
			out[info.AliasOf] = value
			if given == nil {
				given = map[string]string{}
			}
			given[info.AliasOf] = info.Name
		}
	}
	return out, given
}

// reported returns the errors of a draft by the names that the caller gave.
func (d *draft) reported() fault.Fields {
	errs := d.errs
	for first, name := range d.aliases {
		if messages, wrong := errs[first]; wrong {
			errs = maps.Clone(errs)
			delete(errs, first)
			errs[name] = append(errs[name], messages...)
		}
	}
	return errs
}

// givenID returns the id in a given reference, or the reference itself if it has none.
func givenID(value any) any {
	if object, ok := value.(map[string]any); ok && object["id"] != nil {
		value = object["id"]
	}
	if id, err := record.ParseInt(value); err == nil {
		return id
	}
	return value
}
