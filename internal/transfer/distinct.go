package transfer

import (
	"slices"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// keyOf returns the name of the type's secret that is generated if none is given, and shown once. "" means that it has none.
func keyOf(t *record.Type) string {
	for _, f := range t.All() {
		if secret, ok := record.SecrecyOf(f); ok && secret.Seal == record.TokenKey {
			return secret.Name
		}
	}
	return ""
}

// Distinct refuses a file that both creates and updates records, because the ledger does one operation at a time, all or nothing. It also
// refuses a record that is named twice, and a new record without a key that could be shown only once.
func Distinct(t *record.Type, rows []Row) ([]Row, error) {
	if len(rows) == 0 {
		return nil, fault.Field(fault.General, "There is nothing to import: the file holds no records.")
	}
	errs, bad := make([]fault.Fields, len(rows)), false
	key := keyOf(t)
	lines := map[string]int{} // line numbers by id; new records have the id ""
	for i, row := range rows {
		errs[i] = fault.Fields{}
		if key != "" && row.ID == "" && row.Input[key] == nil {
			errs[i].Add(key, "Enter a key: a generated one would not be shown to anybody.")
			bad = true
		}
		if line, twice := lines[row.ID]; twice && row.ID != "" {
			errs[i].Add("id", "Line %d is about the same record.", line)
			bad = true
		} else if !twice {
			lines[row.ID] = row.Line
		}
	}
	if created, some := lines[""]; some && len(lines) > 1 {
		i := slices.IndexFunc(rows, func(r Row) bool { return r.ID != "" })
		return nil,
			fault.Field(fault.General,
				"Line %d changes a record, and line %d has no id and makes a new one. An import is done whole or not at all, "+
					"and does one of the two: put the rows with an id and those without into two files.", rows[i].Line, created)
	}
	if bad {
		return rows, &fault.Error{Kind: fault.Invalid, Items: errs}
	}
	return rows, nil
}
