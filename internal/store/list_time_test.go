package store_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/dbtest"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestListsOfOneCallerUseUpTheirTime: callers whose lists have taken their time get connections while at most half are in use. Lists of
// others find one at once, and no list is refused.
func TestListsOfOneCallerUseUpTheirTime(t *testing.T) {
	t.Parallel()
	reg, err := record.NewRegistry(inventory.Types()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), dbtest.New(t)+"&pool_max_conns=12", reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	db := s.Pool()
	list := func(user int64, sql string, args ...any) {
		scope, err := (&access.Policy{}).Scope(&access.Subject{UserID: user, Superuser: true}, reg.Type("dcim.site"), access.View)
		if err != nil {
			t.Error(err)
			return
		}
		batch := &pgx.Batch{}
		batch.Queue(sql, args...)
		if err := store.SendList(t.Context(), s, scope, batch); err != nil {
			t.Errorf("a list of user %d: %v", user, err)
		}
	}
	var slow sync.WaitGroup
	for range 4 {
		for user := range int64(2) {
			slow.Go(func() { list(1+user, "SELECT pg_sleep(0.7)") })
		}
	}
	slow.Wait()

	const number = 4711
	holder, err := db.Acquire(t.Context())
	if err == nil {
		_, err = holder.Exec(t.Context(), "SELECT pg_advisory_lock($1)", number)
	}
	if err != nil {
		t.Fatal(err)
	}
	var lists sync.WaitGroup
	for range 15 {
		for user := range int64(2) {
			lists.Go(func() { list(1+user, "SELECT pg_advisory_lock_shared($1), pg_advisory_unlock_shared($1)", number) })
		}
	}
	running := 0
	for running == 0 || running+store.WaitingLists(s) < 30 {
		err := db.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()").Scan(&running)
		if err != nil {
			t.Fatal(err)
		}
	}
	const most = 4 // of the six connections for lists
	if running == most {
		for range 10 {
			list(3, "SELECT 1") // finds a connection at once
		}
	} else {
		t.Errorf("%d lists of callers who have used up their time have a connection, want %d", running, most)
	}
	if _, err := holder.Exec(t.Context(), "SELECT pg_advisory_unlock($1)", number); err != nil {
		t.Error(err)
	}
	holder.Release()
	lists.Wait()
}
