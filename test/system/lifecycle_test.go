package system_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"terrier/internal/dbtest"
)

func TestServeRefusesUnmigratedDatabase(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.EmptyPool(t).Config().ConnString())
	out, code := in.Terrier("", "serve")
	if code != 1 || !strings.Contains(out, "terrier migrate") {
		t.Errorf("exit code %d and %q, want 1 and the command to run", code, out)
	}
	if out, code := in.Terrier("", "migrate"); code != 0 {
		t.Fatalf("migrate: exit code %d: %s", code, out)
	}
	if out, code := in.Terrier("", "migrate"); code != 0 {
		t.Fatalf("migrate again: exit code %d: %s", code, out)
	}
	in.Serve().Stop()
}

func TestServeRefusesBadSecretKeys(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	short := randomHex(24) // 48 characters
	for name, settings := range map[string][]string{
		"TERRIER_SECRET_KEY has 48 characters":          {"SECRET_KEY=" + short},
		"TERRIER_SECRET_KEY is not set":                 {"SECRET_KEY="},
		"TERRIER_SECRET_KEY_OLD: key 1 has 48 characte": {"SECRET_KEY_OLD=" + short},
	} {
		out, code := newInstall(t, database, settings...).Terrier("", "serve")
		if code != 1 || !strings.Contains(out, name) {
			t.Errorf("exit code %d and %q, want 1 and %q", code, out, name)
		}
		if strings.Contains(out, short) {
			t.Errorf("the message shows the key: %q", out)
		}
	}
}

func TestHealthNeedsNoAuthentication(t *testing.T) {
	t.Parallel()
	s := newInstall(t, dbtest.New(t), "LOGIN_REQUIRED=true").Serve()
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := s.Get(path, ""); a.Status != http.StatusOK {
			t.Errorf("%s: %v", path, a)
		}
	}
	s.Get("/api/dcim/sites/", "").Want(t, http.StatusForbidden)
}

// TestTerminationIsAnnounced: a load balancer has time to notice the termination before the server stops accepting requests.
func TestTerminationIsAnnounced(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.New(t), "SHUTDOWN_DELAY=20s")
	s := in.Serve()
	s.Get("/readyz", "").Want(t, http.StatusOK)
	s.Signal(syscall.SIGTERM)
	eventually(t, "the server should say that it is not ready", func() bool {
		return s.Get("/readyz", "").Status == http.StatusServiceUnavailable
	})
	answer, err := http.Get(s.Base + "/healthz")
	if err != nil {
		t.Fatalf("it should still answer: %v", err)
	}
	_ = answer.Body.Close() // it is empty or short, and we are done
	if answer.StatusCode != http.StatusOK || !answer.Close {
		t.Errorf("%s, connection closed: %v", answer.Status, answer.Close)
	}
	s.Signal(syscall.SIGTERM) // the second signal ends the wait
	<-s.Ended
}

// TestTerminationFinishesRequestsUnderWay: requests that were accepted are answered, and then the process ends with success.
func TestTerminationFinishesRequestsUnderWay(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	in := newInstall(t, database)
	in.User("admin", "right password", "--superuser")
	admin := in.Token("admin")
	pool := connect(t, database)
	s := in.Serve()

	// The requests wait for a lock until the test releases it.
	tx, err := pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }() // if the test fails; the pool waits for it
	if _, err := tx.Exec(t.Context(), "LOCK TABLE dcim_site IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	read, written := make(chan answer, 1), make(chan answer, 1)
	go func() { read <- s.Get("/api/dcim/sites/", admin) }()
	go func() {
		written <- s.Do(http.MethodPost, "/api/dcim/sites/", admin, object{"name": "last", "slug": "last"})
	}()
	eventually(t, "both requests should wait for the lock", func() bool {
		return number(t, pool, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 2
	})
	s.Signal(syscall.SIGTERM)
	eventually(t, "the server should take no more connections", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.Base, "http://"))
		if err != nil {
			return true
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		return false
	})
	select {
	case <-s.Ended:
		t.Fatalf("the server did not wait for the requests under way:\n%s", s.Log())
	case a := <-read:
		t.Fatalf("the reading request did not wait: %v", a)
	case a := <-written:
		t.Fatalf("the writing request did not wait: %v", a)
	default:
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := <-read; a.Status != http.StatusOK {
		t.Errorf("the reading request: %v", a)
	}
	if a := <-written; a.Status != http.StatusCreated {
		t.Errorf("the writing request: %v", a)
	}
	if code := s.ExitCode(); code != 0 {
		t.Errorf("exit code %d:\n%s", code, s.Log())
	}
	if n := number(t, pool, "SELECT count(*) FROM dcim_site"); n != 1 {
		t.Errorf("%d sites, want the one that was acknowledged", n)
	}
}
