package transfer

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

const idKey = "id"

// reading collects the rows of a file and what is wrong with them.
type reading struct {
	layout  *layout
	mapping Mapping
	most    limits
	noun    string // what names are called in the file: "column"
	rows    []Row
	errs    []fault.Fields
	bad     bool
	unknown []string
	seen    map[string]bool
	values  int
}

// begin starts a row.
func (in *reading) begin(line int) error {
	if len(in.rows) == in.most.rows {
		return fault.New(fault.TooLarge, "line %d: an import may hold at most %d records. Import them in parts.", line, in.most.rows)
	}
	in.rows = append(in.rows, Row{Line: line, Input: map[string]any{}})
	in.errs = append(in.errs, fault.Fields{})
	return nil
}

func (in *reading) row() *Row { return &in.rows[len(in.rows)-1] }

// refuse records a mistake in the last row.
func (in *reading) refuse(field, format string, args ...any) {
	in.errs[len(in.errs)-1].Add(field, format, args...)
	in.bad = true
}

const (
	longestName = 100 // longer than any field's: the cost of comparing is the product of the lengths
	maxUnknown  = 20  // misspelled names that are worth reporting
)

// misspelt records a name that means nothing here. Ignoring it would lose data.
func (in *reading) misspelt(line int, name string, among []string) {
	if in.seen[name] || len(in.unknown) == maxUnknown {
		return
	}
	if in.seen == nil {
		in.seen = map[string]bool{}
	}
	in.seen[name] = true
	hint := ""
	if short := cut(name); short != name {
		name = short
	} else if near := record.Nearest(name, among); near != "" {
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	in.unknown = append(in.unknown, fmt.Sprintf("line %d: %s %q is unknown%s", line, in.noun, name, hint))
}

func cut(name string) string {
	if len(name) <= longestName {
		return name
	}
	return strings.ToValidUTF8(name[:longestName], "") + "…"
}

func (in *reading) done() ([]Row, error) {
	if len(in.unknown) > 0 {
		return nil, &fault.Error{Kind: fault.Invalid, Fields: fault.Fields{fault.General: in.unknown}}
	}
	if in.bad {
		return in.rows, &fault.Error{Kind: fault.Invalid, Items: in.errs}
	}
	return in.rows, nil
}

// identify says which record the last row updates.
func (in *reading) identify(given any) {
	var id string
	switch x := given.(type) {
	case nil:
		return
	case string:
		id = strings.TrimSpace(x)
	case json.Number:
		id = x.String()
	default:
		in.refuse(idKey, "The id must be a number or a text.")
		return
	}
	if id == "" {
		return
	}
	key, err := in.layout.t.ParseID(id)
	if err != nil {
		in.refuse(idKey, "%s", err.Error())
		return
	}
	in.row().ID, in.row().Key = id, key
}

// object reads a decoded JSON or YAML object.
func (in *reading) object(line int, object map[string]any) error {
	if err := in.begin(line); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		value := object[key]
		s, known := in.layout.slots[key]
		switch {
		case !known:
			in.misspelt(line, key, in.layout.names)
		case s.id:
			in.identify(value)
		case s.alias && object[s.field] != nil: // it says the same
		case !s.skip:
			in.checkCustom(line, s, value)
			in.put(s, choicesOf(s.choices, fromShown(s, value)))
		}
	}
	return nil
}

// checkCustom looks for misspelled names in custom_fields.
func (in *reading) checkCustom(line int, s slot, value any) {
	given, ok := value.(map[string]any)
	if s.form != record.CustomCells || !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !in.layout.custom[name] {
			in.misspelt(line, s.field+"."+name, in.customNames(s.field))
		}
	}
}

func (in *reading) customNames(field string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(in.layout.custom)) {
		names = append(names, field+"."+name)
	}
	return names
}

// customFields is the key of custom fields in an input.
const customFields = "custom_fields"

// put gives the last row a value. Values of several columns are merged: custom fields, and the attributes of a
// reference.
func (in *reading) put(s slot, value any) {
	input, name := in.row().Input, s.field
	switch {
	case s.custom:
		name, value = customFields, map[string]any{s.field: value}
	case s.attr != "":
		value = map[string]any{s.attr: value}
	}
	before, isObject := asObject(input[name], s)
	now, ok := asObject(value, s)
	if isObject && ok {
		merged := maps.Clone(before)
		maps.Copy(merged, now)
		value = merged
	}
	input[name] = value
}

// asObject returns a value as an object that others can be merged into.
func asObject(v any, s slot) (map[string]any, bool) {
	switch x := v.(type) {
	case map[string]any:
		return x, s.custom || s.target != nil || s.field == customFields
	case json.Number:
		return map[string]any{idKey: x}, s.target != nil
	case record.Naming:
		return namedObject(x), s.target != nil
	}
	return nil, false
}
