package ledger

import (
	"maps"
	"reflect"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// unaliased returns an input in which every field has its first name. A value that is given under both names must be the same.
func unaliased(t *record.Type, in Input, errs fault.Fields) Input {
	out := in
	for _, info := range t.Infos() {
		value, given := in[info.Name]
		if info.AliasOf == "" || !given {
			continue
		}
		first, both := in[info.AliasOf]
		switch {
		case both && !reflect.DeepEqual(givenID(first), givenID(value)):
			errs.Add(info.Name, "This is another name of %s, which has a different value here: give one of them.", info.AliasOf)
		case !both:
			out = maps.Clone(out)
			out[info.AliasOf] = value
		}
	}
	return out
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
