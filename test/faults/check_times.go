package main

import (
	"slices"
	"time"
)

// resendBound is the promised time until a delivery whose worker was killed is sent again.
const resendBound = 90 * time.Second

// mostDuplicates is the share of deliveries that may arrive twice when things break. It is not checked in a run with few deliveries.
const (
	mostDuplicates = 0.005
	manyDeliveries = 20_000
)

// checkDuplicates checks that every request without an attempt was under way when its worker was killed, and that nothing was sent twice in
// one round. It returns how many requests arrived twice.
func (w *world) checkDuplicates(f *facts, unrecorded []*receipt, kills []*inFlight) int {
	duplicates := len(unrecorded)
	for _, r := range unrecorded {
		if d := f.deliveries[r.delivery]; d != nil && !explained(r, kills) {
			w.violate(once,
				"delivery %d arrived at %s at %.3f s and was answered %d, and no attempt of its %d says so; its worker was not killed "+
					"(it is %s in round %d)",
				d.ID, r.path, w.since(r.at), r.status, len(f.attempts[d.ID]), d.State, d.Round)
		}
	}
	for id, tried := range f.attempts {
		d := f.deliveries[id]
		if d == nil {
			w.violate(noInvented, "%d requests were made for delivery %d, which does not exist", len(tried), id)
			continue
		}
		if extra := len(tried) - int(d.Round); extra > 0 {
			duplicates += extra
			w.violate(once, "delivery %d to %s was sent %d times in %d rounds", id, f.path(d), len(tried), d.Round)
		}
	}
	if share := float64(duplicates) / float64(len(f.deliveries)); len(f.deliveries) > manyDeliveries && share > mostDuplicates {
		w.violate(once, "%d of %d deliveries arrived twice: %.2f %%", duplicates, len(f.deliveries), 100*share)
	}
	return duplicates
}

// explained reports whether a request was under way when its worker was killed.
func explained(r *receipt, kills []*inFlight) bool {
	return slices.ContainsFunc(kills, func(k *inFlight) bool {
		return r.at.Before(k.at.Add(3*time.Second)) && // a busy receiver may read it a little later
			k.at.Sub(r.at) < 2*webhookTimeout && slices.Contains(k.deliveries, r.delivery)
	})
}

// checkResends checks that the deliveries of a killed worker were sent again, or ended, within the promised time. It returns the longest
// time.
func (w *world) checkResends(f *facts, kills []*inFlight, receipts []*receipt) time.Duration {
	arrived := map[int64][]time.Time{}
	for _, r := range receipts {
		arrived[r.delivery] = append(arrived[r.delivery], r.at)
	}
	var worst time.Duration
	for _, kill := range kills {
		for _, id := range kill.deliveries {
			d := f.deliveries[id]
			if d == nil || f.heldDuring(d.Webhook, kill.at, kill.at.Add(resendBound)) {
				continue
			}
			var next time.Time
			for _, at := range append(arrived[id], ended(d)...) {
				if at.After(kill.at) && (next.IsZero() || at.Before(next)) {
					next = at
				}
			}
			if took := next.Sub(kill.at); next.IsZero() && d.State == "queued" || took > resendBound {
				w.violate(processes, "delivery %d was under way when its worker was killed at %.1f s, and was sent again after %v", id,
					w.since(kill.at), took)
			} else if !next.IsZero() {
				worst = max(worst, took)
			}
		}
	}
	return worst
}

func ended(d *delivery) []time.Time {
	if d.Finished == nil {
		return nil
	}
	return []time.Time{*d.Finished}
}

// heldDuring reports whether a webhook was disabled at some time in a period. This includes the webhook that is paused to the end.
func (f *facts) heldDuring(webhook int64, from, to time.Time) bool {
	h := f.hooks[webhook]
	if h == nil || h.path == pathOf("held") || h.path == pathOf("hold") {
		return true
	}
	for _, v := range h.seen(from, to) {
		if v == nil || v.gone || !v.Enabled {
			return true
		}
	}
	return false
}

// checkPauses checks that nothing is sent to a paused webhook, except requests that were under way already.
func (w *world) checkPauses(pauses []*pauseNote, receipts []*receipt) {
	for _, p := range pauses {
		for _, r := range receipts {
			if at := r.sent(); r.path == p.path && at.After(p.from.Add(sendWithin)) && (p.until.IsZero() || at.Before(p.until)) {
				w.violate(ends, "delivery %d was sent to %s %.1f s after it was paused", r.delivery, r.path, at.Sub(p.from).Seconds())
			}
		}
	}
}
