package web

import (
	"cmp"
	"strconv"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// objects are the records that deliveries or condition errors speak of, as they are called now.
type objects map[objectKey]cell

type objectKey struct {
	kind string
	id   int64
}

func objectOf(d record.Values) objectKey { return objectKey{d.Text("object_type"), d.Int("object_id")} }

// of is the record of a delivery or a condition error; where it is gone or hidden, as the change calls it, and for those who may
// not see the change only its number.
func (o objects) of(d record.Values) cell {
	key := objectOf(d)
	if c, ok := o[key]; ok {
		return c
	}
	name := key.kind + " " + strconv.FormatInt(key.id, 10)
	if d.Type().Key() == store.DeliveryType {
		name = cmp.Or(d.Text("object_repr"), name)
	}
	return cell{Kind: textCell, Text: name}
}

// objectsOf reads the records that the caller may see: one query for each type.
func (v *visit) objectsOf(rows []record.Values) (objects, error) {
	byType := map[*record.Type][]int64{}
	for _, d := range rows {
		if t := v.site.Registry.Type(d.Text("object_type")); t != nil && v.may(t, access.View) {
			byType[t] = append(byType[t], d.Int("object_id"))
		}
	}
	names := objects{}
	for t, ids := range byType {
		found, err := v.site.Ledger.List(v.ctx, v.caller, t, store.Query{Uncounted: true, Limit: len(ids), View: record.View{Brief: true}, Where: []record.Predicate{{Values: record.AnyOf(ids)}}})
		if err != nil {
			return nil, err
		}
		for _, r := range found.Rows {
			names[objectKey{t.Key(), r.ID()}] = cell{Kind: linkCell, Text: r.Display(), Href: recordPath(t, r.ID())}
		}
	}
	return names, nil
}
