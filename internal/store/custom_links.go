package store

import (
	"context"
	"fmt"

	"terrier/internal/access"
	"terrier/internal/record"
)

// CustomLinkType is the type whose records are buttons on the pages of others.
const CustomLinkType = "extras.customlink"

// CustomLinks reads the first enabled custom links of a type, in the order of their groups, weights and names, as their list has it.
func (s *Store) CustomLinks(ctx context.Context, t *record.Type, most int) (_ []record.Values, err error) {
	defer named(&err, "read the custom links of %s", t)
	links := s.reg.Type(CustomLinkType)
	order, err := orderOf(links, Query{})
	if err != nil {
		return nil, err
	}
	w := &where{}
	for _, p := range []record.Predicate{
		{Field: links.Field("content_types"), Values: []any{t.Key()}},
		{Field: links.Field("enabled"), Values: []any{true}},
	} {
		w.and(w.predicate(p, links, "t"))
	}
	p := s.plans[links]
	columns := p.list(w, access.Machine())
	sql := fmt.Sprintf("SELECT %s FROM %s t%s%s ORDER BY %s LIMIT %s", columns, p.table, p.joins, w, orderBy(order, false), w.arg(most))
	return s.read(ctx, links, sql, w.args)
}
