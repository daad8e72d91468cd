package follow_test

import (
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"terrier/test/install"
)

// writers is how many clients change records at the same time.
const writers = 6

// TestFollowers: with several writers, and after any number of kills, each follower has what the register has: every record that there
// is, in its version and state, byte by byte, and no other. TERRIER_LONG=1 makes it 20,000 requests and 20 kills of each.
func TestFollowers(t *testing.T) {
	requests, kills := int64(500), int64(3)
	if os.Getenv("TERRIER_LONG") != "" {
		requests, kills = 20_000, 20
	}
	argvs := commands(t)
	r := newRegister(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for range 20 { // there is something for the snapshots
		r.change(t, rand.New(rand.NewPCG(seed, 0)))
	}
	var followers []*follower
	for _, argv := range argvs {
		followers = append(followers, newFollower(t, argv, r.Base, r.key, followed...))
	}
	var made atomic.Int64
	due := make(chan struct{}, kills)
	var group sync.WaitGroup
	for i := range writers {
		random := rand.New(rand.NewPCG(seed, uint64(i+1)))
		group.Go(func() {
			for {
				n := made.Add(1)
				if n > requests {
					return
				}
				if r.change(t, random); n%(requests/kills) == 0 {
					due <- struct{}{}
				}
			}
		})
	}
	for range kills {
		<-due
		for _, f := range followers {
			f.restart()
		}
	}
	group.Wait()
	r.compare(t, followers)

	// They were away for longer than changes are kept.
	for _, f := range followers {
		f.kill()
	}
	for range 20 {
		r.change(t, rand.New(rand.NewPCG(seed, writers+1)))
	}
	r.forgetChanges(t)
	for _, f := range followers {
		f.start()
	}
	r.compare(t, followers)
}

// compare waits until every copy is as the register, which must not change meanwhile.
func (r *register) compare(t *testing.T, followers []*follower) {
	t.Helper()
	want := r.records(t)
	for _, f := range followers {
		install.Eventually(t, f.argv[0]+": the copy should equal the register", func() bool { return f.records() == want })
	}
	if after := r.records(t); after != want || len(want) == 0 {
		t.Errorf("the register changed while it was compared, or is empty")
	}
}
