package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// result is the result of a run.
type result struct {
	Seed       uint64  `json:"seed"`
	Seconds    float64 `json:"seconds"`
	Changes    int     `json:"changes"`
	Faults     int     `json:"faults"`
	Deliveries int     `json:"deliveries"`
	Receipts   int     `json:"receipts"`
	Duplicates int     `json:"duplicates"`
	Repeated   int     `json:"repeated_after_a_reset"`
	Violations int     `json:"violations"`

	Requests     map[string]int `json:"requests"` // by their outcome for the clients
	ByKind       map[string]int `json:"violations_by_kind"`
	Kills        int            `json:"kills_of_workers"`
	WorstResend  float64        `json:"worst_kill_to_resend_seconds"`
	WorstRecover float64        `json:"worst_recovery_of_postgres_seconds"`
	Timeline     []*fault       `json:"faults_made"`
	Samples      []sample       `json:"samples"`
}

func (r *result) String() string {
	return fmt.Sprintf("verdict: %d changes, %d faults, %d deliveries, %d duplicates, %d violations", r.Changes, r.Faults,
		r.Deliveries, r.Duplicates, r.Violations)
}

// runOnce makes one run: set up, work and break things, heal, settle, check.
func runOnce(ctx context.Context, cfg config, r *report) (*result, error) {
	w, err := newWorld(ctx, cfg, newTimeline(), r)
	if err != nil {
		return nil, err
	}
	defer w.close()
	w.line("%6.1f s  everything runs", w.since(time.Now()))
	k := newKeeper(w)
	if err := k.setUp(); err != nil {
		return nil, err
	}
	clients, err := w.newClients()
	if err != nil {
		return nil, err
	}
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	go w.watch(watching)
	if w.balanced {
		go w.balance(watching)
	}
	n := newNemesis(w)
	for i := range followers {
		w.followers = append(w.followers, newFollower(w, i+1))
	}
	if err := w.work(ctx, clients, k, n); err != nil {
		return nil, err
	}
	w.line("%6.1f s  the work is done", w.since(time.Now()))
	if err := w.settleAll(ctx, k); err != nil {
		return nil, err
	}
	if err := w.catchUp(ctx, w.followers); err != nil {
		return nil, err
	}
	stopWatching()
	w.stop()
	w.receiver.quiet(ctx)
	out, err := w.check(ctx, clients, k, n)
	if err != nil {
		return nil, err
	}
	return out, w.write(out)
}

// newClients returns the clients. It creates the records that they share or must not delete.
func (w *world) newClients() ([]*client, error) {
	first := newClient(w, 1, nil)
	for range 4 {
		first.createOne(sites)
	}
	shared := first.items[sites]
	first.items[sites] = nil
	if len(shared) != 4 {
		return nil, fmt.Errorf("the records that clients share could not be created")
	}
	clients := []*client{first}
	for i := 2; i <= w.clients; i++ {
		clients = append(clients, newClient(w, i, shared))
	}
	kit, err := first.makeKit()
	if err != nil {
		return nil, err
	}
	form, err := first.makeDeviceType()
	if err != nil {
		return nil, err
	}
	addresses, err := first.makePools()
	if err != nil {
		return nil, err
	}
	for _, c := range clients {
		c.shared, c.kit, c.form, c.given = shared, kit, form, addresses
		c.createOne(tenants)
		if len(c.items[tenants]) != 1 {
			return nil, fmt.Errorf("a tenant could not be created")
		}
		c.held, c.items[tenants] = c.items[tenants][0], nil
		o := c.op("create a site of a tenant")
		body, x := c.fresh(sites, o.mark, 0)
		body["tenant"] = c.held.id
		o.want = []want{{action: "create", kind: sites.key, name: x.name, version: 1}}
		c.send(o, acknowledged, call{method: http.MethodPost, path: sites.path, body: body})
	}
	return clients, nil
}

// work runs the clients and the nemesis, until there were enough changes and all faults.
func (w *world) work(ctx context.Context, clients []*client, k *keeper, n *nemesis) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	p := &pace{w: w, target: w.changes * 11 / 10, began: time.Now(), over: w.duration}
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() { c.run(working, p) })
	}
	for _, f := range w.followers {
		all.Go(func() { f.run(working) })
	}
	all.Go(func() { k.run(working, min(700*time.Millisecond, w.duration/100), w.duration) })
	err := n.run(ctx, plan(rand.New(rand.NewPCG(w.seed, 1<<41)), w.kinds, w.faults), w.duration)
	for err == nil {
		done, _ := w.acknowledged()
		late := time.Since(p.began) > 3*w.duration+30*time.Second
		if late {
			w.violate(answered, "only %d of %d changes were acknowledged within %v", done, w.changes, time.Since(p.began).Round(time.Second))
		}
		if late || done >= w.changes && time.Since(p.began) >= w.duration {
			break
		}
		err = pause(ctx, 50*time.Millisecond)
	}
	stop()
	all.Wait()
	return err
}

// settleAll waits until all deliveries have ended. First it waits while a webhook is still paused: its queued deliveries must not be
// lost.
func (w *world) settleAll(ctx context.Context, k *keeper) error {
	if err := w.settle(ctx, w.settling); err != nil {
		return err
	}
	if err := k.release(ctx); err != nil {
		return err
	}
	return w.settle(ctx, time.Minute)
}

// check compares what the clients know, what is in the database, and what the receiver got.
func (w *world) check(ctx context.Context, clients []*client, k *keeper, n *nemesis) (*result, error) {
	f, err := load(ctx, w.db)
	if err != nil {
		return nil, err
	}
	ops := append([]*op(nil), k.ops...)
	for _, c := range clients {
		ops = append(ops, c.ops...)
	}
	acknowledgements, outcomes := map[string]time.Time{}, map[string]int{}
	for _, o := range ops {
		outcomes[o.outcome.String()]++
		if o.outcome == acknowledged {
			acknowledgements[o.request] = o.ended
		}
	}
	if err := f.histories(acknowledgements, w.receiver.base); err != nil {
		return nil, err
	}
	receipts := w.receiver.all()
	unrecorded, repeated := f.match(receipts)
	w.checkRequests(f, ops)
	w.checkChains(f)
	if err := w.checkRecords(ctx, f); err != nil {
		return nil, err
	}
	if err := w.checkDevices(ctx); err != nil {
		return nil, err
	}
	if err := w.checkFamilies(ctx); err != nil {
		return nil, err
	}
	if err := w.checkAddresses(ctx, clients[0].given); err != nil {
		return nil, err
	}
	if err := w.checkFeed(ctx, w.followers); err != nil {
		return nil, err
	}
	w.checkMatches(f)
	w.checkReceipts(f, receipts, k)
	w.checkOutcomes(f, receipts, k.retried)
	w.checkPauses(k.pauses, receipts)
	out := &result{Seed: w.seed, Changes: len(f.changes), Faults: w.count(), Deliveries: len(f.deliveries), Receipts: len(receipts),
		Requests: outcomes, Kills: len(n.inFlight), Repeated: repeated}
	out.Duplicates = w.checkDuplicates(f, unrecorded, n.inFlight)
	out.WorstResend = w.checkResends(f, n.inFlight, receipts).Seconds()
	for _, took := range n.recovery {
		out.WorstRecover = max(out.WorstRecover, took.Seconds())
	}
	out.Violations, out.ByKind, out.Timeline, out.Samples = w.total(), w.report.counts, w.timeline.made, w.timeline.samples
	out.Seconds = time.Since(w.began).Seconds()
	w.line("%6.1f s  checked: requests %v, kill to resend at most %.1f s, PostgreSQL back to work at most %.1f s, %d requests repeated "+
		"after the receiver broke the connection",
		w.since(time.Now()), outcomes, out.WorstResend, out.WorstRecover, repeated)
	return out, nil
}
