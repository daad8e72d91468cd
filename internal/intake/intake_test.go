package intake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/fault"
)

// line is a connection on which pieces of a body arrive at an interval. It supports deadlines like a real one.
type line struct {
	http.ResponseWriter
	pieces, size int
	here         int // unread bytes of a piece
	interval     time.Duration
	deadline     time.Time
}

func (l *line) SetReadDeadline(t time.Time) error { l.deadline = t; return nil }
func (l *line) Close() error                      { return nil }

func (l *line) Read(p []byte) (int, error) {
	if l.here == 0 {
		if l.pieces == 0 {
			return 0, io.EOF
		}
		select {
		case <-time.After(l.interval):
		case <-time.After(time.Until(l.deadline)):
			return 0, os.ErrDeadlineExceeded
		}
		l.pieces--
		l.here = l.size
	}
	n := min(l.here, len(p))
	l.here -= n
	return n, nil
}

// send lets a body in that announces a length, -1 for none.
func send(ctx context.Context, g *Gate, l *line, announced int64, caller int64) (body io.Reader, leave func()) {
	l.ResponseWriter = httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", l)
	r.ContentLength = announced
	leave = g.Admit(l, r, Largest, caller)
	return r.Body, leave
}

func drain(body io.Reader) (int64, error) { return io.Copy(io.Discard, body) }

// TestSlowBodyIsEnded: after the grace a body must arrive at the minimum rate, and within the maximum time in all.
func TestSlowBodyIsEnded(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		line  line
		slow  bool
		ended time.Duration
	}{
		"a byte a second":            {line{pieces: 1000, size: 1, interval: time.Second}, true, grace},
		"nothing at all":             {line{pieces: 1, size: 1, interval: time.Hour}, true, grace},
		"below the rate":             {line{pieces: 1000, size: leastRate / 4, interval: time.Second}, true, 6500 * time.Millisecond},
		"a small one at the rate":    {line{pieces: 4, size: leastRate, interval: time.Second}, false, 4 * time.Second},
		"a small one, late":          {line{pieces: 1, size: 100, interval: 4 * time.Second}, false, 4 * time.Second},
		"a large one at the rate":    {line{pieces: 12, size: leastRate, interval: time.Second}, false, 12 * time.Second},
		"too long a one at the rate": {line{pieces: 100, size: leastRate, interval: time.Second}, true, mostTime},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				body, leave := send(t.Context(), New(), &row.line, int64(row.line.pieces*row.line.size), 1)
				defer leave()
				_, err := drain(body)
				if slow := fault.KindOf(err) == fault.Slow; slow != row.slow || !slow && err != nil {
					t.Errorf("error %v, want a slow one: %v", err, row.slow)
				}
				if took := time.Since(began).Round(100 * time.Millisecond); took != row.ended {
					t.Errorf("ended after %v, want %v", took, row.ended)
				}
				if err == nil && !row.line.deadline.IsZero() {
					t.Error("the deadline outlives the body")
				}
			})
		})
	}
}

// TestDrippingBodiesHoldNobodyUp: a sender who announces much and sends little takes no memory from others.
func TestDrippingBodiesHoldNobodyUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New()
		var slow sync.WaitGroup
		defer slow.Wait()
		for caller := range int64(40) {
			body, leave := send(t.Context(), g, &line{pieces: 1000, size: 100, interval: time.Second}, Largest, 100+caller)
			slow.Go(func() {
				defer leave()
				if _, err := drain(body); fault.KindOf(err) != fault.Slow {
					t.Errorf("a dripping body ended with %v", err)
				}
			})
		}
		synctest.Wait()
		for _, announced := range []int64{Largest, -1} {
			began := time.Now()
			body, leave := send(t.Context(), g, &line{pieces: Largest / Small, size: Small}, announced, 1)
			if n, err := drain(body); err != nil || n != Largest {
				t.Errorf("another's body: %d bytes, %v", n, err)
			}
			leave()
			if waited := time.Since(began); waited > 0 {
				t.Errorf("another's body waited %v", waited)
			}
		}
	})
}

// TestOneLargeBodyOfACallerAtOnce: the next waits until the first is done with, and no longer than the request may
// take. Small ones and other callers don't wait.
func TestOneLargeBodyOfACallerAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New()
		large := func(ctx context.Context, caller, announced int64) (func(), error) {
			body, leave := send(ctx, g, &line{pieces: 2, size: Small}, announced, caller)
			_, err := drain(body)
			return leave, err
		}
		first, err := large(t.Context(), 1, 2*Small)
		if err != nil {
			t.Fatal(err)
		}
		for _, announced := range []int64{2 * Small, -1} {
			brief, cancel := context.WithTimeout(t.Context(), time.Second)
			leave, err := large(brief, 1, announced)
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Throttled || e.RetryAfter == 0 {
				t.Errorf("a second large body: %v", err)
			}
			leave()
			cancel()
		}
		second := make(chan error)
		go func() {
			leave, err := large(t.Context(), 1, 2*Small)
			leave()
			second <- err
		}()
		synctest.Wait()
		began := time.Now()
		other, err := large(t.Context(), 2, 2*Small)
		if err != nil {
			t.Errorf("another caller: %v", err)
		}
		other()
		body, leave := send(t.Context(), g, &line{pieces: 1, size: Small}, Small, 1)
		if _, err := drain(body); err != nil {
			t.Errorf("a small body: %v", err)
		}
		leave()
		if waited := time.Since(began); waited > 0 {
			t.Errorf("others waited %v", waited)
		}
		first()
		if err := <-second; err != nil {
			t.Errorf("the next in turn: %v", err)
		}
		if g.turns.InUse() != 0 || g.turns.Waiting() != 0 {
			t.Errorf("%d large bodies are not done with", g.turns.InUse())
		}
	})
}

// TestArrivingBodiesAreBounded: however many send however much, the bytes in memory stay within the share and the
// reserve, and all bodies get in.
func TestArrivingBodiesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New()
		const each = 4 << 20
		done := make(chan error)
		for caller := range int64(20) {
			go func() {
				body, leave := send(t.Context(), g, &line{pieces: each / Small, size: Small, interval: 50 * time.Millisecond}, each, caller)
				_, err := drain(body)
				leave()
				done <- err
			}()
		}
		most := int64(0)
		for left := 20; left > 0; {
			select {
			case err := <-done:
				if left--; err != nil {
					t.Errorf("a body: %v", err)
				}
			case <-time.After(time.Second):
				most = max(most, g.arrivals.room.InUse())
			}
		}
		if most < arrivalRoom/2 || most > arrivalRoom {
			t.Errorf("the bodies held %d bytes, want them to share %d", most, arrivalRoom)
		}
		if g.arrivals.room.InUse()+g.arrivals.reserve.InUse()+g.large.InUse()+g.small.InUse() > 0 {
			t.Error("the bodies left something behind")
		}
	})
}

// records is the body of a bulk request: objects of about 450 bytes with a dozen values each.
func records(size int) []byte {
	one := `{"name":"Lisbon","slug":"lisbon","status":"active","region":{"id":7},"tags":[{"slug":"a"}],"comments":"` +
		strings.Repeat("x", 300) + `"},`
	return []byte("[" + strings.Repeat(one, size/len(one)) + "{}]")
}

// TestDecodedBodyTakesNoMemory: a body that is decoded has given its memory back, however long its request goes on, and while it is
// decoded it takes what it costs: strangers' bodies don't wait.
func TestDecodedBodyTakesNoMemory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New()
		var leaves []func() // called at the end of the test: each request waits for a lock
		defer func() {
			for _, leave := range leaves {
				leave()
			}
		}()
		for _, size := range []int{450 << 10, 50 << 10} {
			began := time.Now()
			for caller := range int64(60) {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPatch, "/", bytes.NewReader(records(size)))
				leaves = append(leaves, g.Admit(httptest.NewRecorder(), r, Largest, caller))
				if _, err := drain(r.Body); err != nil {
					t.Fatalf("body %d of %d bytes: %v", caller, size, err)
				}
				if caller >= 5 { // the first few are still being decoded
					_ = r.Body.Close()
				}
			}
			if waited := time.Since(began); waited > 0 {
				t.Errorf("bodies of %d bytes waited %v", size, waited)
			}
		}
	})
}

// TestDecodingIsCharged: bodies that become large when they are decoded wait for each other, and those of one caller don't keep
// others from small ones.
func TestDecodingIsCharged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := New()
		admit := func(caller int64, content []byte) (*http.Request, func(), error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", bytes.NewReader(content))
			leave := g.Admit(httptest.NewRecorder(), r, Largest, caller)
			_, err := drain(r.Body)
			return r, leave, err
		}
		costly := bytes.Repeat([]byte("1,"), 200<<10)
		first, leave, err := admit(1, costly)
		if err != nil {
			t.Fatal(err)
		}
		defer leave()
		_, leave, err = admit(2, costly)
		leave()
		if !errors.Is(err, errFull) {
			t.Errorf("a second body that becomes 20 MiB: %v", err)
		}
		_ = first.Body.Close()
		_, leave, err = admit(2, costly)
		leave()
		if err != nil {
			t.Errorf("after the first is decoded: %v", err)
		}
		var leaves []func()
		for range 20 { // of one caller, as costly as small bodies can be
			_, leave, _ := admit(3, bytes.Repeat([]byte("1,"), Small/2))
			leaves = append(leaves, leave)
		}
		_, leave, err = admit(4, []byte(`{"name":"Lisbon"}`))
		leaves = append(leaves, leave)
		if err != nil {
			t.Errorf("a small body of another caller: %v", err)
		}
		for _, leave := range leaves {
			leave()
		}
	})
}

// TestLongBodyIsRefused: by its announced length before anything is read, otherwise where it passes the limit.
func TestLongBodyIsRefused(t *testing.T) {
	t.Parallel()
	for _, announced := range []int64{Small + 1, -1} {
		l := &line{pieces: 2, size: Small - 1}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", l)
		r.ContentLength, l.ResponseWriter = announced, httptest.NewRecorder()
		leave := New().Admit(l, r, Small, 0)
		n, err := drain(r.Body)
		leave()
		if fault.KindOf(err) != fault.TooLarge || announced > 0 && n > 0 {
			t.Errorf("announced %d: %d bytes, %v", announced, n, err)
		}
	}
}
