package ledger

import (
	"context"

	"terrier/internal/record"
	"terrier/internal/store"
)

// checkWith applies the rules between the drafts of some batches and the records that they refer to. It reads these in one statement for
// each rule. Two change sets need no lock: whichever is first, the rule allows the other record to change later.
func (s *changeSet) checkWith(ctx context.Context, batches []*batch) error {
	type question struct {
		b      *batch
		rule   record.CheckWith
		others *store.Promise[[]record.Values]
	}
	var asked []question
	for _, b := range batches {
		for _, rule := range b.t.CheckWith {
			asked = append(asked, question{b, rule, s.readBehind(b, rule.Ref)})
		}
	}
	if len(asked) == 0 {
		return nil
	}
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	for _, q := range asked {
		others := indexed(q.others.Get())
		for _, d := range q.b.drafts {
			other, ok := others[d.v.Link(q.rule.Ref).ID]
			if !ok || d.derivedUpdate() || len(d.errs) > 0 {
				continue
			}
			for field, messages := range q.rule.Check(d.v, other) {
				d.errs[field] = append(d.errs[field], messages...)
			}
		}
	}
	return nil
}
