package store_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// writers is a server's store with eight main connections.
func writers(t *testing.T, url string, tracer pgx.QueryTracer) (*store.Store, *record.Type) {
	t.Helper()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), url+"&pool_max_conns=8", reg, tracer)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, reg.Type("ipam.ipaddress")
}

// allocation is a change set that takes values within a record and runs until the test ends it.
type allocation struct {
	begun, end chan struct{}
	ended      chan error
}

func allocate(ctx context.Context, s *store.Store, by int64, lock func(*store.Tx)) allocation {
	a := allocation{make(chan struct{}), make(chan struct{}), make(chan error, 1)}
	go func() {
		a.ended <- s.Write(ctx, access.Asker{User: by}, func(tx *store.Tx) error {
			lock(tx)
			if err := tx.Flush(ctx); err != nil {
				return err
			}
			close(a.begun)
			<-a.end
			return nil
		})
	}()
	return a
}

func (a allocation) finish(t *testing.T) {
	t.Helper()
	close(a.end)
	if err := <-a.ended; err != nil {
		t.Error(err)
	}
}

// TestAllocationsWaitWithoutConnections: change sets that wait for values within the same record hold no connection and nothing of the
// budget for writes, however many they are, and get their turn.
func TestAllocationsWaitWithoutConnections(t *testing.T) {
	t.Parallel()
	s, addresses := writers(t, dbtest.New(t), nil)
	alone := func(tx *store.Tx) { tx.LockSpace(addresses, true, 7) }
	first := allocate(t.Context(), s, 1, alone)
	<-first.begun
	var waiting []allocation
	for n := range 20 {
		waiting = append(waiting, allocate(t.Context(), s, int64(1+n%3), alone))
	}
	for store.WaitingAllocations(s) < len(waiting) || store.WritesInUse(s) > 1 {
		runtime.Gosched()
	}
	if n := s.Pool().Stat().AcquiredConns(); n != 1 {
		t.Errorf("%d connections are in use, want only that of the change set that runs", n)
	}
	elsewhere := allocate(t.Context(), s, 1, func(tx *store.Tx) { tx.LockSpace(addresses, true, 8) })
	<-elsewhere.begun
	elsewhere.finish(t)
	first.finish(t)
	for _, a := range waiting { // whichever is next
		close(a.end)
	}
	for _, a := range waiting {
		if err := <-a.ended; err != nil {
			t.Error(err)
		}
	}
	if store.LocksKept(s) != 0 {
		t.Errorf("%d locks are remembered", store.LocksKept(s))
	}
}

// TestAllocationsShareALock: those that share a record run at once; one that needs it alone waits for them, and the next sharers for it.
func TestAllocationsShareALock(t *testing.T) {
	t.Parallel()
	s, addresses := writers(t, dbtest.New(t), nil)
	shared := func(tx *store.Tx) { tx.LockSpace(addresses, false, 7) }
	one, two := allocate(t.Context(), s, 1, shared), allocate(t.Context(), s, 2, shared)
	<-one.begun
	<-two.begun
	alone := allocate(t.Context(), s, 3, func(tx *store.Tx) { tx.LockSpace(addresses, true, 7) })
	for store.WaitingAllocations(s) < 1 {
		runtime.Gosched()
	}
	later := allocate(t.Context(), s, 4, shared)
	for store.WaitingAllocations(s) < 2 {
		runtime.Gosched()
	}
	one.finish(t)
	two.finish(t)
	<-alone.begun
	alone.finish(t)
	<-later.begun
	later.finish(t)
}

// TestAllocationsDoNotWaitInACircle: two change sets that lock the same two records in different orders both succeed.
func TestAllocationsDoNotWaitInACircle(t *testing.T) {
	t.Parallel()
	s, addresses := writers(t, dbtest.New(t), nil)
	var all sync.WaitGroup
	for n := range int64(6) {
		first, second := 1+n%2, 2-n%2
		all.Go(func() {
			for range 10 {
				err := s.Write(t.Context(), access.Asker{User: n}, func(tx *store.Tx) error {
					tx.LockSpace(addresses, true, first)
					if err := tx.Flush(t.Context()); err != nil {
						return err
					}
					tx.LockSpace(addresses, true, second)
					return tx.Flush(t.Context())
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// begins counts transactions, and signals the second one of those that write.
type begins struct {
	mu    sync.Mutex
	n     int
	again chan struct{}
}

func (*begins) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (*begins) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (*begins) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}
func (*begins) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
func (b *begins) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if data.SQL == "BEGIN" {
		if b.n++; b.n == 2 {
			close(b.again)
		}
	}
}

// TestAllocationsOfOtherProcesses: a change set that waits for one of another process gives its connection back every two seconds and
// tries again, until it gets the lock.
func TestAllocationsOfOtherProcesses(t *testing.T) {
	t.Parallel()
	url := dbtest.New(t)
	seen := &begins{again: make(chan struct{})}
	here, addresses := writers(t, url, seen)
	there, _ := writers(t, url, nil)
	other := allocate(t.Context(), there, 1, func(tx *store.Tx) { tx.LockSpace(addresses, true, 7) })
	<-other.begun
	waits := allocate(t.Context(), here, 1, func(tx *store.Tx) { tx.LockSpace(addresses, false, 7) })
	<-seen.again
	other.finish(t)
	<-waits.begun
	waits.finish(t)
}

// TestAllocationsInTime: whoever waits until the request ends is asked to try again.
func TestAllocationsInTime(t *testing.T) {
	t.Parallel()
	s, addresses := writers(t, dbtest.New(t), nil)
	first := allocate(t.Context(), s, 1, func(tx *store.Tx) { tx.Hold(addresses, 7) })
	<-first.begun
	brief, cancel := context.WithTimeout(t.Context(), 2*time.Second) // long enough to come to the lock
	defer cancel()
	late := allocate(brief, s, 2, func(tx *store.Tx) { tx.Hold(addresses, 7) })
	if err := <-late.ended; fault.KindOf(err) != fault.Busy {
		t.Errorf("got %v", err)
	}
	first.finish(t)
}

// TestOneCallerWritesWithHalfOfTheConnections: the other change sets of a caller wait, and those of others do not.
func TestOneCallerWritesWithHalfOfTheConnections(t *testing.T) {
	t.Parallel()
	s, _ := writers(t, dbtest.New(t), nil)
	nothing := func(*store.Tx) {}
	var many []allocation
	for range 10 {
		many = append(many, allocate(t.Context(), s, 1, nothing))
	}
	for store.WaitingWrites(s) < 6 {
		runtime.Gosched()
	}
	other := allocate(t.Context(), s, 2, nothing)
	<-other.begun
	other.finish(t)
	if n := store.WritesInUse(s); n != 4 {
		t.Errorf("one caller has %d of 8 connections", n)
	}
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	late := allocate(brief, s, 1, nothing)
	if err := <-late.ended; fault.KindOf(err) != fault.Busy {
		t.Errorf("who waits too long gets %v", err)
	}
	for _, a := range many {
		close(a.end)
	}
	for _, a := range many {
		if err := <-a.ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}
