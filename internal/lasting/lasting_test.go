package lasting_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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
