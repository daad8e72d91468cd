package system_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"terrier/internal/dbtest"
)

// listener reads a stream of changes, over as many connections as it takes.
type listener struct {
	key  string
	last string                      // the id of the last event
	each func(id int64, change bool) // called with each id
}

// streams are connections without a limit of time, one for each stream.
var streams = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// listen reads one connection to its end and returns why it has ended: io.EOF if the server ended the answer properly.
func (l *listener) listen(ctx context.Context, base string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/extras/feed/", nil)
	if err != nil {
		return err
	}
	r.Header = http.Header{"Authorization": {"Token " + l.key}, "Accept": {"text/event-stream"}, "Last-Event-Id": {l.last}}
	answer, err := streams.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	lines := bufio.NewScanner(answer.Body)
	for data := false; lines.Scan(); {
		switch id, isID := strings.CutPrefix(lines.Text(), "id: "); {
		case isID:
			l.last = id
		case strings.HasPrefix(lines.Text(), "data: "):
			data = true
		case lines.Text() == "":
			id, err := strconv.ParseInt(l.last, 10, 64)
			if err != nil {
				return err
			}
			l.each(id, data)
			data = false
		}
	}
	if lines.Err() == nil {
		return io.EOF
	}
	return lines.Err()
}

func newSite(name string) object { return object{"name": name, "slug": name} }

// TestLiveResumesAfterKills: a reader that connects to another server when one is killed gets every change once and in order.
func TestLiveResumesAfterKills(t *testing.T) {
	t.Parallel()
	const kills, sites = 4, 15
	database := dbtest.New(t)
	in := newInstall(t, database)
	in.User("admin", "right password", "--superuser")
	admin := in.Token("admin")
	pool := connect(t, database)
	servers := []*server{in.Serve(), in.Serve()}
	newest := func() int64 { return int64(number(t, pool, "SELECT newest FROM extras_sequencer")) }

	var mu sync.Mutex
	var got []int64
	at := servers[0] // where the reader is
	l := &listener{key: admin, last: strconv.FormatInt(newest(), 10)}
	first := newest()
	l.each = func(id int64, change bool) {
		mu.Lock()
		defer mu.Unlock()
		if change {
			got = append(got, id)
		}
	}
	seen := func() int { mu.Lock(); defer mu.Unlock(); return len(got) }
	ctx, stop := context.WithCancel(t.Context())
	var reader sync.WaitGroup
	reader.Go(func() {
		for ctx.Err() == nil {
			mu.Lock()
			base := at.Base
			mu.Unlock()
			if errors.Is(l.listen(ctx, base), io.EOF) {
				t.Error("a server ended the stream, which nobody stopped")
			}
		}
	})
	for kill := range kills {
		victim, other := servers[kill%2], servers[1-kill%2]
		before := seen()
		for n := range sites { // the kill comes in the middle of them
			name := fmt.Sprintf("site-%d-%d", kill, n)
			other.Do(http.MethodPost, "/api/dcim/sites/", admin, newSite(name)).Want(t, http.StatusCreated)
			if n == sites/2 {
				eventually(t, "the reader should have got some", func() bool { return seen() > before })
				mu.Lock()
				at = other
				mu.Unlock()
				victim.Kill()
				servers[kill%2] = in.Serve()
			}
		}
	}
	eventually(t, "all changes should have positions", func() bool {
		return newest() == int64(number(t, pool, "SELECT count(*) FROM extras_objectchange"))
	})
	want := int(newest() - first)
	eventually(t, "the reader should have got all", func() bool { return seen() >= want })
	stop()
	reader.Wait()
	for i, id := range got {
		if id != first+int64(i)+1 {
			t.Fatalf("number %d is %d, after %d: %v", i, id, first, got)
		}
	}
	if len(got) != want || want < kills*sites {
		t.Errorf("got %d changes, want %d", len(got), want)
	}
}

// TestTerminationEndsStreams: a server that stops ends its streams properly and does not wait for their clients.
func TestTerminationEndsStreams(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.New(t))
	in.User("admin", "right password", "--superuser")
	s := in.Serve()
	begun, ended := make(chan struct{}, 1), make(chan error, 1)
	l := &listener{key: in.Token("admin"), each: func(int64, bool) { begun <- struct{}{} }}
	go func() { ended <- l.listen(t.Context(), s.Base) }()
	<-begun
	began := time.Now()
	s.Signal(syscall.SIGTERM)
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("the stream ended with %v", err)
	}
	if <-s.Ended; s.ExitCode() != 0 || time.Since(began) > 10*time.Second {
		t.Errorf("the server ended with %d after %v", s.ExitCode(), time.Since(began))
	}
}
