package store

import (
	"cmp"
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
)

// CustomLinkType is the type whose records are buttons on the pages of others.
const CustomLinkType = "extras.customlink"

// CustomLinks reads the enabled custom links of a type, at most so many, and returns them in the order of their groups, weights and names.
func (s *Store) CustomLinks(ctx context.Context, t *record.Type, most int) ([]record.Values, error) {
	links := s.reg.Type(CustomLinkType)
	found, err := s.find(ctx, links, access.Machine(), []record.Predicate{
		{Field: links.Field("content_types"), Values: []any{t.Key()}},
		{Field: links.Field("enabled"), Values: []any{true}},
	}, most)
	slices.SortFunc(found, func(a, b record.Values) int {
		return cmp.Or(cmp.Compare(a.Text("group_name"), b.Text("group_name")), cmp.Compare(a.Int("weight"), b.Int("weight")),
			cmp.Compare(a.Text("name"), b.Text("name")))
	})
	return found, err
}
