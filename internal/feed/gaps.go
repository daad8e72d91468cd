package feed

import "terrier/internal/store"

// look is what one look at the change log found: every change up to an id that was committed and not numbered before.
type look struct {
	ids     []int64 // found and numbered, ascending
	upTo    int64
	settled int64 // what was not found up to here never will be: its transaction had ended before the look
}

// note returns how far the numbering has come after a look.
func note(at store.Numbered, l look) store.Numbered {
	open := at.Gaps
	if l.upTo > at.Seen {
		open = append(open[:len(open):len(open)], store.Span{First: at.Seen + 1, Last: l.upTo})
	}
	next := store.Numbered{Newest: at.Newest + int64(len(l.ids)), Seen: max(at.Seen, l.upTo)}
	dead := min(l.settled, l.upTo)
	ids := l.ids
	for _, span := range open {
		for len(ids) > 0 && ids[0] <= span.Last {
			next.Gaps = add(next.Gaps, store.Span{First: span.First, Last: ids[0] - 1}, dead)
			span.First, ids = ids[0]+1, ids[1:]
		}
		next.Gaps = add(next.Gaps, span, dead)
	}
	return next
}

// add appends the part of a span that is after the dead ones.
func add(gaps []store.Span, span store.Span, dead int64) []store.Span {
	span.First = max(span.First, dead+1)
	if span.First > span.Last {
		return gaps
	}
	return append(gaps, span)
}

// settled returns the id up to which nothing is left to number.
func settled(at store.Numbered) int64 {
	if len(at.Gaps) > 0 {
		return at.Gaps[0].First - 1
	}
	return at.Seen
}
