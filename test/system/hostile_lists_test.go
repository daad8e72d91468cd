package system_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"terrier/internal/fill"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Readers of large lists: so many callers, each with so many connections, and so many values in each filter.
const listReaders, listConnections, listValues = 2, 15, 50

// The goal: another caller's list of sites takes at most so many times what it takes idle, or so long, in half of the cases.
const (
	listTimes  = 5
	listAnyway = 50 * time.Millisecond
)

// TestHostileLists: filters by many texts of two callers leave the lists of others quick. Texts of two letters are found by reading the
// whole table, and longer ones through the index of the search. The short form has
// 10,000 interfaces, with TERRIER_LONG=1 there are 60,000.
func TestHostileLists(t *testing.T) {
	devices, length, slack := 200, 3*time.Second, time.Duration(shortSlack)
	if os.Getenv("TERRIER_LONG") != "" {
		devices, length, slack = 1200, 30*time.Second, 1
	}
	s := besiege(t)
	s.addFleet(t, devices)
	s.allow(t, []string{"dcim.interface"}, []string{"view"})
	const cheap = "/api/dcim/sites/?limit=50"
	for _, letters := range []int{2, 6} {
		t.Run(fmt.Sprint(letters, " letters"), func(t *testing.T) {
			var values strings.Builder
			for i := range listValues {
				fmt.Fprintf(&values, "&description__ic=%c%c%s", 'q', 'a'+i%26, strings.Repeat("xkwvzj"[i%6:i%6+1], letters-2))
			}
			path := "/api/dcim/interfaces/?limit=1000" + values.String()
			s.times(t, cheap, length/3) // warms up
			idle := s.times(t, cheap, length)
			ctx, stop := context.WithCancel(t.Context())
			var readers sync.WaitGroup
			var mu sync.Mutex
			statuses := map[int]int{}
			for i := range listReaders * listConnections {
				readers.Go(func() {
					for ctx.Err() == nil {
						a := s.Do(http.MethodGet, path, s.keys[i%listReaders], nil)
						mu.Lock()
						statuses[a.Status]++
						mu.Unlock()
					}
				})
			}
			beside := s.times(t, cheap, length)
			stop()
			readers.Wait()
			t.Logf("a list p50 %v p99 %v, idle %v and %v; answers of the others %v", at(beside, 50), at(beside, 99), at(idle, 50),
				at(idle, 99), statuses)
			if p50 := at(beside, 50); p50 > slack*max(listTimes*at(idle, 50), listAnyway) {
				t.Errorf("a list takes %v, and %v idle", p50, at(idle, 50))
			}
			if statuses[http.StatusOK] == 0 {
				t.Errorf("no list of the others was answered: %v", statuses)
			}
		})
	}
}

// addFleet adds devices with 50 interfaces each.
func (s *siege) addFleet(t *testing.T, devices int) {
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), s.database, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	g := fill.New(db, 1)
	if err := g.Fill(t.Context(), reg.Type("dcim.site"), 24, nil); err != nil {
		t.Fatal(err)
	}
	if err := g.Fleet(t.Context(), devices); err != nil {
		t.Fatal(err)
	}
}

// times reads a list ten times a second, whether or not earlier reads were answered.
func (s *siege) times(t *testing.T, path string, length time.Duration) (took []time.Duration) {
	var mu sync.Mutex
	var reads sync.WaitGroup
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range int(length / (100 * time.Millisecond)) {
		<-tick.C
		reads.Go(func() {
			began := time.Now()
			a := s.Do(http.MethodGet, path, s.admin, nil)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, time.Since(began))
			if a.Status != http.StatusOK {
				t.Errorf("%s: %v", path, a)
			}
		})
	}
	reads.Wait()
	return took
}
