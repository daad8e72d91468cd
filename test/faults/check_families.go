package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// checkFamilies checks that every crate has all its children, that no children of a deleted crate are left, that children refer to each
// other and not to templates, and that a crate is at the site of its shelf.
func (w *world) checkFamilies(ctx context.Context) error {
	for problem, query := range map[string]string{
		"has not all its slots and lids": fmt.Sprintf(`SELECT id FROM trial_crate c
			WHERE (SELECT count(*) FROM trial_slot s WHERE s.crate_id = c.id) <> %d
			OR (SELECT count(*) FROM trial_lid l WHERE l.crate_id = c.id) <> %d`, spacesEach, lidsEach),
		"is not in the site of its shelf": `SELECT c.id FROM trial_crate c
			JOIN trial_shelf s ON s.id = c.shelf_id WHERE c.site_id IS DISTINCT FROM s.site_id`,
		"was left behind (slots, by crate)": `SELECT crate_id FROM trial_slot WHERE crate_id NOT IN (SELECT id FROM trial_crate)`,
		"was left behind (lids, by crate)":  `SELECT crate_id FROM trial_lid WHERE crate_id NOT IN (SELECT id FROM trial_crate)`,
		"was left behind (items, by shelf)": `SELECT shelf_id FROM trial_item WHERE shelf_id NOT IN (SELECT id FROM trial_shelf)`,
		"has a slot whose pair is elsewhere": `SELECT s.crate_id FROM trial_slot s
			JOIN trial_slot p ON p.id = s.pair_id WHERE p.crate_id <> s.crate_id`,
		"has a lid on a slot that is not its": `SELECT l.crate_id FROM trial_lid l
			LEFT JOIN trial_slot s ON s.id = l.slot_id WHERE s.crate_id IS DISTINCT FROM l.crate_id`,
		"has not one slot that is half a pair": `SELECT crate_id FROM trial_slot GROUP BY crate_id HAVING count(pair_id) <> 1`,
	} {
		rows, err := w.db.Query(ctx, query)
		if err != nil {
			return err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		for _, id := range ids {
			w.violate(whole, "%d %s", id, problem)
		}
	}
	return nil
}
