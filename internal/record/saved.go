package record

import (
	"bytes"
	"encoding/json"
)

// SavedValues returns the values of a saved filter parameter as an address has them: one, or those of a list.
func SavedValues(raw json.RawMessage) (texts []string, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	values, many := value.([]any)
	if !many {
		values = []any{value}
	}
	for _, v := range values {
		switch v := v.(type) {
		case string:
			texts = append(texts, v)
		case json.Number:
			texts = append(texts, v.String())
		case bool:
			texts = append(texts, map[bool]string{true: "true", false: "false"}[v])
		case nil:
			texts = append(texts, nullWord)
		default:
			return nil, Invalid("a value is a text, a number, true, false or null, or a list of these.")
		}
	}
	return texts, nil
}

// usableFilter returns the filter by whether a record is offered to the caller: it has a flag, and is shared or the caller's own.
func (t *Type) usableFilter(flag string) (filter, error) {
	enabled, shared, owner := t.Field(flag), t.Field(t.Shared), t.Field(t.Owner)
	if enabled == nil || enabled.Column().Storage != StoreBool || shared == nil || owner == nil {
		return filter{}, Invalid("is Usable, which needs a flag, and the Owner and Shared of its type")
	}
	is := func(f Field, value bool) Predicate { return Predicate{Field: f, Values: []any{value}} }
	mine, others := Predicate{Field: owner, Asker: true}, Predicate{Field: owner, Asker: true, Lookup: Not}
	yes := Predicate{Every: []Predicate{is(enabled, true), {Any: []Predicate{is(shared, true), mine}}}}
	no := Predicate{Any: []Predicate{is(enabled, false), {Every: []Predicate{is(shared, false), others}}}}
	return yesNoFilter(yes, no), nil
}
