package feed

import (
	"slices"
	"testing"

	"terrier/internal/store"
)

// TestNote: what a look did not find stays a gap, unless it is settled; what lies beyond the look is not touched.
func TestNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		at   store.Numbered
		look look
		want store.Numbered
	}{
		{"nothing new", store.Numbered{Seen: 5}, look{upTo: 5}, store.Numbered{Seen: 5}},
		{"all found", store.Numbered{Newest: 2, Seen: 5}, look{ids: []int64{6, 7}, upTo: 7}, store.Numbered{Newest: 4, Seen: 7}},
		{"some missing", store.Numbered{Seen: 5}, look{ids: []int64{7, 10}, upTo: 12},
			store.Numbered{Newest: 2, Seen: 12, Gaps: []store.Span{{First: 6, Last: 6}, {First: 8, Last: 9}, {First: 11, Last: 12}}}},
		{"a gap closes in the middle", store.Numbered{Seen: 9, Gaps: []store.Span{{First: 2, Last: 6}}}, look{ids: []int64{4}, upTo: 9},
			store.Numbered{Newest: 1, Seen: 9, Gaps: []store.Span{{First: 2, Last: 3}, {First: 5, Last: 6}}}},
		{"a gap closes", store.Numbered{Seen: 9, Gaps: []store.Span{{First: 2, Last: 3}}}, look{ids: []int64{2, 3}, upTo: 9},
			store.Numbered{Newest: 2, Seen: 9}},
		{"settled", store.Numbered{Seen: 9, Gaps: []store.Span{{First: 2, Last: 3}, {First: 6, Last: 8}}}, look{upTo: 9, settled: 7},
			store.Numbered{Seen: 9, Gaps: []store.Span{{First: 8, Last: 8}}}},
		{"settled, not looked at", store.Numbered{Seen: 9, Gaps: []store.Span{{First: 2, Last: 8}}},
			look{ids: []int64{3}, upTo: 3, settled: 9}, store.Numbered{Newest: 1, Seen: 9, Gaps: []store.Span{{First: 4, Last: 8}}}},
	} {
		got := note(c.at, c.look)
		if got.Newest != c.want.Newest || got.Seen != c.want.Seen || !slices.Equal(got.Gaps, c.want.Gaps) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
