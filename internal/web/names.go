package web

import (
	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// nameLinks reads the full names of the records that fields of some records lead to, for the cells made after it: one statement for each
// type that has full names. Records that the caller may not see keep the name that the API shows. fields are positions in All, nil for
// all fields.
func (v *Visit) nameLinks(t *record.Type, fields []int, rows []record.Values) error {
	if fields == nil {
		for i := range t.All() {
			fields = append(fields, i)
		}
	}
	wanted := map[*record.Type][]any{}
	seen := map[record.Pointer]bool{}
	want := func(of *record.Type, id int64) {
		if at := (record.Pointer{Type: of, ID: id}); of != nil && len(of.FullName) > 0 && id != 0 && !seen[at] {
			seen[at] = true
			wanted[of] = append(wanted[of], id)
		}
	}
	for _, i := range fields {
		ref, _ := record.ReferenceOf(t.All()[i])
		for _, r := range rows {
			if x, ok := r.At(i).(record.Pointer); ok {
				want(x.Type, x.ID)
			}
			for _, l := range linksOf(r.At(i)) {
				want(ref.Of(l), l.ID)
			}
		}
	}
	for of, ids := range wanted {
		if !v.May(of, access.View) {
			continue
		}
		found, err := v.Site.Ledger.List(v.Ctx, v.Caller, of, store.Query{Where: []record.Predicate{{Values: ids}}, Limit: len(ids),
			Count: store.CountNone, View: of.FullNameView()})
		if err != nil {
			return err
		}
		for _, r := range found.Rows {
			if v.fullNames == nil {
				v.fullNames = map[record.Pointer]string{}
			}
			v.fullNames[record.Pointer{Type: of, ID: r.ID()}] = r.FullName()
		}
	}
	return nil
}

// shownFields are the positions of the fields that columns show.
func shownFields(columns []column) []int {
	fields := []int{}
	for _, c := range columns {
		if c.Shown && c.custom == nil {
			fields = append(fields, c.index)
		}
	}
	return fields
}
