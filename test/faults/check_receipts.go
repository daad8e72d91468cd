package main

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// sendWithin is how long before sending a worker may have read the webhook.
const sendWithin = 3 * time.Second

// sent returns when the request was started, as far as it is known.
func (r *receipt) sent() time.Time {
	if r.attempt != nil {
		return r.attempt.Started
	}
	return r.at
}

// checkReceipts checks that every request that arrived belongs to a delivery of a committed change, has the data of the change row, and
// is signed with the secret of that time.
func (w *world) checkReceipts(f *facts, receipts []*receipt, k *keeper) {
	paths := map[string]*hookHistory{}
	for _, h := range f.hooks {
		paths[h.path] = h
	}
	for _, r := range receipts {
		if r.path == trapPath {
			w.violate(received, "a redirect was followed by delivery %s", r.uuid)
			continue
		}
		d := f.deliveries[r.delivery]
		if d == nil {
			w.violate(noInvented,
				"a request to %s at %.1f s is of delivery %q, which does not exist: its change was rolled back, or its id is wrong", r.path,
				w.since(r.at), r.uuid)
			continue
		}
		c, h := f.byChange[d.Change], f.hooks[d.Webhook]
		if c == nil || h == nil {
			continue // reported already
		}
		if h.path != r.path {
			w.violate(mapped, "delivery %d is to %s and arrived at %s", d.ID, h.path, r.path)
			continue
		}
		if r.sequence != strconv.FormatInt(c.Version, 10) {
			w.violate(mapped, "delivery %d has sequence %s and its change version %d", d.ID, r.sequence, c.Version)
		}
		var problems []string
		if !slices.ContainsFunc(h.seen(r.sent().Add(-sendWithin), r.sent()), func(v *hookVersion) bool {
			problem := fits(r, v, c, k)
			if problem != "" {
				problems = append(problems, problem)
			}
			return problem == ""
		}) {
			w.violate(mapped, "delivery %d at %s, %.3f s: %v", d.ID, r.path, w.since(r.at), problems)
		}
	}
}

// fits returns what is wrong with a request if it was made by this version of its webhook, "" if nothing is.
func fits(r *receipt, v *hookVersion, c *change, k *keeper) string {
	if v == nil || v.gone {
		return "there was no webhook"
	}
	if body := c.body(v.BodyTemplate); sha256.Sum256([]byte(body)) != r.hash {
		return "the body is not " + short(body) + " …"
	}
	s, known := k.signatures[v.Name]
	switch {
	case !known:
		return fmt.Sprintf("nobody gave the webhook the name %q", v.Name)
	case r.forged:
		return "the signature belongs to no secret that the webhook ever had"
	case r.unsigned != (s.current == "") || r.secret != s.current:
		return fmt.Sprintf("it is signed with %q and not with %q", r.secret, s.current)
	case r.formerSecret != s.former:
		return fmt.Sprintf("it is signed with the former secret %q and not %q", r.formerSecret, s.former)
	}
	return ""
}

// match assigns the requests that arrived to the recorded attempts. It returns the requests that are left over: their worker was killed
// before it could record them. Within an attempt a worker repeats a request if the receiver broke a kept connection. These are counted
// separately.
func (f *facts) match(receipts []*receipt) (unrecorded []*receipt, repeated int) {
	byDelivery := map[int64][]*receipt{}
	for _, r := range receipts {
		byDelivery[r.delivery] = append(byDelivery[r.delivery], r)
	}
	// On a busy machine a worker can stop for a moment between recording the time and sending. No delivery is sent twice that quickly.
	const slack = 500 * time.Millisecond
	for id, arrived := range byDelivery {
		slices.SortFunc(arrived, func(a, b *receipt) int { return a.at.Compare(b.at) })
		for _, r := range arrived {
			at := -1
			for i, a := range f.attempts[id] { // they are in the order of their start: the last one that had started is the one
				end := a.Started.Add(time.Duration(a.Milliseconds+1) * time.Millisecond)
				fits := (a.receipt == nil || a.receipt.reset) && r.at.After(a.Started.Add(-slack)) && r.at.Before(end.Add(slack))
				if fits && (at < 0 || !r.at.Before(a.Started)) {
					at = i
				}
			}
			if at < 0 {
				unrecorded = append(unrecorded, r)
				continue
			}
			if f.attempts[id][at].receipt != nil {
				repeated++
			}
			f.attempts[id][at].receipt, r.attempt = r, f.attempts[id][at]
		}
	}
	return unrecorded, repeated
}

// checkOutcomes checks that every delivery has ended. A successful one was answered with 2XX. A failed one has the true reason. If the
// webhook retries, the retries were made and waited as long as asked.
func (w *world) checkOutcomes(f *facts, receipts []*receipt, retried map[int64]int) {
	good := map[int64]bool{}
	for _, r := range receipts {
		if r.status >= 200 && r.status < 300 {
			good[r.delivery] = true
		}
	}
	for id, d := range f.deliveries {
		tried := f.attempts[id]
		if d.Attempts > d.Round {
			w.violate(once, "delivery %d has %d outcomes in %d rounds", id, d.Attempts, d.Round)
		}
		if n := retried[id]; int(d.Round) <= n {
			w.violate(ends, "delivery %d was sent again by hand %d times, and is in round %d", id, n, d.Round)
		}
		switch {
		case d.State == "queued" || d.RetryAt != nil:
			w.violate(ends, "delivery %d to %s is still %s (retry %v), in round %d since %.1f s", id, f.path(d), d.State, d.RetryAt, d.Round,
				w.since(d.Queued))
		case d.State == "successful":
			if !good[id] || d.Reason != "" || d.Attempts == 0 {
				w.violate(received, "delivery %d to %s is successful (%q, %d attempts), and the receiver did not answer 2XX", id, f.path(d),
					d.Reason, d.Attempts)
			}
		case d.State != "failed" || d.Reason == "":
			w.violate(received, "delivery %d is %q with reason %q", id, d.State, d.Reason)
		case len(tried) > 0 && d.Status != nil:
			if last := tried[len(tried)-1]; last.receipt != nil && last.receipt.status != int(*d.Status) {
				w.violate(received, "delivery %d failed with status %d (%s), and the receiver answered %d", id, *d.Status, d.Reason,
					last.receipt.status)
			}
		}
		w.checkRetries(f, d, tried)
	}
}

// checkRetries checks the attempts of a delivery one after the other.
func (w *world) checkRetries(f *facts, d *delivery, tried []*attempt) {
	h := f.hooks[d.Webhook]
	if h == nil {
		return // reported already
	}
	for i, a := range tried {
		r := a.receipt
		if r == nil || r.status == 0 {
			continue
		}
		slow := r.answered.Sub(a.Started) > webhookTimeout-1500*time.Millisecond // the answer may have come too late
		if r.written && !slow && (a.Status == nil || *a.Status != int64(r.status)) {
			w.violate(received, "delivery %d was answered %d, and the attempt says %v %q", d.ID, r.status, a.Status, a.Error)
		}
		// A delivery that was queued again by hand does not wait.
		if r.status == 429 && i+1 < len(tried) && d.Queued.Equal(d.ChangedAt) &&
			tried[i+1].Started.Sub(r.answered) < retryAfter-200*time.Millisecond && h.versions[0].MaxRetries > 0 {
			w.violate(ends, "delivery %d was sent again %v after an answer that asked for %v", d.ID, tried[i+1].Started.Sub(r.answered), retryAfter)
		}
	}
	if retries := h.versions[0].MaxRetries; d.State == "failed" && d.RetryAt == nil && d.Tries <= retries &&
		!h.versions[len(h.versions)-1].gone {
		w.violate(ends, "delivery %d to %s failed for good after %d tries (%s), and the webhook has %d retries", d.ID, h.path, d.Tries,
			d.Reason, retries)
	}
}
