package ledger

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"terrier/internal/record"
)

// mostSources is how many bytes all sources of a type together may have. Every server keeps them in memory, decoded, and all of them can be
// part of each record that they are merged into.
const mostSources = 4 << 20

// mostMerged is how many bytes the sources may add to one record when one of them is written. A record that moves may get more.
const mostMerged = 256 << 10

// checkSources refuses data that would make the sources of merged fields too large together: see record.Merged. Where they are too large
// already, only what makes them larger is refused. It queues the queries and returns functions that read the answers.
func (s *changeSet) checkSources(ctx context.Context, b *batch) (answers []func() error) {
	for _, source := range b.t.SourceData() {
		var ids []int64
		var before []string
		var last *draft
		selects := false // others than before
		for _, d := range b.drafts {
			if !d.creation() && slices.ContainsFunc(b.t.References(), func(f record.ReferenceField) bool { return f.Many && d.differs(f.Index) }) {
				last, selects = d, true
			}
			if d.creation() || d.differs(b.t.Index(source.Data)) || d.differs(b.t.Index(source.If)) {
				ids, last = append(ids, d.v.ID()), d
				before = append(before, d.sourceBefore(source)...)
			}
		}
		if last == nil {
			continue
		}
		if rehearsing(ctx) == nil {
			s.tx.LockSources(b.t)
		}
		bytes := s.tx.SourceBytes(b.t, source, ids, before)
		answers = append(answers, func() error {
			n := bytes.Get()[0]
			if n.All > mostSources && n.After > n.Before {
				last.errs.Add(source.Data, "All active %s would have %.1f MiB of data together, and at most %d are possible. Make the data smaller, "+
					"or delete or deactivate others first.", strings.ReplaceAll(b.t.Plural, "-", " "), float64(n.All)/(1<<20), mostSources>>20)
				return nil
			}
			if n.All <= mostMerged || n.After <= n.Before && !selects {
				return nil
			}
			long, err := s.tx.LongMerged(ctx, b.t, mostMerged)
			if err != nil || long == nil {
				return err
			}
			last.errs.Add(source.Data, "The %s with the id %d would get %.1f KiB from all %s that apply to it, and at most %d are possible. "+
				"Make the data smaller, or let them apply to fewer.", long.Type.Title(), long.ID, float64(long.Bytes)/(1<<10),
				strings.ReplaceAll(b.t.Plural, "-", " "), mostMerged>>10)
			return nil
		})
	}
	return answers
}

// sourceBefore returns the data that a record added to merged fields before it was changed.
func (d *draft) sourceBefore(source record.SourceData) []string {
	if d.creation() || !d.pre.Bool(source.If) {
		return nil
	}
	data, _ := d.pre.Get(source.Data).(json.RawMessage)
	return []string{string(data)}
}
