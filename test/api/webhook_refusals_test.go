package api_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
)

// TestConstraintByUUID: a delivery's id is a UUID in the constraints of a permission too.
func TestConstraintByUUID(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	d := p.of(t, p.a, 0)
	for _, key := range []string{"id", "pk", "id__in"} {
		p.admin.do(t, "POST", grants, obj{"name": key, "object_types": []string{"extras.delivery"}, "actions": []string{"view"},
			"constraints": obj{key: d["id"]}}).Want(t, http.StatusCreated)
	}
}

// TestEmptyListRetriesNothing: an empty list in the filter of a bulk retry is refused, and so is an unknown filter:
// neither may mean all deliveries.
func TestEmptyListRetriesNothing(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	for _, filter := range []obj{{"webhook_id": []any{}}, {"no_such_filter": []any{}}} {
		p.fail(t, "TRUE")
		a := p.admin.do(t, "POST", deliveries+"retry/", obj{"filter": filter})
		if n := len(p.list(t, "state=queued")); n != 0 {
			t.Errorf("%v queued %d deliveries: %d %s", filter, n, a.Status, a.Raw)
		}
	}
}

// TestUnreadableHeaders: headers that can't be decrypted fail no request about their webhook, nor the lists of
// webhooks and queues.
func TestUnreadableHeaders(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, webhooks, hook("w", "additional_headers", "A: b"))
	admin.create(t, webhooks, hook("other"))
	exec(t, s, "UPDATE extras_webhook SET additional_headers_sealed = 'x' WHERE id = $1", id)
	for _, call := range [][3]string{{"PATCH", at(webhooks, id), `{"max_retries":7}`}, {"POST", at(webhooks, id) + "pause/", ""},
		{"GET", webhooks, ""}, {"GET", queues, ""}} {
		r := httptest.NewRequest(call[0], s.URL+call[1], strings.NewReader(call[2]))
		r.Header.Set("Authorization", "Token "+s.Admin)
		w := httptest.NewRecorder()
		s.App.Handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Errorf("%s %s: %d", call[0], call[1], w.Code)
		}
	}
	t.Logf("max_retries is %d, paused: %t", one[int64](t, s, "SELECT max_retries FROM extras_webhook WHERE id = $1", id),
		one[bool](t, s, "SELECT EXISTS (SELECT FROM extras_webhook_pause)"))
}

// TestRetryTwiceAtOnce: of two retries at once one succeeds; the other says that the delivery has not failed.
func TestRetryTwiceAtOnce(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	d := p.of(t, p.a, 0)
	p.fail(t, "TRUE")
	tx, err := p.s.DB.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM extras_delivery FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	answers := make(chan int)
	for range 2 {
		go func() { answers <- p.admin.do(t, "POST", deliveryAt(d)+"retry/", nil).Status }()
	}
	for deadline := time.Now().Add(10 * time.Second); one[int64](t, p.s,
		"SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") < 2; {
		if time.Now().After(deadline) {
			t.Fatal("nobody waits")
		}
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := []int{<-answers, <-answers}
	if slices.Sort(got); fmt.Sprint(got) != "[202 400]" {
		t.Errorf("answers %v, want 202 and 400", got)
	}
}

// TestLongSecret: the length of a secret is limited.
func TestLongSecret(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"secret", "previous_secret"} {
		if a := adminOf(apitest.New(t)).do(t, "POST", webhooks,
			hook("w", field, strings.Repeat("x", 900_000))); a.Status != http.StatusBadRequest {
			t.Errorf("%s of 900,000 characters: %d", field, a.Status)
		}
	}
}
