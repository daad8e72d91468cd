package ledger

import (
	"context"
	"encoding/json"
	"strings"

	"terrier/internal/record"
)

// mostSources is how many bytes all sources of a type together may have. Every server keeps them in memory, decoded, and all of them can be
// part of each record that they are merged into.
const mostSources = 4 << 20

// checkSources refuses data that would make the sources of merged fields too large together: see record.Merged. Where they are too large
// already, only what makes them larger is refused. It queues the queries and returns functions that read the answers.
func (s *changeSet) checkSources(ctx context.Context, b *batch) (answers []func()) {
	for _, source := range b.t.SourceData() {
		var ids []int64
		var before []string
		var last *draft
		for _, d := range b.drafts {
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
		answers = append(answers, func() {
			if n := bytes.Get()[0]; n.All > mostSources && n.After > n.Before {
				last.errs.Add(source.Data, "All active %s would have %.1f MiB of data together, and at most %d are possible. Make the data smaller, "+
					"or delete or deactivate others first.", strings.ReplaceAll(b.t.Plural, "-", " "), float64(n.All)/(1<<20), mostSources>>20)
			}
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
