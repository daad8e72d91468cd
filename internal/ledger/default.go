package ledger

import (
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// takeDefaults gives empty fields of new records the values that the records behind their references have. It reads these records in one
// statement for each reference.
func (s *changeSet) takeDefaults(ctx context.Context, batches ...*batch) error {
	var fill []func()
	for _, b := range batches {
		read := map[string]*store.Promise[[]record.Values]{}
		for _, rule := range b.t.DefaultRules() {
			if read[rule.Of] == nil {
				read[rule.Of] = s.readBehind(b, rule.Of)
			}
			found := read[rule.Of]
			fill = append(fill, func() { b.takeDefault(rule, indexed(found.Get())) })
		}
	}
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	for _, set := range fill {
		set()
	}
	return nil
}

// readBehind queues the query for the records that the drafts refer to through a field.
func (s *changeSet) readBehind(b *batch, of string) *store.Promise[[]record.Values] {
	var ids []int64
	for _, d := range b.drafts {
		if id := d.v.Link(of).ID; id != 0 && len(d.errs[of]) == 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return store.Answered([]record.Values(nil))
	}
	return s.tx.Load(record.TargetOf(b.t.Field(of)), access.Machine(), ids, store.NoLock)
}

func (b *batch) takeDefault(rule record.DefaultRule, behind map[int64]record.Values) {
	for _, d := range b.drafts {
		from, ok := behind[d.v.Link(rule.Of).ID]
		if !ok || !isEmpty(d.v.At(rule.Field)) || len(d.errs[b.t.Infos()[rule.Field].Name]) > 0 {
			continue
		}
		if value := from.Get(rule.Theirs); !isEmpty(value) {
			d.set(rule.Field, value)
		}
	}
}

// isEmpty reports whether a value is null or a text without characters.
func isEmpty(v any) bool { return v == nil || v == "" }
