package delivery_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"terrier/internal/store"
)

// arrives checks a request.
func (m *machine) arrives(t *rapid.T, h *hand) {
	d, r := h.d, h.request
	d.requests++
	if d.body == "" {
		d.body = r.body
	}
	id, sequence := m.reg.Type(store.DeliveryType).FormatID(d.id), strconv.FormatInt(d.version, 10)
	if r.header.Get("X-Hook-Delivery") != id || r.header.Get("X-Hook-Sequence") != sequence || r.body != d.body {
		t.Fatalf("%v sent as delivery %s, sequence %s: %s", d, r.header.Get("X-Hook-Delivery"), r.header.Get("X-Hook-Sequence"), r.body)
	}
	if !slices.ContainsFunc(h.settings, func(s setting) bool { return s.path == r.path }) {
		t.Fatalf("%v went to %s and not to one of %v", d, r.path, h.settings)
	}
}

// judge returns the outcome that is right.
func (m *machine) judge(t *rapid.T, h *hand) {
	o := h.result.Outcome
	h.result.d = h.d
	var good bool
	switch {
	case h.plan == fail:
		h.result.why = hookDeleted
		good = o.State == store.Failed && strings.Contains(o.Reason, "deleted") && o.Status == 0 && o.Attempt == nil && o.RetryIn == 0
	case h.answer.status/100 == 2:
		good = o.State == store.Successful && o.Status == h.answer.status && o.Reason == "" && o.Attempt != nil && o.RetryIn == 0
	default:
		h.result.why = noAnswer
		if h.answer.status != 0 {
			h.result.why = strconv.Itoa(h.answer.status)
		}
		good = o.Status == h.answer.status && whyOf(o.Reason, o.Status) == h.result.why && o.Attempt != nil &&
			slices.ContainsFunc(h.settings, func(s setting) bool {
				if s.holds && mayPass(h.answer.status) {
					return o.State == store.Queued && o.RetryIn == putOff(h) && o.Receiver.Holds
				}
				return o.State == store.Failed && !o.Receiver.Holds && retriedAsSet(h, s)
			})
	}
	if !good || o.ID != h.d.id || o.Round != h.round || o.Webhook != h.d.hook.id {
		t.Fatalf("answered with %+v and judged as %+v (settings %+v): %v", h.answer, o, h.settings, h)
	}
}

// putOff is how long a delivery that stays queued waits: a probe not at all, any other as long as the receiver asks for, and after
// its fifth attempt for a time that doubles.
func putOff(h *hand) time.Duration {
	if h.probe != nil {
		return 0
	}
	wait, _ := askedWait(h.answer.retryAfter, h.result.At)
	if h.counted >= 5 {
		wait = max(wait, min(10*time.Second<<(h.counted-5), 5*time.Minute))
	}
	return wait
}

// retriedAsSet reports whether the retry is right: while tries are left there is one, at the time that the receiver
// asked for or after a time that doubles.
func retriedAsSet(h *hand, s setting) bool {
	o := h.result.Outcome
	if h.tries >= s.maxRetries {
		return o.RetryIn == 0
	}
	if o.RetryIn == 0 {
		return false
	}
	wait := o.RetryIn
	if asked, ok := askedWait(h.answer.retryAfter, o.At); ok {
		return wait == asked
	}
	most := firstRetry << h.tries
	return wait >= most/2 && wait <= most
}

// mayPass reports whether a receiver that fails so may be only away: no answer, too many requests, or an error of its own.
func mayPass(status int) bool { return slices.Contains([]int{0, 429, 500, 503}, status) }

// askedWait is what a Retry-After means: at least a second and at most a day.
func askedWait(given string, now time.Time) (time.Duration, bool) {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseFloat(given, 64); err == nil {
		wait = time.Duration(min(seconds, 1e6) * float64(time.Second))
	} else if date, err := time.Parse(http.TimeFormat, given); err == nil {
		wait = date.Sub(now)
	} else {
		return 0, false
	}
	return max(time.Second, min(wait, 24*time.Hour)), true
}
