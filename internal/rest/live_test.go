package rest

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/feed"
	"terrier/internal/lasting"
	"terrier/internal/store"
)

// told is a source that has some changes, and then nothing.
type told struct {
	changes  []*feed.Change
	silences int
	position int64
}

func (s *told) Position() int64 { return s.position }

func (s *told) Next(context.Context) ([]*feed.Change, error) {
	switch {
	case len(s.changes) > 0:
		next := s.changes
		s.changes = nil
		return next, nil
	case s.silences == 0:
		return nil, feed.ErrEnded
	}
	s.silences--
	s.position += 5
	return nil, nil
}

// TestStream: an event has the position as its id and the change on one line. A silence is a comment, with the position that the client
// has reached, and no event.
func TestStream(t *testing.T) {
	t.Parallel()
	c := store.Positioned{Position: 12, Past: store.Past{Action: store.Deleted, ObjectType: "dcim.site", ObjectID: 7, Version: 3,
		Data: []byte("{\"note\":\r\n \"a\\nb\"}")}}
	var sent strings.Builder
	s := &stream{to: &sent, flush: func() error { return nil }}
	err := s.run(t.Context(), &told{changes: []*feed.Change{{Positioned: c}}, silences: 2, position: 11})
	if !errors.Is(err, feed.ErrEnded) {
		t.Errorf("it ends with %v", err)
	}
	blocks := strings.Split(sent.String(), "\n\n")
	if len(blocks) != 5 || blocks[2] != ":\nid: 16" || blocks[3] != ":\nid: 21" || blocks[4] != "" {
		t.Fatalf("sent %q", blocks)
	}
	if retry, id, _ := strings.Cut(blocks[0], "\n"); len(retry) != len("retry: 1000") || id != "id: 11" {
		t.Errorf("it begins with %q", blocks[0])
	}
	id, data, _ := strings.Cut(blocks[1], "\n")
	const begin = `data: {"position":12,"object_type":"dcim.site","object_id":7,"version":3,"event":"deleted",`
	if id != "id: 12" || !strings.HasPrefix(data, begin) ||
		!strings.Contains(data, `"a\nb"`) || strings.ContainsAny(data, "\r\n") {
		t.Errorf("the event is %q", blocks[1])
	}
}

// stuck is the connection of a client that reads nothing.
type stuck struct {
	http.ResponseWriter
	until time.Time
}

func (w *stuck) SetWriteDeadline(at time.Time) error {
	w.until = at
	return nil
}

func (w *stuck) Write([]byte) (int, error) {
	<-time.After(time.Until(w.until))
	return 0, os.ErrDeadlineExceeded
}

// TestStreamIsCutOff: a client that reads nothing is disconnected after a while.
func TestStreamIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := &stream{to: lasting.StreamWriter(&stuck{}), flush: func() error { return nil }}
		if err := s.run(t.Context(), &told{silences: 1 << 30}); err != nil || time.Since(began) != lasting.StreamStall {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}
