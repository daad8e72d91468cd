package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// checkChains checks that the versions of an object are 1, 2, 3 …, that each change begins with the state in which the previous one
// ended, and that nothing follows a deletion.
func (w *world) checkChains(f *facts) {
	var before *change
	for _, c := range f.changes { // ordered by object and version
		if before != nil && (before.Kind != c.Kind || before.Object != c.Object) {
			before = nil
		}
		switch {
		case before == nil && (c.Version != 1 || c.Action != "create" || c.Pre != nil):
			w.violate(gapless, "%s %d begins with %s to version %d", c.Kind, c.Object, c.Action, c.Version)
		case before != nil && c.Version != before.Version+1:
			w.violate(gapless, "%s %d goes from version %d to %d (change %d, request %s)", c.Kind, c.Object, before.Version, c.Version,
				c.ID, c.Request)
		case before != nil && before.Action == "delete":
			w.violate(gapless, "%s %d was changed after its deletion (change %d)", c.Kind, c.Object, c.ID)
		case before != nil && orNull(before.Post) != orNull(c.Pre):
			w.violate(gapless, "%s %d: postchange of version %d is not prechange of the next:\n%s\n%s", c.Kind, c.Object, before.Version,
				orNull(before.Post), orNull(c.Pre))
		case before != nil && !c.At.After(before.At):
			w.violate(gapless, "%s %d: version %d is of %v, and the version before of %v", c.Kind, c.Object, c.Version, c.At, before.At)
		case (c.Action == "delete") != (c.Post == nil):
			w.violate(gapless, "%s %d: %s with postchange %.60s", c.Kind, c.Object, c.Action, orNull(c.Post))
		}
		before = c
	}
}

// checkRecords compares each record with its last change.
func (w *world) checkRecords(ctx context.Context, f *facts) error {
	last := map[string]*change{}
	for _, c := range f.changes {
		last[fmt.Sprint(c.Kind, " ", c.Object)] = c
	}
	for kind, table := range tables {
		rows, err := w.db.Query(ctx, "SELECT to_json(t)::text FROM "+table+" t")
		if err != nil {
			return err
		}
		records, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, text := range records {
			var row map[string]any
			if err := json.Unmarshal([]byte(text), &row); err != nil {
				return err
			}
			key := fmt.Sprint(kind, " ", int64(row["id"].(float64)))
			c := last[key]
			delete(last, key)
			if c == nil || c.Action == "delete" {
				w.violate(oneRow, "%s is there, and the change log says otherwise", key)
				continue
			}
			if row["version"] != float64(c.Version) {
				w.violate(oneRow, "%s is at version %v and its last change made it %d", key, row["version"], c.Version)
			}
			compare(w, key, row, fields(c.Post))
		}
	}
	for key, c := range last {
		if c.Action != "delete" && tables[c.Kind] != "" {
			w.violate(oneRow, "%s is gone, and its last change was %s", key, c.Action)
		}
	}
	return nil
}

// compare compares a row with the snapshot of its last change, in the columns that have the name of a field or a reference.
func compare(w *world, key string, row, post map[string]any) {
	for name, value := range post {
		is, ok := row[name]
		if !ok {
			is, ok = row[name+"_id"]
		}
		switch name {
		case "created", "last_updated", "tags", "custom_fields": // written in other ways
			continue
		}
		if ok && !same(is, value) {
			w.violate(oneRow, "%s has %s %v, and its last change %v", key, name, is, value)
		}
	}
}

// checkMatches checks that exactly the matching webhooks are notified of each change. Webhooks count as they were at the time of the
// change. If a webhook was being changed at that moment, either version is right.
func (w *world) checkMatches(f *facts) {
	type pair struct{ change, webhook int64 }
	notified := map[pair]*delivery{}
	for _, d := range f.deliveries {
		p := pair{d.Change, d.Webhook}
		if notified[p] != nil {
			w.violate(oneEach, "change %d has deliveries %d and %d to webhook %d", d.Change, d.ID, notified[p].ID, d.Webhook)
		}
		notified[p] = d
		c := f.byChange[d.Change]
		if c == nil {
			w.violate(noInvented, "delivery %d is of change %d, which does not exist", d.ID, d.Change)
			continue
		}
		if c.Version != d.Version || c.Kind != d.Kind || c.Object != d.Object || c.Request != d.Request || events[c.Action] != d.Event ||
			!c.At.Equal(d.ChangedAt) {
			w.violate(oneEach, "delivery %d says something else than its change %d: %+v", d.ID, d.Change, *d)
		}
		if f.hooks[d.Webhook] == nil {
			w.violate(oneEach, "delivery %d is to webhook %d, which never was", d.ID, d.Webhook)
		}
	}
	for _, c := range f.changes {
		if c.Kind == webhookKey {
			continue
		}
		from, until := c.At.Add(-clocksApart), c.At.Add(visibleWithin)
		if c.Committed != nil {
			until = *c.Committed
		}
		for id, h := range f.hooks {
			var yes, no, sound, broken bool
			for _, v := range h.seen(from, until) {
				fires, bad := v.wants(c)
				yes, no = yes || fires, no || !fires
				fails := bad && !fires
				broken, sound = broken || fails, sound || !fails
			}
			d := notified[pair{c.ID, id}]
			switch {
			case d == nil && !no:
				w.violate(oneEach, "change %d (%s %s %d, version %d, at %.3f s) has no delivery to webhook %d (%s)", c.ID, c.Action, c.Kind,
					c.Object, c.Version, w.since(c.At), id, h.path)
			case d != nil && !yes:
				w.violate(oneEach, "change %d (%s %s %d, version %d, at %.3f s) has delivery %d to webhook %d (%s), which did not want it",
					c.ID, c.Action, c.Kind, c.Object, c.Version, w.since(c.At), d.ID, id, h.path)
			}
			switch n := f.conditionErrors[conditionErrorKey{id, c.Object, c.Version, c.Kind}]; {
			case n == 0 && !sound:
				w.violate(oneEach, "change %d was kept from webhook %d (%s) by a broken condition, and nobody can see that", c.ID, id, h.path)
			case n > 0 && !broken, n > 1:
				w.violate(oneEach, "change %d has %d condition errors of webhook %d (%s)", c.ID, n, id, h.path)
			}
		}
	}
}

// short returns the beginning of a text.
func short(s string) string { return strings.TrimSpace(s[:min(len(s), 200)]) }
