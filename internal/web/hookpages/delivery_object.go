package hookpages

import (
	"cmp"
	"strconv"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
)

// objects are the records of deliveries or condition errors, with their current names.
type objects map[objectKey]web.Cell

type objectKey struct {
	kind string
	id   int64
}

func objectOf(d record.Values) objectKey { return objectKey{d.Text("object_type"), d.Int("object_id")} }

// of returns the record of a delivery or a condition error. If it was deleted, or the caller may not see it, the name is the one in the
// change. For callers who may not see the change it is only the id.
func (o objects) of(d record.Values) web.Cell {
	key := objectOf(d)
	if c, ok := o[key]; ok {
		return c
	}
	name := key.kind + " " + strconv.FormatInt(key.id, 10)
	if d.Type().Key() == store.DeliveryType {
		name = cmp.Or(d.Text("object_repr"), name)
	}
	return web.Cell{Kind: web.TextCell, Text: name}
}

// objectsOf returns the records that the caller may see, with one query for each type.
func objectsOf(v *web.Visit, rows []record.Values) (objects, error) {
	byType := map[*record.Type][]int64{}
	for _, d := range rows {
		if t := v.Site.Registry.Type(d.Text("object_type")); t != nil && v.May(t, access.View) {
			byType[t] = append(byType[t], d.Int("object_id"))
		}
	}
	names := objects{}
	for t, ids := range byType {
		found, err := v.Site.Ledger.List(v.Ctx, v.Caller, t,
			store.Query{Count: store.CountNone, Limit: len(ids), View: record.View{Brief: true},
				Where: []record.Predicate{{Values: record.AnyOf(ids)}}})
		if err != nil {
			return nil, err
		}
		for _, r := range found.Rows {
			names[objectKey{t.Key(), r.ID()}] = web.Cell{Kind: web.LinkCell, Text: r.Display(), Href: web.RecordPath(t, r.ID())}
		}
	}
	return names, nil
}
