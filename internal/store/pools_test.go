package store_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/fault"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestNobodyTakesTheLastConnection: with few connections for lists, one caller leaves one of them to others.
func TestNobodyTakesTheLastConnection(t *testing.T) {
	t.Parallel()
	for connections, most := range map[int32]int64{1: 1, 2: 1, 3: 2, 8: 7, 9: 8, 50: 8} {
		if b := store.ListBudget(connections); b.Size != int64(connections) || b.Each != most {
			t.Errorf("of %d connections one caller has %d of %d, want %d", connections, b.Each, b.Size, most)
		}
	}
}

// TestListsHaveLess: half of the connections, a shorter time for a statement, and one processor. Health and login
// have two connections. The address of the database says how many there are.
func TestListsHaveLess(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dbtest.New(t)+"&pool_max_conns=6&pool_min_conns=4", reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for name, c := range map[string]struct {
		pool              *pgxpool.Pool
		most, least       int32
		timeout, parallel string
	}{
		"changes": {s.Pool(), 6, 4, "15s", "2"},
		"records": {store.RecordPool(s), 4, 0, "2s", "2"},
		"lists":   {store.ListPool(s), 3, 0, "10s", "0"},
		"spare":   {s.Spare(), 2, 0, "15s", "2"},
	} {
		var timeout, parallel string
		err := c.pool.QueryRow(t.Context(), "SELECT current_setting('statement_timeout'), current_setting('max_parallel_workers_per_gather')").
			Scan(&timeout, &parallel)
		if config := c.pool.Config(); err != nil || timeout != c.timeout || parallel != c.parallel || config.MaxConns != c.most ||
			config.MinConns != c.least {
			t.Errorf("%s: %d to %d connections, %s for a statement, %s helpers (%v)", name, config.MinConns, config.MaxConns, timeout, parallel, err)
		}
	}
}

// TestSlowListsOfOneCaller: one caller with 16 slow lists, with the default number of connections, does not delay
// another caller's lists. None of the 16 is refused.
func TestSlowListsOfOneCaller(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dbtest.New(t)+"&pool_max_conns=4&statement_timeout=5min", reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	list := func(ctx context.Context, user int64, name string) error {
		scope, err := (&access.Policy{}).Scope(&access.Subject{UserID: user, Superuser: true}, reg.Type(name), access.View)
		if err != nil {
			return err
		}
		_, err = s.List(ctx, reg.Type(name), store.Query{Scope: scope, Limit: 1})
		return err
	}
	var slow sync.WaitGroup
	defer slow.Wait()
	tx, err := s.Pool().Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	if _, err := tx.Exec(t.Context(), "LOCK TABLE dcim_site IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	for range 16 {
		slow.Go(func() {
			if err := list(t.Context(), 1, "dcim.site"); err != nil {
				t.Errorf("a list that waits its turn: %v", err)
			}
		})
	}
	for store.WaitingLists(s) < 14 {
		runtime.Gosched()
	}
	for range 10 {
		prompt, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := list(prompt, 2, "users.group")
		cancel()
		if err != nil {
			t.Fatalf("a list of another caller: %v", err)
		}
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestListHasOneDeadline: the statements of a list share the time that one statement may take.
func TestListHasOneDeadline(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	for timeout, slow := range map[string]bool{"500ms": true, "500": true, "1min": false, "0": false} {
		s, err := store.Open(t.Context(), dbtest.New(t)+"&statement_timeout="+timeout, reg, nil)
		if err != nil {
			t.Fatal(err)
		}
		batch := &pgx.Batch{}
		for range 5 {
			batch.Queue("SELECT pg_sleep(0.4)")
		}
		err = store.SendList(t.Context(), s, access.Machine(), batch)
		if slow != (fault.KindOf(err) == fault.Slow) || !slow && err != nil {
			t.Errorf("five statements of 400 ms with a timeout of %s: %v", timeout, err)
		}
		s.Close()
	}
}

// TestReadWritesNothing holds that Read has a connection for lists, that it can write nothing, and that it locks no record.
func TestReadWritesNothing(t *testing.T) {
	t.Parallel()
	s, reg, _ := open(t)
	tags := reg.Type("extras.tag")
	read := false
	err := s.Read(t.Context(), access.Machine(), func(ctx context.Context, tx *store.Tx) error {
		tx.Resolve(tags, access.Machine(), nil, 1) // it locks what it finds where something is written
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		read = true
		if lists, others := store.ListPool(s).Stat().AcquiredConns(), s.Pool().Stat().AcquiredConns(); lists != 1 || others != 0 {
			t.Errorf("it has %d connections for lists and %d others", lists, others)
		}
		tx.Delete(tags, []int64{1})
		return tx.Flush(ctx)
	})
	if pg, refused := errors.AsType[*pgconn.PgError](err); !read || !refused || pg.Code != "25006" { // read_only_sql_transaction
		t.Errorf("a write in Read: %v", err)
	}
}

// TestReadTakesTurnsWithLists holds that Read waits for its turn like a list, and gets the answer of a list if none comes in time.
func TestReadTakesTurnsWithLists(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dbtest.New(t)+"&pool_max_conns=2", reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	nothing := func(context.Context, *store.Tx) error { return nil }
	err = s.Read(t.Context(), access.Machine(), func(context.Context, *store.Tx) error { // it has the only turn
		brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, list := s.List(brief, reg.Type("extras.tag"), store.Query{Scope: access.Machine(), Limit: 1})
		read := s.Read(brief, access.Machine(), nothing)
		answer, _ := errors.AsType[*fault.Error](list)
		if fault.KindOf(list) != fault.Busy || !errors.Is(read, answer) {
			t.Errorf("without a turn a list gets %v, Read %v", list, read)
		}
		return nil
	})
	if err == nil {
		err = s.Read(t.Context(), access.Machine(), nothing)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestARecordMayTakeAsLongAsAList: a single record whose statement takes longer than two seconds, as one does that counts a
// million others, is read with the connections and the time of lists.
func TestARecordMayTakeAsLongAsAList(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dbtest.New(t), reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	tx, err := s.Pool().Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), "LOCK TABLE dcim_site IN ACCESS EXCLUSIVE MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := s.Get(t.Context(), reg.Type("dcim.site"), access.Machine(), 1)
		read <- err
	}()
	for inUse := int32(0); inUse == 0; {
		for _, p := range s.PoolStats() {
			if p.Name == "lists" {
				inUse = p.Stat.AcquiredConns()
			}
		}
		runtime.Gosched()
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-read; fault.KindOf(err) != fault.NotFound {
		t.Errorf("reading took as long as a list may, and ended with %v", err)
	}
}
