package api_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"terrier/internal/dbtest"
	"terrier/test/apitest"
)

// TestLargeBodyBehindALock: a large body that waits for a row lock keeps nothing that the large bodies of others need.
func TestLargeBodyBehindALock(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	site := admin.create(t, sites, obj{"name": "Lisbon", "slug": "lisbon"})
	_, stranger := newActor(t, s, "stranger", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add"}})
	// The parts that Terrier does not know cost as much to read and decode as the others, and nothing to write.
	large := func(size int) []obj { return []obj{{"filler": strings.Repeat("text, ", size/6)}} }
	post := func(slug string) time.Duration { // returns the best of three
		least := time.Hour
		for _, slug := range []string{slug + "-1", slug + "-2", slug + "-3"} {
			body := large(460 << 10)
			body[0]["name"], body[0]["slug"] = slug, slug
			began := time.Now()
			stranger.do(t, "POST", sites, body).Want(t, http.StatusCreated)
			least = min(least, time.Since(began))
		}
		return least
	}
	idle := post("idle")

	tx, err := s.DB.Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), "SELECT 1 FROM dcim_site WHERE id = $1 FOR UPDATE", site)
	}
	if err != nil {
		t.Fatal(err)
	}
	var stuck sync.WaitGroup
	stuck.Go(func() {
		body := large(450 << 10)
		body[0]["id"], body[0]["facility"] = site, "B2"
		admin.do(t, "PATCH", sites, body).Want(t, http.StatusOK)
	})
	dbtest.AwaitWaiters(t, s.DB, 1)
	busy := post("busy") // would wait for the one that waits for the lock
	if err := tx.Rollback(context.Background()); err != nil {
		t.Error(err)
	}
	stuck.Wait()
	t.Logf("460 KB: %v, beside one behind a lock %v", idle, busy)
	if busy > 2*idle+100*time.Millisecond {
		t.Errorf("460 KB took %v, and %v while another body waits for a lock", idle, busy)
	}
}
