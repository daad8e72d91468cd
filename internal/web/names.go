package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web/diff"
)

// wantedNames are the ids of records whose full names a page needs, by type.
type wantedNames map[*record.Type]map[int64]bool

func (w wantedNames) add(t *record.Type, id int64) {
	if t == nil || id == 0 {
		return
	}
	if w[t] == nil {
		w[t] = map[int64]bool{}
	}
	w[t][id] = true
}

// nameLinks reads the full names of the records that fields of some records lead to, for the cells made after it: one statement for each
// type that has full names. Records that the caller may not see keep the name that the API shows. fields are positions in All, nil for
// all fields.
func (v *Visit) nameLinks(t *record.Type, fields []int, rows []record.Values) error {
	if fields == nil {
		for i := range t.All() {
			fields = append(fields, i)
		}
	}
	wanted := wantedNames{}
	want := func(of *record.Type, id int64) {
		if of != nil && len(of.FullName) > 0 {
			wanted.add(of, id)
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
	return v.readNames(wanted)
}

// nameOf returns the full name of a linked record if it was read, else what the API shows.
func (v *Visit) nameOf(t *record.Type, l record.Link) string {
	return cmp.Or(v.fullNames[record.Pointer{Type: t, ID: l.ID}], t.DisplayLink(l))
}

// readNames reads full names: one statement for each type. It leaves out records that the caller may not see.
func (v *Visit) readNames(wanted wantedNames) error {
	for of, set := range wanted {
		if !v.May(of, access.View) {
			continue
		}
		ids := make([]any, 0, len(set))
		for id := range set {
			ids = append(ids, id)
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

// nameValues replaces the ids in values of references by full names, in comparisons of snapshots of a type: one statement for each type
// referred to. A record that is gone, or that the caller may not see, is shown by # and its id. which selects the lines.
func (v *Visit) nameValues(t *record.Type, compared [][]diff.Line, which func(diff.Line) bool) error {
	if t == nil {
		return nil // it is no longer registered
	}
	wanted := wantedNames{}
	v.eachReference(t, compared, which, func(of *record.Type, text string) string {
		for id := range strings.SplitSeq(text, diff.Separator) {
			n, _ := strconv.ParseInt(id, 10, 64)
			wanted.add(of, n)
		}
		return text
	})
	if err := v.readNames(wanted); err != nil {
		return err
	}
	v.eachReference(t, compared, which, func(of *record.Type, text string) string {
		names := strings.Split(text, diff.Separator)
		for i, id := range names {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil {
				names[i] = cmp.Or(v.fullNames[record.Pointer{Type: of, ID: n}], "#"+id)
			}
		}
		return strings.Join(names, diff.Separator)
	})
	return nil
}

// eachReference replaces each value of a reference by what change returns for it and the type that it refers to. Tags are names already.
func (v *Visit) eachReference(t *record.Type, compared [][]diff.Line, which func(diff.Line) bool,
	change func(of *record.Type, text string) string) {
	for i, f := range t.All() {
		ref, ok := record.ReferenceOf(f)
		if !ok || ref.Tags {
			continue
		}
		name := cmp.Or(ref.IDField, t.Infos()[i].Name)
		for _, lines := range compared {
			at := slices.IndexFunc(lines, func(l diff.Line) bool { return l.Name == name })
			if at < 0 || !which(lines[at]) {
				continue
			}
			before, after := ref.Target, ref.Target
			if n := slices.IndexFunc(lines, func(l diff.Line) bool { return l.Name == ref.TypeField }); n >= 0 {
				before, after = v.Site.Registry.Type(lines[n].Before), v.Site.Registry.Type(lines[n].After)
			}
			l := &lines[at]
			l.Before, l.After, l.Lines = change(before, l.Before), change(after, l.After), nil
		}
	}
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
