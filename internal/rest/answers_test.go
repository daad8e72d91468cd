package rest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"terrier/internal/access"
	"terrier/internal/ledger"
)

// TestLargeAnswersTakeTurns: large answers wait for each other, those of one caller one by one, and a caller who
// gives up leaves nothing behind.
func TestLargeAnswersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAnswers()
		type entry struct {
			leave func()
			err   error
			in    bool
		}
		enter := func(ctx context.Context, user int64) *entry {
			e := &entry{}
			go func() {
				e.leave, e.err = a.enter(ctx, ledger.Caller{Subject: &access.Subject{UserID: user}})
				e.in = e.err == nil
			}()
			synctest.Wait()
			return e
		}
		ctx, giveUp := context.WithCancel(t.Context())
		alice, again, bob := enter(t.Context(), 1), enter(t.Context(), 1), enter(t.Context(), 2)
		carol, impatient := enter(t.Context(), 3), enter(ctx, 1)
		if !alice.in || again.in || !bob.in || carol.in || impatient.in {
			t.Fatalf("in are %v %v %v %v %v", alice.in, again.in, bob.in, carol.in, impatient.in)
		}
		giveUp()
		synctest.Wait()
		if impatient.err == nil {
			t.Error("who gave up is not told so")
		}
		alice.leave()
		alice.leave() // twice is once
		synctest.Wait()
		if again.in || !carol.in {
			t.Errorf("after the first: the same caller again %v, the one who waited %v", again.in, carol.in)
		}
		for _, e := range []*entry{bob, carol} {
			e.leave()
		}
		synctest.Wait()
		if !again.in {
			t.Fatal("the second of one caller never had its turn")
		}
		again.leave()
		if len(a.callers) != 0 || !a.room.TryAcquire(largeAnswers) {
			t.Errorf("left behind: %d callers", len(a.callers))
		}
	})
}

// TestBusy: a caller who is delayed by others gets 503, with the time after which to try again.
func TestBusy(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	new(API).Fail(w, httptest.NewRequest(http.MethodGet, "/api/dcim/sites/", http.NoBody), errCrowded)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), "Try again") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
