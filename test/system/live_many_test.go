package system_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/dbtest"
	"terrier/test/bench/gauge"
)

// crowd is how many listen to one server, of how many users, and which load they get.
type crowd struct {
	readers, users int
	perSecond      float64
	length         time.Duration
	bound          time.Duration // within which each change must come
}

// arrival is when a change came to a reader.
type arrival struct {
	position int64
	at       time.Time
}

// TestManyListeners: every change comes to every reader once, soon after it was made. TERRIER_LONG=1 makes it 1,000 readers, 20 changes a
// second for 30 seconds, and a bound of one second; the short one leaves room for a busy machine.
func TestManyListeners(t *testing.T) {
	c := crowd{readers: 100, users: 1, perSecond: 10, length: 3 * time.Second, bound: 5 * time.Second}
	if os.Getenv("TERRIER_LONG") != "" {
		c = crowd{readers: 1000, users: 10, perSecond: 20, length: 30 * time.Second, bound: time.Second}
	}
	database := dbtest.New(t)
	in := newInstall(t, database)
	in.User("admin", "right password", "--superuser")
	var keys []string
	for n := range c.users { // one caller may have 100 streams
		name := fmt.Sprint("reader-", n)
		in.User(name, "right password", "--superuser")
		keys = append(keys, in.Token(name))
	}
	admin := in.Token("admin")
	pool := connect(t, database)
	s := in.Serve()
	meter, err := gauge.NewMeter(number(t, pool, "SELECT pg_backend_pid()"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the changes to accounts should have positions, because a stream begins after the newest", func() bool {
		return number(t, pool, "SELECT (SELECT count(*) FROM extras_objectchange) - newest FROM extras_sequencer") == 0
	})
	alone := s.Memory("VmRSS")

	ctx, stop := context.WithCancel(t.Context())
	var all, begun sync.WaitGroup
	var total atomic.Int64
	arrivals := make([][]arrival, c.readers)
	for n := range c.readers {
		begun.Add(1)
		begin := sync.OnceFunc(begun.Done)
		l := &listener{key: keys[n%c.users], each: func(id int64, change bool) {
			if begin(); change {
				arrivals[n] = append(arrivals[n], arrival{id, time.Now()})
				total.Add(1)
			}
		}}
		all.Go(func() {
			if err := l.listen(ctx, s.Base); ctx.Err() == nil {
				t.Errorf("reader %d ended with %v", n, err)
			}
			begin()
		})
	}
	begun.Wait()
	first := number(t, pool, "SELECT newest FROM extras_sequencer")

	used, server := meter.Start(), gauge.ProcessTime(s.PID())
	var made atomic.Int64
	err = gauge.OpenLoop(ctx, c.perSecond, c.length, func(n int, _ time.Time) error {
		s.Do(http.MethodPost, "/api/dcim/sites/", admin, newSite(fmt.Sprint("site-", n))).Want(t, http.StatusCreated)
		made.Add(1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := made.Load() * int64(c.readers)
	eventually(t, "every reader should get every change", func() bool { return total.Load() >= want })
	cpu := used()
	own := gauge.ProcessTime(s.PID()) - server
	memory := s.Memory("VmRSS")
	stop()
	all.Wait()

	committed := map[int64]time.Time{}
	rows, err := pool.Query(t.Context(), "SELECT position, changed_at FROM extras_position WHERE position > $1", first)
	if err != nil {
		t.Fatal(err)
	}
	var p int64
	var at time.Time
	if _, err := pgx.ForEachRow(rows, []any{&p, &at}, func() error { committed[p] = at; return nil }); err != nil {
		t.Fatal(err)
	}
	var delays []time.Duration
	for n, got := range arrivals {
		for i, a := range got {
			if a.position != int64(first+i+1) {
				t.Fatalf("reader %d: number %d has the position %d, want %d", n, i, a.position, first+i+1)
			}
			delays = append(delays, a.at.Sub(committed[a.position]))
		}
	}
	if int64(len(delays)) != want {
		t.Errorf("%d events arrived, want %d", len(delays), want)
	}
	slices.Sort(delays)
	share := func(d time.Duration) string { return fmt.Sprintf("%.0f %%", 100*d.Seconds()/cpu.Time.Seconds()) }
	t.Logf("%d readers, %d changes at %.0f/s: %d events; delay p50 %v, p95 %v, max %v; of one processor the server took %s, PostgreSQL %s; "+
		"memory of the server %d MiB, %d MiB without readers", c.readers, made.Load(), c.perSecond, len(delays), delays[len(delays)/2],
		delays[len(delays)*95/100], delays[len(delays)-1], share(own), share(cpu.PostgreSQL), memory>>20, alone>>20)
	if longest := delays[len(delays)-1]; longest > c.bound {
		t.Errorf("a change came to a reader after %v", longest)
	}
}
