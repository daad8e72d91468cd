package system_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"terrier/internal/dbtest"
)

// TestTimeoutIsNoSuccess keeps the database from answering until requests run out of time. None of them may be answered with success,
// because nothing was done.
func TestTimeoutIsNoSuccess(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	in := newInstall(t, database)
	in.User("admin", "right password", "--superuser")
	admin := in.Token("admin")
	s := in.Serve()
	s.Get("/api/dcim/sites/", admin).Want(t, http.StatusOK)

	tx, err := connect(t, database).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }() // if the test fails; the pool waits for it
	if _, err := tx.Exec(t.Context(), "LOCK TABLE dcim_site IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	// More requests than the process has connections, so that some wait for the lock and some for a connection.
	const requests = 20
	var mu sync.Mutex
	var wg sync.WaitGroup
	statuses := map[int]int{}
	began := time.Now()
	for range requests {
		wg.Go(func() {
			a := s.Do(http.MethodPost, "/api/dcim/sites/", admin, object{"name": "late", "slug": "late"})
			mu.Lock()
			defer mu.Unlock()
			statuses[a.Status]++
			if a.Err == nil && (a.Status < 500 || a.Body == "") {
				t.Errorf("a request that was not done was answered %d with %q", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	t.Logf("answers by status: %v, the last after %v", statuses, time.Since(began).Round(time.Second))
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The server recovers without a restart.
	eventually(t, "the server should recover", func() bool { return s.Get("/readyz", "").Status == http.StatusOK })
	s.Do(http.MethodPost, "/api/dcim/sites/", admin, object{"name": "after", "slug": "after"}).Want(t, http.StatusCreated)
}
