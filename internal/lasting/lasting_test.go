package lasting_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/lasting"
)

// TestContext: it outlives a deadline, but not a client who disconnects, nor its own limit.
func TestContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		request, disconnect := context.WithTimeout(t.Context(), 25*time.Second)
		defer disconnect()
		ctx, cancel := lasting.Context(request, time.Minute)
		defer cancel()
		<-request.Done()
		synctest.Wait()
		if ctx.Err() != nil {
			t.Errorf("it ended with the request's time: %v", ctx.Err())
		}
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			t.Errorf("it ended by %v", ctx.Err())
		}
	})
	synctest.Test(t, func(t *testing.T) {
		request, disconnect := context.WithTimeout(t.Context(), 25*time.Second)
		ctx, cancel := lasting.Context(request, time.Minute)
		defer cancel()
		disconnect()
		synctest.Wait()
		if !errors.Is(ctx.Err(), context.Canceled) {
			t.Errorf("the client has disconnected, and it goes on: %v", ctx.Err())
		}
	})
}

// TestWriter: an answer that takes longer than the server's time to write still arrives whole.
func TestWriter(t *testing.T) {
	t.Parallel()
	answer := func(through func(http.ResponseWriter) io.Writer) (string, error) {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			<-time.After(50 * time.Millisecond)
			_, _ = io.WriteString(through(w), "all of it")
		}))
		server.Config.WriteTimeout = 10 * time.Millisecond
		server.Start()
		defer server.Close()
		got, err := server.Client().Get(server.URL)
		if err != nil {
			return "", err
		}
		defer func() { _ = got.Body.Close() }()
		body, err := io.ReadAll(got.Body)
		return string(body), err
	}
	if got, err := answer(lasting.Writer); err != nil || got != "all of it" {
		t.Errorf("got %q (%v)", got, err)
	}
	if got, err := answer(func(w http.ResponseWriter) io.Writer { return w }); err == nil {
		t.Errorf("without it the answer arrives too: %q", got)
	}
}

// line is a connection to a client that reads at some rate, in bytes a second, and nothing at all at first.
type line struct {
	http.ResponseWriter
	asleep   time.Duration
	rate     int
	deadline time.Time
}

func (l *line) SetWriteDeadline(at time.Time) error {
	l.deadline = at
	return nil
}

func (l *line) Write(b []byte) (int, error) {
	ready := time.Now().Add(l.asleep + time.Duration(len(b))*time.Second/time.Duration(l.rate))
	l.asleep = 0
	if ready.After(l.deadline) {
		<-time.After(time.Until(l.deadline))
		return 0, os.ErrDeadlineExceeded
	}
	<-time.After(time.Until(ready))
	return len(b), nil
}

// TestLargeWrite: a slow client gets a large piece of an answer as long as it reads something.
func TestLargeWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		large := make([]byte, 16<<20)
		slow := &line{rate: len(large) / int(3*lasting.Stall.Seconds())}
		if n, err := lasting.StreamWriter(slow).Write(large); n != len(large) || err != nil {
			t.Errorf("%d of %d bytes were written: %v", n, len(large), err)
		}
	})
}

// TestPacedWriter: a client may read nothing for a while, but not read slowly for ever. A slow server is not the client's fault.
func TestPacedWriter(t *testing.T) {
	piece := make([]byte, 64<<10)
	for name, c := range map[string]struct {
		client line
		server time.Duration // between writes
		ends   time.Duration // 0: never
	}{
		"at the rate":                {line{rate: lasting.LeastRate}, 0, 0},
		"at half the rate":           {line{rate: lasting.LeastRate / 2}, 0, 2 * lasting.Stall},
		"asleep":                     {line{rate: lasting.LeastRate, asleep: time.Hour}, 0, lasting.Stall},
		"asleep for a while":         {line{rate: lasting.LeastRate, asleep: lasting.Stall - time.Second}, 0, 0},
		"asleep, and then too slow":  {line{rate: lasting.LeastRate / 2, asleep: lasting.Stall / 2}, 0, lasting.Stall * 3 / 2},
		"at the rate, a slow server": {line{rate: lasting.LeastRate}, time.Minute, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, began := lasting.PacedWriter(&c.client, lasting.Stall), time.Now()
				var err error
				for n := 0; n < 1_000 && err == nil; n++ {
					_, err = out.Write(piece)
					<-time.After(c.server)
				}
				took := time.Since(began)
				if c.ends == 0 && err != nil || c.ends > 0 && (err == nil || (took-c.ends).Abs() > time.Second) {
					t.Errorf("it ended after %v with %v, want %v", took, err, c.ends)
				}
			})
		})
	}
}

// TestStream: it outlives the time of a request and the server's times to read and to write, and ends when the client disconnects.
func TestStream(t *testing.T) {
	t.Parallel()
	const limit = time.Second // not less: on a busy machine the handler may begin late
	ended := make(chan error, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request, cancel := lasting.Within(r.Context(), limit)
		defer cancel()
		ctx, cancel := lasting.Stream(w, r.WithContext(request))
		defer cancel()
		<-request.Done()
		<-time.After(limit / 2)
		alive := ctx.Err() // asked before the client has what it waits for, and disconnects
		_, err := io.WriteString(lasting.Writer(w), "later\n")
		if err := errors.Join(alive, err, http.NewResponseController(w).Flush()); err != nil {
			ended <- err
			return
		}
		<-ctx.Done()
		ended <- nil
	}))
	server.Config.ReadTimeout, server.Config.WriteTimeout = limit, limit
	server.Start()
	defer server.Close()
	got, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("later\n"))
	if _, err := io.ReadFull(got.Body, line); err != nil || string(line) != "later\n" {
		t.Errorf("got %q (%v)", line, err)
	}
	_ = got.Body.Close() // the client disconnects
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
