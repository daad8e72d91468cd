package background_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/background"
)

func logger() (*slog.Logger, *bytes.Buffer) {
	var log bytes.Buffer
	return slog.New(slog.NewTextHandler(&log, nil)), &log
}

// TestAPanicIsAnError: it is logged once with the stack, counted under its name, and returned. An error stays what it is.
func TestAPanicIsAnError(t *testing.T) {
	t.Parallel()
	log, lines := logger()
	before := background.Panics()["try"]
	var p *background.Panic
	if err := background.Try(log, "try", func() error { panic("boom") }); !errors.As(err, &p) || p.In != "try" || p.Value != "boom" {
		t.Errorf("it returned %v", err)
	}
	if background.Panics()["try"] != before+1 {
		t.Errorf("counted: %v", background.Panics())
	}
	for _, want := range []string{"in=try", "panic=boom", "TestAPanicIsAnError"} {
		if strings.Count(lines.String(), want) == 0 {
			t.Errorf("the log lacks %s: %s", want, lines)
		}
	}
	other := errors.New("no panic")
	if err := background.Try(log, "try", func() error { return other }); !errors.Is(err, other) || background.Panics()["try"] != before+1 {
		t.Errorf("an error became %v", err)
	}
	if err := <-background.Start(log, "start", func() error { panic("boom") }); !errors.As(err, &p) {
		t.Errorf("started, it ended with %v", err)
	}
}

// TestALoopGoesOn: it is called again after a second, then after longer pauses, and after a second again once it has run for long.
func TestALoopGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, _ := logger()
		ctx, stop := context.WithCancel(t.Context())
		g := &background.Group{Log: log}
		var at []time.Duration
		began := time.Now()
		g.Loop(ctx, "loop", func(ctx context.Context) {
			if at = append(at, time.Since(began)); len(at) == 4 {
				<-time.After(2 * time.Minute)
			}
			if len(at) < 6 {
				panic("boom")
			}
			<-ctx.Done()
		})
		<-time.After(time.Hour)
		stop()
		g.Wait()
		want := []time.Duration{0, 1, 3, 7, 128, 130}
		for i := range want {
			if len(at) != len(want) || at[i] != want[i]*time.Second {
				t.Fatalf("it was called after %v, want %v seconds", at, want)
			}
		}
	})
}

// TestALoopEndsWhileItPauses: whoever waits for the group does not wait for the pause.
func TestALoopEndsWhileItPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log, _ := logger()
		ctx, stop := context.WithCancel(t.Context())
		g := &background.Group{Log: log}
		g.Loop(ctx, "loop", func(context.Context) { panic("boom") })
		synctest.Wait()
		began := time.Now()
		stop()
		g.Wait()
		if waited := time.Since(began); waited != 0 {
			t.Errorf("it ended after %v", waited)
		}
	})
}

// TestOneGoroutineOfMany: a panic in one ends neither the others nor the wait for them.
func TestOneGoroutineOfMany(t *testing.T) {
	t.Parallel()
	log, _ := logger()
	g := &background.Group{Log: log}
	done := make(chan int, 2)
	g.Go("one of many", func() { done <- 1 })
	g.Go("one of many", func() { panic("boom") })
	g.Go("one of many", func() { done <- 3 })
	g.Wait()
	if len(done) != 2 {
		t.Errorf("%d of the others ended", len(done))
	}
}

// TestFailures: the first error of each kind in a row is new, also one that comes after another. A success ends the row.
func TestFailures(t *testing.T) {
	t.Parallel()
	var f background.Failures
	for i, step := range []struct {
		err string
		new bool
	}{
		{"", false},
		{"127.0.0.1:41234: connection refused", true},
		{"127.0.0.1:5432: connection refused", false},
		{"permission denied for table river_job", true},
		{"127.0.0.1:999: connection refused", false},
		{"permission denied for table river_job", false},
		{"", false},
		{"permission denied for table river_job", true},
	} {
		var err error
		if step.err != "" {
			err = errors.New(step.err)
		}
		if got := f.New(err); got != step.new {
			t.Errorf("step %d: %q is new: %t", i, step.err, got)
		}
	}
}
