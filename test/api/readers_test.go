package api_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"terrier/internal/access"
	"terrier/internal/app"
	"terrier/test/apitest"
	"terrier/test/trial"
)

// lockTable makes every statement about the records of a table wait until it is released.
func lockTable(t *testing.T, s *apitest.Server, table string) (release func()) {
	t.Helper()
	tx, err := s.DB.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), "LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// awaiting is how many connections wait for a lock.
func awaiting(t *testing.T, s *apitest.Server) int64 {
	t.Helper()
	return one[int64](t, s, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
}

// TestListsLeaveRoomForOthers: when lists hang, single records, change sets, logins and the health check have their
// own connections. All lists wait their turn, and none is refused. A search of everything is the exception: it gives up after three
// seconds.
func TestListsLeaveRoomForOthers(t *testing.T) {
	t.Parallel()
	const connections = 4
	s := apitest.New(t, func(cfg *app.Config) {
		cfg.DatabaseURL += fmt.Sprintf("&pool_max_conns=%d&statement_timeout=5min", connections)
	})
	admin := adminOf(s)
	tag := admin.create(t, tags, obj{"name": "T", "slug": "t"})
	_, reader := newActor(t, s, "reader", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	var lists sync.WaitGroup
	defer lists.Wait()
	defer lockTable(t, s, "dcim_site")()
	for i := range 20 {
		for _, a := range []actor{admin, reader} {
			lists.Go(func() { a.get(t, fmt.Sprintf("%s?limit=%d", sites, i+1)).Want(t, http.StatusOK) })
		}
		lists.Go(func() {
			began := time.Now()
			found := s.Do(t, apitest.Call{Method: "GET", Path: "/search/?q=x", Token: admin.key,
				Header: map[string]string{"Accept": "text/html"}})
			if found.Status != http.StatusServiceUnavailable || time.Since(began) < 2*time.Second {
				found.Want(t, http.StatusOK)
			}
		})
	}
	for held := int64(0); held < connections/2; {
		held = awaiting(t, s)
	}
	for i := range 2 * connections {
		admin.get(t, at(tags, tag)).Want(t, http.StatusOK)
		admin.patch(t, tags, tag, obj{"description": fmt.Sprint(i)})
		s.Do(t, apitest.Call{Method: "POST", Path: provision, Body: obj{"username": "reader", "password": apitest.Password}}).
			Want(t, http.StatusCreated)
		s.Do(t, apitest.Call{Method: "GET", Path: "/readyz"}).Want(t, http.StatusOK)
	}
	if held := awaiting(t, s); held != connections/2 {
		t.Errorf("lists hold %d connections, want %d", held, connections/2)
	}
}

// TestActionsReadLikeLists holds that actions that read have the connections of lists: when they hang, change sets have theirs, and
// each waits its turn.
func TestActionsReadLikeLists(t *testing.T) {
	t.Parallel()
	const connections = 4
	s := apitest.NewWith(t, trial.Types(), func(cfg *app.Config) {
		cfg.DatabaseURL += fmt.Sprintf("&pool_max_conns=%d&statement_timeout=5min", connections)
	})
	admin := adminOf(s)
	_, reader := newActor(t, s, "reader", apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view"}})
	shelf := admin.create(t, shelves, obj{"name": "upper"})
	var reads sync.WaitGroup
	defer reads.Wait()
	defer lockTable(t, s, "trial_peg")()
	for range 2 * connections {
		for _, a := range []actor{admin, reader} {
			reads.Go(func() { a.get(t, at(shelves, shelf)+"free-pegs/").Want(t, http.StatusOK) })
		}
	}
	for held := int64(0); held < connections/2; {
		held = awaiting(t, s)
	}
	for i := range connections {
		admin.patch(t, shelves, shelf, obj{"places": i})
	}
	if held := awaiting(t, s); held != connections/2 {
		t.Errorf("actions that read hold %d connections, want %d", held, connections/2)
	}
}

// TestHealthWithoutRoom: when change sets use every connection that they may have, the health check and the start of a login still
// have theirs.
func TestHealthWithoutRoom(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(cfg *app.Config) { cfg.DatabaseURL += "&pool_max_conns=4&statement_timeout=5min" })
	admin := adminOf(s)
	_, writer := newActor(t, s, "writer", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add"}})
	var writes sync.WaitGroup
	defer writes.Wait()
	defer lockTable(t, s, "dcim_site")()
	for i := range 4 {
		writes.Go(func() { admin.create(t, sites, site(fmt.Sprint("S", i))) })
		writes.Go(func() { writer.create(t, sites, site(fmt.Sprint("W", i))) })
	}
	for held := int64(0); held < 3; {
		held = awaiting(t, s)
	}
	s.Do(t, apitest.Call{Method: "GET", Path: "/readyz"}).Want(t, http.StatusOK)
	s.Do(t, apitest.Call{Method: "POST", Path: provision, Body: obj{"username": "admin", "password": "wrong"}}).Want(t, http.StatusForbidden)
}

// TestReadyNamesWhatRequestsWaitFor: requests that wait for a budget are in the answer of /readyz, which stays 200.
func TestReadyNamesWhatRequestsWaitFor(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ready := func() string {
		return string(s.Do(t, apitest.Call{Method: "GET", Path: "/readyz"}).Want(t, http.StatusOK).Raw)
	}
	if text := ready(); text != "ready\n" {
		t.Errorf("while nothing waits: %q", text)
	}
	var releases []func()
	for user := range int64(2) {
		release, err := s.App.Store.Charge(t.Context(), access.Asker{User: 100 + user}, 56<<20)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	waits := make(chan error)
	go func() {
		release, err := s.App.Store.Charge(context.Background(), access.Asker{User: 1}, 1)
		if err == nil {
			release()
		}
		waits <- err
	}()
	text := ""
	for text != "ready\nwaiting for drafts: 1\n" {
		if text = ready(); text != "ready\n" && text != "ready\nwaiting for drafts: 1\n" {
			t.Fatalf("while one waits: %q", text)
		}
	}
	for _, release := range releases {
		release()
	}
	if err := <-waits; err != nil {
		t.Error(err)
	}
}
