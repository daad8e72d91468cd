package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// SmallBody is how long a body may be that is read at once, whoever sends it.
const SmallBody = 64 << 10

// What bodies may take up together. A decoded body is many times its length: up to a
// hundred bytes for a value that is written in two, as far as maxValues lets it. Small
// ones have room of their own and are read before they take it, so that nobody waits for
// somebody else's slow line.
const (
	growth     = 50
	mostGrowth = maxValues * 100
	smallRoom  = 24 << 20
	largeRoom  = mostGrowth + maxBulk

	largeReadTime = 15 * time.Second // how long a large body may hold its room while it arrives
)

// room is the memory that bodies share.
type room struct{ small, large *semaphore.Weighted }

func newRoom() *room {
	return &room{semaphore.NewWeighted(smallRoom), semaphore.NewWeighted(largeRoom)}
}

func enter(ctx context.Context, room *semaphore.Weighted, length int64) (leave func(), err error) {
	weight := length + min(length*growth, mostGrowth)
	if room.Acquire(ctx, weight) != nil {
		return nil, &fault.Error{Kind: fault.Throttled, Detail: "Too many large requests at once: try again.", RetryAfter: time.Second}
	}
	return func() { room.Release(weight) }, nil
}

// enter waits until the body of a request has room. Large ones are only for those who may
// write: anybody may send a small one.
func (r *room) enter(w http.ResponseWriter, req *http.Request, large bool) (leave func(), err error) {
	length := req.ContentLength
	limit := int64(SmallBody)
	if large {
		limit = maxBulk
	}
	switch {
	case length == 0:
		return func() {}, nil
	case length > limit:
		return nil, fault.New(fault.TooLarge, "The request body is larger than %d bytes.", limit)
	case length > SmallBody:
		return r.enterLarge(w, req, length)
	}
	raw, err := io.ReadAll(io.LimitReader(http.MaxBytesReader(w, req.Body, limit), SmallBody+1))
	if err != nil {
		return nil, unread(err)
	}
	begun := bytes.NewReader(raw)
	if len(raw) > SmallBody { // not announced: it may be as long as any
		req.Body = io.NopCloser(io.MultiReader(begun, req.Body))
		return r.enterLarge(w, req, maxBulk)
	}
	req.Body = io.NopCloser(begun)
	return enter(req.Context(), r.small, int64(len(raw)))
}

func (r *room) enterLarge(w http.ResponseWriter, req *http.Request, length int64) (leave func(), err error) {
	leave, err = enter(req.Context(), r.large, length)
	if err == nil {
		// Not every writer can set a deadline; the server has one for the whole request.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(largeReadTime))
	}
	return leave, err
}

// unread says why a body was not read to its end.
func unread(err error) error {
	if long, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return fault.New(fault.TooLarge, "The request body is larger than %d bytes.", long.Limit)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fault.New(fault.Slow, "The request body did not arrive in time. One of more than %d bytes has %d seconds.", SmallBody, int(largeReadTime.Seconds()))
	}
	return fault.New(fault.Invalid, "The request ended early.")
}

var actions = map[string]string{"GET": access.View, "POST": access.Add, "PUT": access.Change, "PATCH": access.Change, "DELETE": access.Delete}

// admit judges a request by its head: who has no permission at all is refused before
// anything of it is read, and the body waits for room.
func (a *API) admit(w http.ResponseWriter, route Route, method string, r *http.Request) (leave func(), err error) {
	if _, known := actions[method]; known && route.Type != nil {
		if err := a.may(ledger.CallerFrom(r.Context()), route, method); err != nil {
			return nil, err
		}
	}
	writer := route.Type != nil && method != http.MethodGet && method != http.MethodOptions
	return a.room.enter(w, r, writer)
}
