package store_test

import (
	"testing"
	"time"

	"terrier/test/storetest"
)

// TestTakeTurns: turns follow each other at their distance, whoever asks. Idle time is not made up for, too late a turn is
// not taken, and a clock that was set back stops nothing.
func TestTakeTurns(t *testing.T) {
	t.Parallel()
	s, _, db := storetest.Open(t, nil)
	const apart = 10 * time.Second
	take := func(webhook int64, n int, within time.Duration) (time.Duration, bool) {
		t.Helper()
		first, ok, err := s.TakeTurns(t.Context(), webhook, n, apart, within)
		if err != nil {
			t.Fatal(err)
		}
		return first, ok
	}
	set := func(ahead string) {
		t.Helper()
		_, err := db.Exec(t.Context(), "UPDATE extras_webhook_pace SET next_at = clock_timestamp() + $1::interval WHERE webhook_id = 7", ahead)
		if err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, got time.Duration, ok bool, ahead time.Duration) {
		t.Helper()
		if !ok || got > ahead || got < ahead-5*time.Second { // a slow machine
			t.Errorf("%s: in %s, %t; want %s", what, got, ok, ahead)
		}
	}
	got, ok := take(7, 2, time.Minute)
	want("the first", got, ok, 0)
	got, ok = take(7, 1, time.Minute)
	want("after two", got, ok, 2*apart)
	got, ok = take(8, 1, time.Minute)
	want("another webhook", got, ok, 0)
	if got, ok = take(7, 1, 3*apart-6*time.Second); ok {
		t.Errorf("too late: taken in %s", got)
	}
	got, ok = take(7, 1, 3*apart)
	want("nothing was taken meanwhile", got, ok, 3*apart)
	set("-1 hour")
	got, ok = take(7, 3, time.Minute)
	want("after an hour without any", got, ok, 0)
	got, ok = take(7, 1, time.Minute)
	want("after three", got, ok, 3*apart)
	set("1 hour")
	got, ok = take(7, 1, time.Second)
	want("after the clock was set back by an hour", got, ok, 0)
}
