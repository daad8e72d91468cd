package rest

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// largeAnswers is how many large answers are in memory at once, each from when it is read until it is written.
const largeAnswers = 2

// answers limits large answers. A caller has one of them at a time: a slow reader delays nobody else.
type answers struct {
	room *semaphore.Weighted

	mu      sync.Mutex
	callers map[int64]*turn
}

// turn is the large answers of one caller.
type turn struct {
	held  chan struct{} // holds one
	users int
}

func newAnswers() *answers {
	return &answers{room: semaphore.NewWeighted(largeAnswers), callers: map[int64]*turn{}}
}

// enter waits until a large answer may be read.
func (a *answers) enter(ctx context.Context, c ledger.Caller) (leave func(), err error) {
	a.mu.Lock()
	mine := a.callers[c.UserID]
	if mine == nil {
		mine = &turn{held: make(chan struct{}, 1)}
		a.callers[c.UserID] = mine
	}
	mine.users++
	a.mu.Unlock()
	forget := func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if mine.users--; mine.users == 0 {
			delete(a.callers, c.UserID)
		}
	}
	select {
	case mine.held <- struct{}{}:
	case <-ctx.Done():
		forget()
		return func() {}, errCrowded
	}
	if a.room.Acquire(ctx, 1) != nil {
		<-mine.held
		forget()
		return func() {}, errCrowded
	}
	return sync.OnceFunc(func() {
		runtime.GC() // else this one's memory would stay taken until the heap has doubled
		a.room.Release(1)
		<-mine.held
		forget()
	}), nil
}

var errCrowded = &fault.Error{Kind: fault.Busy, RetryAfter: time.Second,
	Detail: "Other large pages were being read all the time. Try again, or ask for fewer records at a time with limit, or for fewer " +
		"fields with fields or omit."}

// pieceBytes is the longest answer that is sent whole, with its length.
const pieceBytes = 2 << 20

// listing writes a list of records. When it gets too long to be held in memory, it is written as it grows.
type listing struct {
	a      *API
	w      http.ResponseWriter
	r      *http.Request
	status int
	buf    []byte
	begun  bool
}

// records appends records and releases each.
func (p *listing) records(t *record.Type, rows []record.Values, view record.View) {
	plan := t.Plan(view)
	p.buf = append(p.buf, '[')
	for i := range rows {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		p.buf = p.a.Printer.Append(p.buf, rows[i], plan)
		rows[i] = record.Values{}
		if len(p.buf) > pieceBytes {
			p.flush()
		}
		if (i+1)%store.Breather == 0 {
			runtime.Gosched()
		}
	}
	p.buf = append(p.buf, ']')
}

func (p *listing) flush() {
	if !p.begun {
		p.begun = true
		p.a.head(p.w, p.status)
	}
	if p.r.Method != http.MethodHead {
		_, _ = p.w.Write(p.buf) // a caller that has gone away is not an error here
	}
	p.buf = p.buf[:0]
}

// end sends the rest.
func (p *listing) end() {
	if !p.begun {
		p.a.send(p.w, p.r, p.status, p.buf)
		return
	}
	p.flush()
}
