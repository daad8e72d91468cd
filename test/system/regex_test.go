package system_test

import (
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"terrier/internal/dbtest"
)

// TestTerminationDuringABadExpression: a regular expression that was saved when there were no limits, with texts that would keep it busy
// for minutes, delays neither the answers nor the end of the process.
func TestTerminationDuringABadExpression(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	in := newInstall(t, database)
	in.User("admin", "right password", "--superuser")
	admin := in.Token("admin")
	s := in.Serve()
	s.Do(http.MethodPost, "/api/extras/custom-fields/", admin,
		object{"name": "bad", "content_types": []string{"dcim.site"}, "type": "longtext"}).Want(t, http.StatusCreated)
	s.Do(http.MethodPost, "/api/dcim/sites/", admin, object{"name": "a", "slug": "a"}).Want(t, http.StatusCreated)
	pool := connect(t, database)
	bad := "(?:" + strings.Repeat("a?", 240) + "){1000}"
	if _, err := pool.Exec(t.Context(), "UPDATE extras_customfield SET validation_regex = $1, version = version + 1", bad); err != nil {
		t.Fatal(err)
	}
	// The stored expression does not block other changes.
	s.Do(http.MethodPatch, "/api/dcim/sites/1/", admin, object{"description": "b"}).Want(t, http.StatusOK)
	s.Do(http.MethodPatch, "/api/extras/custom-fields/1/", admin, object{"label": "Bad"}).Want(t, http.StatusOK)
	s.Get("/api/dcim/sites/?cf_bad=x", admin).Want(t, http.StatusOK)

	var requests sync.WaitGroup
	for range 4 {
		requests.Go(func() {
			a := s.Do(http.MethodPatch, "/api/dcim/sites/1/", admin, object{"custom_fields": object{"bad": strings.Repeat("a", 30_000)}})
			if a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "validation_regex can't be used") {
				t.Errorf("a text for the bad expression: %v", a)
			}
		})
	}
	answered := make(chan struct{})
	go func() {
		requests.Wait()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(10 * time.Second):
		t.Error("the expression still runs after 10 s")
	}
	stop := time.Now()
	s.Signal(syscall.SIGTERM)
	<-s.Ended
	if took := time.Since(stop); took > 30*time.Second {
		t.Errorf("the process ended after %v:\n%s", took, s.Log())
	}
	<-answered
}
