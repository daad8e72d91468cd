package delivery

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"terrier/internal/background"
	"terrier/internal/store"
)

// The times of turns.
const (
	turnsWait  = 5 * time.Millisecond   // jobs that ask for a turn at about the same time share a statement
	turnsLook  = 250 * time.Millisecond // until a job asks again that found all turns taken for as long as it may wait
	turnsSpare = time.Second            // what a job has left for everything besides waiting and the request
)

// pacer makes the jobs of webhooks with a rate limit wait for their turn. The turns of a webhook are given out by the
// database, to all workers. Jobs of other webhooks pass.
type pacer struct {
	store   *store.Store
	log     *slog.Logger
	longest time.Duration // a job may wait

	mu     sync.Mutex
	paces  map[int64]*pace // of webhooks with a rate limit
	ending chan struct{}   // closed when the worker takes no more jobs
}

// pace is the turns of one webhook. A question is until when the turn must come, the answer when it comes; zero if it
// can't come so soon.
type pace struct {
	rate  int
	turns gather[time.Time, time.Time]
}

// errNoTurn says that a job must be given back.
var errNoTurn = errors.New("no turn")

// longestWait is what the longest request leaves of the time of a job.
func longestWait(request time.Duration) time.Duration { return jobTimeout - request - turnsSpare }

// begin lets jobs wait; end makes all that wait give up.
func (p *pacer) begin(s *store.Store, log *slog.Logger, longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.store, p.log, p.longest, p.ending = s, log, longest, make(chan struct{})
}

func (p *pacer) end() { close(p.ending) }

// follow takes over the rate limits of the webhooks.
func (p *pacer) follow(all []store.Lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	paces := map[int64]*pace{}
	for _, x := range all {
		if x.RateLimit == 0 {
			continue
		}
		if paces[x.Webhook] = p.paces[x.Webhook]; paces[x.Webhook] == nil || paces[x.Webhook].rate != x.RateLimit {
			paces[x.Webhook] = p.newPace(x.Webhook, x.RateLimit)
		}
	}
	p.paces = paces
}

func (p *pacer) newPace(webhook int64, rate int) *pace {
	apart := time.Second / time.Duration(rate)
	take := func(ctx context.Context, latest []time.Time) ([]time.Time, error) {
		ctx, cancel := context.WithTimeout(ctx, jobTimeout)
		defer cancel()
		n := len(latest)
		within := time.Until(latest[0]) - time.Duration(n-1)*apart // the first has waited longest
		first, ok, err := p.store.TakeTurns(ctx, webhook, n, apart, within)
		if err != nil {
			return nil, err
		}
		turns, next := make([]time.Time, n), time.Now().Add(first)
		for i := range turns {
			if ok {
				turns[i] = next
				next = next.Add(apart)
			}
		}
		return turns, nil
	}
	return &pace{rate, gather[time.Time, time.Time]{name: "rate limit", calls: background.Group{Log: p.log}, do: take, limit: 1 + rate/8,
		width: 1, wait: turnsWait}}
}

// limits reports whether a webhook has a rate limit.
func (p *pacer) limits(webhook int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paces[webhook] != nil
}

// wait returns when it is the turn of a job of a webhook, at once if it has no rate limit. It returns errNoTurn if the
// turn would leave too little time for the request, or if the worker ends.
func (p *pacer) wait(ctx context.Context, webhook int64) error {
	p.mu.Lock()
	pace, ending := p.paces[webhook], p.ending
	p.mu.Unlock()
	if pace == nil {
		return nil
	}
	for latest := time.Now().Add(p.longest); ; {
		turn, err := pace.turns.Do(ctx, latest)
		if err != nil {
			return err
		}
		until := turn
		if turn.IsZero() {
			if until = time.Now().Add(turnsLook); until.After(latest) {
				return errNoTurn
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ending:
			return errNoTurn
		case <-time.After(time.Until(until)):
		}
		if !turn.IsZero() {
			return nil
		}
	}
}
