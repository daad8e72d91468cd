package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"terrier/internal/record"
	"terrier/internal/store"
)

// tags takes the tags. The change log has only their names, and a tag may have had another name then. So only a tag that was not edited
// since is added, and only such a tag or one that is newer than the version is removed. All others stay as they are.
func (r *restoring) tags(ctx context.Context, name string, target *record.Type) error {
	list, _ := r.then[name].([]any)
	var then, now, after, missing []string
	for _, item := range list {
		then = append(then, item.(string))
	}
	links, _ := r.found.Get(name).([]record.Link)
	for _, link := range links {
		now = append(now, target.NameOf(link).(string))
	}
	settled, err := r.settledTags(ctx, target, slices.Concat(then, now))
	if err != nil {
		return err
	}
	var ids []any
	for i, link := range links {
		if _, known := settled[now[i]]; !known || slices.Contains(then, now[i]) {
			ids, after = append(ids, numberOf(link.ID)), append(after, now[i])
		}
	}
	changed := len(after) < len(now)
	for _, tag := range then {
		if slices.Contains(now, tag) {
			continue
		}
		if found, known := settled[tag]; known && !found.isNew {
			ids, after, changed = append(ids, numberOf(found.id)), append(after, tag), true
		} else {
			missing = append(missing, tag)
		}
	}
	if len(missing) > 0 {
		r.Stays = append(r.Stays, "Tags that were edited or deleted since are not added: "+strings.Join(missing, ", ")+".")
	}
	if changed {
		slices.Sort(after)
		r.take(name, append([]any{}, ids...), record.AnyOf(after))
	}
	return nil
}

// settledTag is a tag that has had no other name since the version, or that is newer.
type settledTag struct {
	id    int64
	isNew bool
}

// settledTags returns the settled tags with some names, as far as the caller may see them.
func (r *restoring) settledTags(ctx context.Context, target *record.Type, names []string) (map[string]settledTag, error) {
	settled := map[string]settledTag{}
	scope := r.l.referable(r.caller, target)
	if scope.Empty() {
		return settled, nil
	}
	name := target.NamingField()
	found, err := r.l.Store.List(ctx, target, store.Query{Scope: scope, Count: store.CountNone, Limit: len(names),
		Where: []record.Predicate{{Field: target.Field(name), Values: record.AnyOf(names)}}})
	if err != nil {
		return nil, err
	}
	for _, tag := range found.Rows {
		created, _ := tag.Get("created").(time.Time)
		edited, _ := tag.Get("last_updated").(time.Time)
		if isNew := created.After(r.at); isNew || !edited.After(r.at) {
			settled[tag.Text(name)] = settledTag{tag.ID(), isNew}
		}
	}
	return settled, nil
}

// numberOf returns an id as a snapshot and the API have it.
func numberOf(id int64) json.Number { return json.Number(strconv.FormatInt(id, 10)) }
