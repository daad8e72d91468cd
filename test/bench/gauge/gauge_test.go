package gauge

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestWireCounts(t *testing.T) {
	t.Parallel()
	message := func(kind string, body string) string {
		return kind + string(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4))) + body
	}
	sent := message("", "startup") + message("Q", "begin") + message("P", "select") + message("B", "") + message("E", "") +
		message("B", "") + message("E", "") + message("S", "") + message("X", "")
	var passed bytes.Buffer
	w := &Wire{}
	if err := w.forward(&passed, strings.NewReader(sent)); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if passed.String() != sent {
		t.Error("the messages did not pass unchanged")
	}
	if w.Statements.Load() != 3 || w.Trips.Load() != 2 {
		t.Errorf("counted %d statements in %d round trips, want 3 in 2", w.Statements.Load(), w.Trips.Load())
	}
}

// TestOpenLoopDoesNotWait checks that work that hangs does not delay the work after it, as it would in a closed loop.
func TestOpenLoopDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		begun := make([]time.Duration, 10)
		failure := errors.New("the third fails")
		err := OpenLoop(t.Context(), 10, time.Second, func(n int, due time.Time) error {
			begun[n] = time.Since(began)
			if late := time.Since(due); late != 0 {
				t.Errorf("number %d began %v late", n, late)
			}
			<-time.After(5 * time.Second)
			if n == 3 {
				return failure
			}
			return nil
		})
		if !errors.Is(err, failure) {
			t.Errorf("the error is %v", err)
		}
		for n, at := range begun {
			if want := time.Duration(n) * 100 * time.Millisecond; at != want {
				t.Errorf("number %d began at %v, want %v", n, at, want)
			}
		}
		if took := time.Since(began); took != 5900*time.Millisecond {
			t.Errorf("it took %v: the last one was not awaited", took)
		}
	})
}

// accounted returns the processor time that this process has used, from another source.
func accounted(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func TestProcessTime(t *testing.T) {
	t.Parallel()
	before := ProcessTime(os.Getpid())
	if before == 0 {
		t.Fatal("this process has used no processor time")
	}
	for began := accounted(t); accounted(t)-began < 30*time.Millisecond; { // however long it takes on a busy machine
		continue
	}
	if used := ProcessTime(os.Getpid()) - before; used < 5*time.Millisecond {
		t.Errorf("30 ms of processor time cost %v", used)
	}
	if used := ProcessTime(1 << 22); used != 0 {
		t.Errorf("a process that does not exist has used %v", used)
	}
}

// TestSince checks that processes which start and end during a measurement never reduce the sum.
func TestSince(t *testing.T) {
	t.Parallel()
	type used = map[int]time.Duration
	for name, c := range map[string]struct {
		before, now used
		ended, want time.Duration
	}{
		"all live":                       {used{1: 5, 2: 100}, used{1: 7, 2: 130}, 0, 32},
		"one began":                      {used{1: 5}, used{1: 5, 3: 9}, 0, 9},
		"one ended":                      {used{1: 5, 2: 100}, used{1: 6}, 130, 31},
		"one began and ended":            {used{1: 5}, used{1: 5}, 20, 20},
		"one ended before it was read":   {used{1: 5, 2: 100}, used{1: 6}, 0, 1},
		"one ended while all were read":  {used{1: 5, 2: 100}, used{1: 6, 2: 0}, 0, 1},
		"its end was counted in ticks":   {used{1: 5, 2: 109}, used{1: 6}, 100, 1},
		"one ended at the first reading": {used{1: 5, 2: 0}, used{1: 6}, 0, 1},
	} {
		if got := since(c.before, c.now, c.ended); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestLongIdleConnection checks that a connection that the server may have closed is not used again, and that others are.
func TestLongIdleConnection(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &Side{Address: l.Addr().String()}
	t.Cleanup(s.Close)
	first, err := s.take()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		idle time.Duration
		same bool
	}{{keepIdle / 2, true}, {keepIdle, false}} {
		s.give(first)
		first.idleSince = time.Now().Add(-test.idle)
		next, err := s.take()
		if err != nil || (next == first) != test.same {
			t.Errorf("idle for %v: the same connection %v, %v", test.idle, next == first, err)
		}
	}
}

func TestObey(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var done []string
	err := Obey(strings.NewReader("start\nfail\n"), &out, "127.0.0.1:1", func(command string) error {
		done = append(done, command)
		if command == "fail" {
			return errors.New("it\nfailed")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "ok 127.0.0.1:1\nok\nit failed\n"; got != want {
		t.Errorf("answered %q, want %q", got, want)
	}
	if strings.Join(done, " ") != "start fail" {
		t.Errorf("did %v", done)
	}
}
