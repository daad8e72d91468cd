package delivery

import (
	"context"
	"log/slog"
	"testing"
	"time"
)

// TestClockOffset: the uncertainty of a slow answer counts in favour of the clock.
func TestClockOffset(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return time.Date(2026, 1, 1, 0, 0, seconds, 0, time.UTC) }
	for name, test := range map[string]struct {
		database, before, after int
		offset                  time.Duration
	}{
		"the same":              {20, 20, 20, 0},
		"within a slow answer":  {27, 20, 30, 0},
		"ahead":                 {28, 20, 21, 7 * time.Second},
		"ahead of a slow one":   {38, 20, 30, 8 * time.Second},
		"behind":                {12, 20, 21, -8 * time.Second},
		"behind, by a slow one": {12, 20, 30, -8 * time.Second},
	} {
		if got := ClockOffset(at(test.database), at(test.before), at(test.after)); got != test.offset {
			t.Errorf("%s: %v, want %v", name, got, test.offset)
		}
	}
}

// TestClockAgreesByAQuickAnswer: a slow answer may prove a clock wrong but never right, so that a slow database does
// not make a worker stop and start over and over.
func TestClockAgreesByAQuickAnswer(t *testing.T) {
	t.Parallel()
	now, log := time.Now(), slog.New(slog.DiscardHandler)
	for _, test := range []struct {
		name        string
		wrong       bool // before
		ahead, took time.Duration
		then        bool
	}{
		{"right, and a slow answer", false, 4 * time.Second, 4 * time.Second, false},
		{"right, and a slow answer that proves it wrong", false, 10 * time.Second, 4 * time.Second, true},
		{"wrong, and a slow answer within which it would be right", true, 8 * time.Second, 4 * time.Second, true},
		{"wrong, and a quick answer", true, 4 * time.Second, quickAnswer, false},
		{"wrong, and a little too slow an answer", true, 4 * time.Second, quickAnswer + 1, true},
	} {
		c := clock{wrong: test.wrong}
		if c.note(now.Add(test.ahead), now, now.Add(test.took), log); c.wrong != test.then {
			t.Errorf("%s: wrong is %v", test.name, c.wrong)
		}
	}
}

// TestTimesOfAJob: River rescues no job that still runs, even when its leader's clock is ahead as far as allowed; and
// a worker that is being stopped has written every outcome before the process ends.
func TestTimesOfAJob(t *testing.T) {
	t.Parallel()
	if longest := jobTimeout + known; rescueAfter-ClockTolerance <= longest {
		t.Errorf("a job runs for %v, and is rescued after %v by a clock that is %v ahead", longest, rescueAfter, ClockTolerance)
	}
	if cancelAfter+known >= drain {
		t.Errorf("jobs are cancelled after %v and write their outcome for %v, and the worker ends after %v", cancelAfter, known, drain)
	}
}

// TestClockAwait: a waiter is woken when the clock starts or stops agreeing, and when its context ends.
func TestClockAwait(t *testing.T) {
	t.Parallel()
	var c clock
	now, log := time.Now(), slog.New(slog.DiscardHandler)
	if !c.await(t.Context(), true) {
		t.Error("a clock that was never compared does not agree")
	}
	woken := make(chan bool)
	wait := func(agrees bool) { go func() { woken <- c.await(t.Context(), agrees) }() }
	wait(false)
	c.note(now.Add(ClockTolerance), now, now, log)
	select {
	case <-woken:
		t.Error("a clock within the tolerance disagrees")
	default:
	}
	c.note(now.Add(ClockTolerance+1), now, now, log)
	if !<-woken {
		t.Error("the wait for a wrong clock was given up")
	}
	wait(true)
	c.note(now.Add(-ClockTolerance), now, now, log)
	if !<-woken {
		t.Error("the wait for the right clock was given up")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if c.await(ended, true) || c.await(ended, false) {
		t.Error("a wait that was ended went well")
	}
}
