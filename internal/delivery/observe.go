package delivery

import (
	"errors"
	"io"
	"syscall"
	"time"

	"terrier/internal/egress"
)

// Observer counts what a worker does.
type Observer interface {
	Attempted(webhook int64, outcome string, took time.Duration) // no time if nothing could be sent
	Sent(lag time.Duration)                                      // how long after its commit a delivery was first sent
	Rescued(deliveries int)                                      // taken over from a silent worker
	Recovered(deliveries int)                                    // whose jobs were gone
}

// unobserved is the Observer of a worker that has none.
type unobserved struct{}

func (unobserved) Attempted(int64, string, time.Duration) {}
func (unobserved) Sent(time.Duration)                     {}
func (unobserved) Rescued(int)                            {}
func (unobserved) Recovered(int)                          {}

func (w *Worker) observer() Observer {
	if w.Observer == nil {
		return unobserved{}
	}
	return w.Observer
}

// The outcomes of an attempt, as metrics name them.
const (
	success      = "success"
	timeout      = "timeout"
	noAddress    = "dns"
	refused      = "refused"
	untrusted    = "tls"
	egressDenied = "egress_denied"
	reset        = "reset"
	otherOutcome = "other"
)

// outcomeOf names how an attempt ended. There are few names, whatever receivers do.
func outcomeOf(status int, err error) string {
	switch status / 100 {
	case 0: // no answer
	case 2:
		return success
	case 3:
		return "http_3xx"
	case 4:
		return "http_4xx"
	case 5:
		return "http_5xx"
	default:
		return otherOutcome
	}
	e, ok := errors.AsType[*egress.Error](err)
	if !ok {
		return otherOutcome
	}
	switch e.Kind {
	case egress.Timeout:
		return timeout
	case egress.Unresolved:
		return noAddress
	case egress.Untrusted:
		return untrusted
	case egress.Denied:
		return egressDenied
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return reset
	}
	return otherOutcome
}

// Sending returns how many deliveries are being sent.
func (w *Worker) Sending() int64 { return w.sending.Load() }

// Listening reports whether the connection is open over which the database wakes this worker.
func (w *Worker) Listening() bool { return w.listening.Load() }
