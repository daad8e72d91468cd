package ledger

import (
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Sum is a total of a record.
type Sum struct{ Label, Text string }

// Totals returns the totals of a record that the caller has read. A total of types that the caller may not see is left out. The text of
// one without anything to add up is "".
func (l *Ledger) Totals(ctx context.Context, c Caller, v record.Values) ([]Sum, error) {
	totals := slices.DeleteFunc(slices.Clone(v.Type().Totals), func(total record.Total) bool {
		return slices.ContainsFunc(total.Types(), func(t *record.Type) bool {
			_, err := l.Policy.Scope(c.Subject, t, access.View)
			return err != nil
		})
	})
	scope, err := l.Policy.Scope(c.Subject, v.Type(), access.View)
	if err != nil {
		return nil, err
	}
	found, err := l.Store.Sums(ctx, scope, v, totals)
	if err != nil {
		return nil, err
	}
	sums := make([]Sum, len(totals))
	for i, total := range totals {
		sums[i].Label = total.Label
		if found[i] != nil {
			sums[i].Text = total.Text(*found[i])
		}
	}
	return sums, nil
}
