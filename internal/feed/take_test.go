package feed

import (
	"testing"
	"time"

	"terrier/internal/store"
	"terrier/internal/webhook"
)

// TestTake: a page ends after the last change that was looked at: when it is full, and when the time for conditions is used up.
func TestTake(t *testing.T) {
	t.Parallel()
	named, err := webhook.ParseConditions([]byte(`{"attr": "name", "value": "a"}`))
	must(t, err)
	var changes []*Change
	for i, name := range []string{"b", "a", "b", "a", "b"} {
		changes = append(changes, &Change{Positioned: store.Positioned{Position: int64(11 + i),
			Past: store.Past{Action: store.Updated, ObjectType: "dcim.site", Data: []byte(`{"name": "` + name + `"}`)}}})
	}
	f := New(nil)
	for _, c := range []struct {
		name        string
		conditions  *webhook.Conditions
		limit       int
		budget      time.Duration
		taken, next int64
	}{
		{"without conditions", nil, 9, time.Minute, 5, 20},
		{"all", named, 9, time.Minute, 2, 20},
		{"full", named, 1, time.Minute, 1, 12},
		{"full with the last one but one", named, 2, time.Minute, 2, 14},
		{"no time", named, 9, 1, 0, 11},
	} {
		page := Page{Next: 20}
		budget := c.budget
		must(t, f.take(t.Context(), Query{Conditions: c.conditions, Limit: c.limit}, &page, changes, &budget))
		if int64(len(page.Changes)) != c.taken || page.Next != c.next {
			t.Errorf("%s: %d changes, and it goes on after %d; want %d and %d", c.name, len(page.Changes), page.Next, c.taken, c.next)
		}
	}
}

// TestDensePartsStaySmall: after parts that ended early, no more positions are looked at than changes are read. Where few changes are asked
// for, more are.
func TestDensePartsStaySmall(t *testing.T) {
	t.Parallel()
	looked, read := 0, 0
	for among := 50; read < mostScanned; among = nextAmong(among, among >= partChanges) {
		looked, read = looked+among, read+min(among, partChanges)
	}
	if looked > 2*read {
		t.Errorf("%d positions were looked at for %d changes", looked, read)
	}
	if got := nextAmong(nextAmong(10, false), false); got != 160 {
		t.Errorf("after two parts with few changes: %d", got)
	}
}
