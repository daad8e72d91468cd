package transfer

import (
	"encoding/json"
	"strconv"
	"strings"

	"terrier/internal/record"
)

// lookup returns the field that names a record of the type in one word, nil if none does.
func lookup(t *record.Type) record.Field { return t.Field(t.LookupField()) }

// fromReference reads europe, Europe, #3 or europe#3.
func fromReference(target *record.Type, s string) any {
	s = strings.TrimSpace(s)
	if s == "" || lookup(target) == nil {
		return strings.TrimPrefix(s, "#")
	}
	n := record.Naming{By: target.LookupField(), Text: s}
	if name := target.NamingField(); name != n.By {
		n.Or = name
	}
	return n
}

// namedObject returns the reference to a record by the id in a text, and by the name before it.
func namedObject(n record.Naming) map[string]any {
	name, id, numbered := record.NumberedName(n.Text)
	if !numbered {
		return map[string]any{n.By: n.Text}
	}
	object := map[string]any{idKey: json.Number(strconv.FormatInt(id, 10))}
	if name != "" {
		object[n.By] = name
	}
	return object
}

// referenceText writes what fromReference reads. The id is included if several records may have the name, or if the
// name could be taken for one with an id.
func referenceText(target *record.Type, link record.Link) string {
	id := "#" + target.FormatID(link.ID)
	key := lookup(target)
	if key == nil {
		return id
	}
	name := ""
	for n, i := range target.BriefOf(link) {
		if target.Infos()[i].Name == target.LookupField() && n < len(link.Brief) {
			name, _ = link.Brief[n].(string)
		}
	}
	if _, _, numbered := record.NumberedName(name); name != "" && key.Info().Unique && !numbered {
		return name
	}
	return name + id
}

// fromShown turns what the API shows of a field into what it accepts.
func fromShown(s slot, v any) any {
	switch s.form {
	case record.ReferenceCell:
		return fromShownReference(s.target, v)
	case record.ReferencesCell:
		items, ok := v.([]any)
		if !ok {
			return v
		}
		out := make([]any, len(items))
		for i, item := range items {
			out[i] = fromShownReference(s.target, item)
		}
		return out
	}
	return readBack(s.of, v)
}

func readBack(f record.Field, v any) any {
	if x, ok := f.(record.ReadBack); ok {
		return x.FromShown(v)
	}
	return v
}

// fromShownReference reads a reference. An object with an id means that record as long as the record still has the
// name in the object: in another register, or later, the id may belong to another record.
func fromShownReference(target *record.Type, v any) any {
	switch x := v.(type) {
	case string:
		return fromReference(target, x)
	case map[string]any:
		out := map[string]any{}
		id, hasID := x[idKey]
		for key, value := range x {
			switch {
			case key == "url" || key == "display":
			case hasID && id != nil && key != idKey && key != target.LookupField():
			default:
				out[key] = fromShownAttribute(target.Field(key), value)
			}
		}
		if id == nil {
			delete(out, idKey)
		}
		return out
	}
	return v
}

func fromShownAttribute(f record.Field, v any) any {
	if object, ok := v.(map[string]any); ok && record.TargetOf(f) != nil && object[idKey] != nil {
		return object[idKey]
	}
	return readBack(f, v)
}
