package store

import (
	"fmt"

	"terrier/internal/record"
)

// Overlaps finds records that overlap others, among some that have been written. The records that were there before do not overlap each
// other. So it is enough to look for what begins in a record, and for what begins nearest before it: if any two overlap, it finds two.
func (tx *Tx) Overlaps(t *record.Type, ids []int64) *Promise[[]PlaceClash] {
	a, table := t.Apart, quote(t.Table())
	within := "TRUE"
	if a.Within != "" {
		column := quoteWhereNeeded(t.Field(a.Within).Column().Name)
		within = fmt.Sprintf("coalesce(t.%[1]s, 0) = coalesce(x.%[1]s, 0)", column)
	}
	of := t.Field(a.Of).Column()
	var sql string
	if a.To == "" {
		place := quoteWhereNeeded(of.Name)
		sql = fmt.Sprintf(`SELECT x.id, t.id AS other FROM %[1]s x JOIN %[1]s t ON %[2]s AND t.id <> x.id AND t.%[3]s > x.%[3]s
				AND t.%[3]s <= set_masklen(broadcast(x.%[3]s), CASE family(x.%[3]s) WHEN 4 THEN 32 ELSE 128 END) WHERE x.id = ANY($1)
			UNION ALL SELECT x.id, t.id FROM %[1]s x CROSS JOIN LATERAL generate_series(0, masklen(x.%[3]s)) n
				JOIN %[1]s t ON %[2]s AND t.id <> x.id AND t.%[3]s = network(set_masklen(x.%[3]s::inet, n)) WHERE x.id = ANY($1)`,
			table, within, place)
	} else {
		start, end := quoteWhereNeeded(of.Key.Name), quoteWhereNeeded(t.Field(a.To).Column().Key.Name)
		sql = fmt.Sprintf(`SELECT x.id, t.id AS other FROM %[1]s x JOIN %[1]s t ON %[2]s AND t.id <> x.id
				AND t.%[3]s BETWEEN x.%[3]s AND x.%[4]s WHERE x.id = ANY($1)
			UNION ALL SELECT x.id, b.id FROM %[1]s x CROSS JOIN LATERAL (SELECT t.id, t.%[4]s FROM %[1]s t WHERE %[2]s AND t.%[3]s < x.%[3]s
				ORDER BY t.%[3]s DESC LIMIT 1) b WHERE x.id = ANY($1) AND b.%[4]s >= x.%[3]s`,
			table, within, start, end)
	}
	return promise(tx, sql+fmt.Sprintf(" ORDER BY 1, 2 LIMIT %d", maxPlaceClashes), []any{ids}, structs[PlaceClash])
}
