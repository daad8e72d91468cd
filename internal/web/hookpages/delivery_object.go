package hookpages

import (
	"cmp"
	"strconv"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
)

// objects are the records that deliveries or condition errors speak of, as they are called now.
type objects map[objectKey]web.Cell

type objectKey struct {
	kind string
	id   int64
}

func objectOf(d record.Values) objectKey { return objectKey{d.Text("object_type"), d.Int("object_id")} }

// of is the record of a delivery or a condition error; where it is gone or hidden, as the change calls it, and for those who may
// not see the change only its number.
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

// objectsOf reads the records that the caller may see: one query for each type.
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
			store.Query{Uncounted: true, Limit: len(ids), View: record.View{Brief: true}, Where: []record.Predicate{{Values: record.AnyOf(ids)}}})
		if err != nil {
			return nil, err
		}
		for _, r := range found.Rows {
			names[objectKey{t.Key(), r.ID()}] = web.Cell{Kind: web.LinkCell, Text: r.Display(), Href: web.RecordPath(t, r.ID())}
		}
	}
	return names, nil
}
