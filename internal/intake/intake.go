// Package intake owns how the bodies of requests are read: how fast they must arrive, how many large ones a caller
// may send at once, and how much memory all of them take together.
//
// A body is charged for the bytes that have arrived, not for its announced length. It takes the memory for decoding
// only once it is complete, and the decoder closes it, which gives the memory back. So a slow body uses only what
// it has sent, for as long as the minimum rate allows, and a request that waits for a lock holds no memory that others
// wait for.
package intake

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"time"

	"terrier/internal/fault"
	"terrier/internal/limit"
)

const (
	// Credentials is the maximum length of a body that needs no login. It keeps its memory while a password waits to be
	// checked.
	Credentials = 4 << 10
	// Small is the maximum length of a body that anybody may send, in any number at once.
	Small = 64 << 10
	// Largest is the maximum length of any body.
	Largest = 16 << 20
)

// How fast a body must arrive. Time that it waits for others does not count.
const (
	grace     = 5 * time.Second  // before the rate counts
	leastRate = 16 << 10         // bytes a second
	mostTime  = 15 * time.Second // in all, so that part of the request's time is left for its work
)

// How much memory bodies may take together while they are decoded. A decoded body is its text, written again, and up to
// a hundred bytes for each value. Small bodies have their own share.
const (
	valueCost = 100
	marks     = ",:[{&=%;\t\n" // what separates values in JSON, forms and files
	smallRoom = 14 << 20
	largeRoom = 36 << 20
)

// Gate lets bodies in. The keys of its semaphores are the ids of users.
type Gate struct {
	turns        *limit.Semaphore[int64] // one large body of each caller
	arrivals     arrivals
	small, large *limit.Semaphore[int64]
}

// New makes a gate.
func New() *Gate {
	return &Gate{turns: limit.New[int64](limit.Budget{Name: "large bodies of a caller", Size: math.MaxInt64, Each: 1, Busy: errTurn}),
		arrivals: newArrivals(),
		small:    limit.New[int64](limit.Budget{Name: "decoding of small bodies", Size: smallRoom, Each: smallRoom / 2, Busy: errFull}),
		large:    limit.New[int64](limit.Budget{Name: "decoding of large bodies", Size: largeRoom, Each: largeRoom, Busy: errFull})}
}

// Admit limits how the body of a request is read. Reading waits where it must, and fails with a *fault.Error if the
// body is longer than limit, arrives too slowly or finds no memory. Close the body once it is decoded: before the request
// waits for anything else. Call leave when everything made from the body is done with.
func (g *Gate) Admit(w http.ResponseWriter, r *http.Request, limit int64, caller int64) (leave func()) {
	if r.ContentLength == 0 {
		return func() {}
	}
	b := &body{gate: g, ctx: r.Context(), caller: caller, conn: http.NewResponseController(w), source: http.MaxBytesReader(w, r.Body, limit)}
	switch {
	case r.ContentLength > limit:
		b.failed = tooLarge(limit)
	case r.ContentLength > Small:
		b.large = true
	}
	r.Body = http.MaxBytesReader(w, b, limit) // never reached, but without it ParseForm reads no more than 10 MiB
	return b.leave
}

// body is a body that is arriving.
type body struct {
	gate   *Gate
	ctx    context.Context
	caller int64
	conn   *http.ResponseController
	source io.ReadCloser

	large   bool          // announced as large, or has become large
	length  int64         // of what has arrived
	values  int64         // in it, at most
	spent   time.Duration // waiting for the sender
	failed  error         // what every later Read returns
	endTurn func()        // ends the turn of the caller's large body
	charge  charge
	decoded func() // gives back the memory for decoding; nil before it is taken
}

func (b *body) Read(p []byte) (n int, err error) {
	if b.failed == nil {
		n, b.failed = b.read(p[:min(len(p), Small)])
	}
	return n, b.failed
}

func (b *body) read(p []byte) (int, error) {
	if b.large { // before anything of it is read
		if err := b.takeTurn(); err != nil {
			return 0, err
		}
	}
	n, end := b.receive(p)
	b.length += int64(n)
	for _, c := range p[:n] {
		if separates[c] {
			b.values++
		}
	}
	if b.length > Small {
		b.large = true
		if err := b.takeTurn(); err != nil {
			return n, err
		}
		if err := b.gate.arrivals.take(b.ctx, b.caller, &b.charge, b.length); err != nil {
			return n, err
		}
	}
	if errors.Is(end, io.EOF) {
		if err := b.occupy(); err != nil {
			return n, err
		}
	}
	return n, end
}

// receive reads from the sender. The more they have sent, the more time they have.
func (b *body) receive(p []byte) (int, error) {
	left := min(grace+time.Duration(b.length)*time.Second/leastRate, mostTime) - b.spent
	began := time.Now()
	_ = b.conn.SetReadDeadline(began.Add(left)) // not every writer has one; the server limits the whole request
	n, err := b.source.Read(p)
	b.spent += time.Since(began)
	switch long, is := errors.AsType[*http.MaxBytesError](err); {
	case err == nil:
	case errors.Is(err, io.EOF):
		_ = b.conn.SetReadDeadline(time.Time{}) // what follows has other limits
	case is:
		err = tooLarge(long.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fault.New(fault.Slow,
			"The request body did not arrive in time. It has %d seconds, one second more for every %d KiB, and %d seconds at most.",
			int(grace.Seconds()), leastRate>>10, int(mostTime.Seconds()))
	default:
		err = fault.New(fault.Invalid, "The request ended early.")
	}
	return n, err
}

func tooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "The request body is larger than %d bytes.", limit)
}

// separates tells which bytes are marks.
var separates = func() (is [256]bool) {
	for _, c := range []byte(marks) {
		is[c] = true
	}
	return is
}()

// takeTurn waits until the caller's other large bodies are done with.
func (b *body) takeTurn() (err error) {
	if b.endTurn == nil {
		b.endTurn, err = b.gate.turns.Acquire(b.ctx, b.caller, 1)
	}
	return err
}

// occupy takes the memory that the whole body needs for decoding.
func (b *body) occupy() (err error) {
	if b.decoded != nil {
		return nil
	}
	room := b.gate.small
	if b.large {
		room = b.gate.large
	}
	if b.decoded, err = room.Acquire(b.ctx, b.caller, b.weight()); err != nil {
		return err
	}
	b.gate.arrivals.give(&b.charge)
	return nil
}

func (b *body) weight() int64 { return 2*b.length + valueCost*b.values }

// Close gives back the memory for decoding. The body of the request itself is closed by the server.
func (b *body) Close() error {
	b.gate.arrivals.give(&b.charge)
	if b.decoded != nil {
		b.decoded()
	}
	return nil
}

func (b *body) leave() {
	_ = b.Close()
	if b.endTurn != nil {
		b.endTurn()
	}
}
