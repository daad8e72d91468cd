package system_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"terrier/internal/dbtest"
)

// hostile is a kind of request that costs as much as one can.
type hostile struct {
	name    string
	prepare func(t *testing.T, s *siege)                           // nil for nothing
	send    func(s *siege, worker int, key string, n int64) answer // by one of the workers: its nth request
}

// siege is a server that is measured while others send it hostile requests.
type siege struct {
	*server
	database string
	admin    string   // the key of a superuser, who is measured
	record   string   // the address of the record that they read
	keys     []string // of accounts without any right
	ids      []int64  // of these accounts

	target int64 // what a kind has prepared
}

// hostileKinds are all of them.
func hostileKinds() []hostile { return slices.Concat(hostileWriters, hostileReaders) }

// hostileWorkers send at once, each the next request when the last one is answered.
const hostileWorkers = 16

// The goals, beside hostile requests: a record within three times what it takes idle, or 15 ms, home within five times, and so much
// memory. The short form also has slack for a machine that does other things.
const (
	recordTimes, homeTimes = 3, 5
	recordAnyway           = 15 * time.Millisecond
	homeAnyway             = 50 * time.Millisecond
	hostileGrowth          = 256 * mebibyte
	shortSlack             = 10
)

// TestHostile measures what others notice of hostile requests: the short form one kind of writes, and with TERRIER_LONG=1
// each kind, sent by one account and by sixteen.
func TestHostile(t *testing.T) {
	kinds, accounts, length, slack := hostileWriters[:1], []int{hostileWorkers}, 3*time.Second, time.Duration(shortSlack)
	if os.Getenv("TERRIER_LONG") != "" {
		kinds, accounts, length, slack = hostileKinds(), []int{1, hostileWorkers}, 15*time.Second, 1
	}
	s := besiege(t)
	for _, kind := range kinds {
		for _, n := range accounts {
			t.Run(fmt.Sprintf("%s/%d", kind.name, n), func(t *testing.T) {
				if kind.prepare != nil {
					kind.prepare(t, s)
				}
				s.endure(t, kind, s.keys[:n], length, slack)
			})
		}
	}
}

// besiege starts a server with eight main connections and a small network.
func besiege(t *testing.T) *siege {
	database := dbtest.New(t) + "&pool_max_conns=8"
	in := newInstall(t, database)
	in.User("admin", "right password", "--superuser")
	s := &siege{database: database, admin: in.Token("admin")}
	if out, code := in.Terrier("", "demo", "--size", "small"); code != 0 {
		t.Fatalf("demo: %s", out)
	}
	s.server = in.Serve()
	for i := range hostileWorkers {
		var user, token struct {
			ID  int64
			Key string
		}
		s.Do(http.MethodPost, "/api/users/users/", s.admin, object{"username": fmt.Sprint("hostile", i), "password": "right password"}).
			Want(t, http.StatusCreated).Read(t, &user)
		s.Do(http.MethodPost, "/api/users/tokens/", s.admin, object{"user": user.ID}).Want(t, http.StatusCreated).Read(t, &token)
		s.keys, s.ids = append(s.keys, token.Key), append(s.ids, user.ID)
	}
	s.record = fmt.Sprintf("/api/dcim/sites/%d/", s.create(t, "/api/dcim/sites/", object{"name": "Measured", "slug": "measured"}))
	return s
}

func (s *siege) create(t *testing.T, path string, body object) int64 {
	t.Helper()
	var made struct{ ID int64 }
	s.Do(http.MethodPost, path, s.admin, body).Want(t, http.StatusCreated).Read(t, &made)
	return made.ID
}

// allow gives all hostile accounts a permission.
func (s *siege) allow(t *testing.T, types, actions []string) {
	t.Helper()
	s.create(t, "/api/users/permissions/", object{"name": randomHex(8), "object_types": types, "actions": actions, "users": s.ids})
}

// endure measures idle, then beside the workers, and judges.
func (s *siege) endure(t *testing.T, kind hostile, keys []string, length, slack time.Duration) {
	s.watch(t, length/3) // warms up
	idle := s.watch(t, length)
	stop := s.startSender(t, kind, keys)
	beside := s.watch(t, length)
	statuses := stop()
	growth := beside.memory - idle.memory
	t.Logf("record p50 %v p99 %v, idle %v and %v; home p50 %v p99 %v, idle %v and %v; memory + %d MiB; answers %v",
		at(beside.record, 50), at(beside.record, 99), at(idle.record, 50), at(idle.record, 99), at(beside.home, 50), at(beside.home, 99),
		at(idle.home, 50), at(idle.home, 99), growth/mebibyte, statuses)
	if p99 := at(beside.record, 99); p99 > slack*max(recordTimes*at(idle.record, 99), recordAnyway) {
		t.Errorf("a record takes %v, and %v idle", p99, at(idle.record, 99))
	}
	if p99 := at(beside.home, 99); p99 > slack*max(homeTimes*at(idle.home, 99), homeAnyway) {
		t.Errorf("home takes %v, and %v idle", p99, at(idle.home, 99))
	}
	if growth > hostileGrowth {
		t.Errorf("they cost %d MiB of memory", growth/mebibyte)
	}
	wrong := statuses[http.StatusBadRequest] + statuses[http.StatusForbidden] + statuses[http.StatusNotFound]
	if wrong+statuses[0]+statuses[http.StatusInternalServerError] > 0 {
		t.Errorf("some requests failed: %v", statuses)
	}
}

// noticed is what others notice of a server.
type noticed struct {
	record, home []time.Duration
	memory       int // the most that the server held
}

// watch reads one record 50 times a second, and home five times, whether or not earlier reads were answered.
func (s *siege) watch(t *testing.T, length time.Duration) (seen noticed) {
	var mu sync.Mutex
	var reads sync.WaitGroup
	read := func(path string, into *[]time.Duration) {
		header := http.Header{"Authorization": {"Token " + s.admin}}
		if path == "/" {
			header.Set("Accept", "text/html")
		}
		began := time.Now()
		a := s.Send(http.MethodGet, path, header, nil)
		took := time.Since(began)
		if a.Status != http.StatusOK {
			t.Errorf("%s: %v", path, a)
		}
		mu.Lock()
		defer mu.Unlock()
		*into = append(*into, took)
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := range int(length / (20 * time.Millisecond)) {
		<-tick.C
		reads.Go(func() { read(s.record, &seen.record) })
		if n%10 == 0 {
			reads.Go(func() { read("/", &seen.home) })
		}
		seen.memory = max(seen.memory, s.Memory("VmRSS"))
	}
	reads.Wait()
	return seen
}

// at returns a percentile.
func at(times []time.Duration, percent int) time.Duration {
	slices.Sort(times)
	return times[len(times)*percent/100].Round(100 * time.Microsecond)
}
