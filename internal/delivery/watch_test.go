package delivery

import (
	"strings"
	"testing"
	"time"

	"terrier/internal/store"
)

// TestWatch: each look happens at a second of our clock and finds the last signs of a and b, in seconds of their
// clocks, which are years and hours away. 0 means that the worker is not there.
func TestWatch(t *testing.T) {
	t.Parallel()
	type look struct {
		at   int
		a, b int
		dead string
	}
	alive := func(from, to int) (all []look) {
		for at := from; at <= to; at += 5 {
			all = append(all, look{at, at + 1, at + 1, ""})
		}
		return all
	}
	for name, looks := range map[string][]look{
		"both live": alive(0, 100),
		"one dies": append(alive(0, 50), look{55, 51, 56, ""}, look{60, 51, 61, ""}, look{65, 51, 66, ""},
			look{70, 51, 71, "a"}, look{75, 51, 76, "a"}),
		"and is taken away": append(alive(0, 50), look{55, 51, 56, ""}, look{60, 51, 61, ""}, look{65, 51, 66, ""},
			look{70, 51, 71, "a"}, look{75, 0, 76, ""}),
		"both die":          append(alive(0, 50), look{55, 51, 51, ""}, look{60, 51, 51, ""}, look{65, 51, 51, ""}, look{70, 51, 51, "a b"}),
		"dead when we came": {{0, 1, 1, ""}, {5, 1, 2, ""}, {10, 1, 3, ""}, {15, 1, 4, ""}, {19, 1, 5, ""}, {20, 1, 6, "a"}},
		"comes back": {{0, 1, 1, ""}, {5, 1, 2, ""}, {10, 1, 3, ""}, {15, 1, 4, ""}, {20, 2, 5, ""}, {25, 2, 6, ""},
			{30, 2, 7, ""}, {35, 2, 8, ""}, {40, 2, 9, "a"}},
		"its clock is set": {{0, 100, 1, ""}, {5, 100, 2, ""}, {10, 100, 3, ""}, {15, 50, 4, ""}, {20, 50, 5, ""}, {25, 50, 6, ""},
			{30, 50, 7, ""}, {35, 50, 8, "a"}},
		"we were asleep": {{0, 1, 1, ""}, {5, 1, 2, ""}, {10, 1, 3, ""}, {60, 1, 3, ""}, {65, 1, 4, ""}, {70, 1, 5, ""},
			{75, 1, 6, ""}, {80, 1, 7, "a"}},
		"a late look":          {{0, 1, 1, ""}, {5, 1, 2, ""}, {15, 1, 3, ""}, {20, 1, 4, "a"}},
		"a look that was lost": {{0, 1, 1, ""}, {5, 1, 2, ""}, {16, 1, 3, ""}, {20, 1, 4, ""}, {25, 1, 5, ""}, {30, 1, 6, ""}, {36, 1, 7, "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w watch
			begin := time.Now()
			for _, l := range looks {
				var all []store.Sign
				if l.a > 0 {
					all = append(all, store.Sign{Worker: "a", SeenAt: time.Date(1999, 1, 1, 0, 0, l.a, 0, time.UTC)})
				}
				if l.b > 0 {
					all = append(all, store.Sign{Worker: "b", SeenAt: begin.Add(5*time.Hour + time.Duration(l.b)*time.Second).In(time.FixedZone("",
						60*l.at))})
				}
				var dead []string
				for _, d := range w.look(begin.Add(time.Duration(l.at)*time.Second), all) {
					dead = append(dead, d.Worker)
				}
				if got := strings.Join(dead, " "); got != l.dead {
					t.Errorf("after %d s %q are dead, want %q", l.at, got, l.dead)
				}
			}
		})
	}
}
