package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// pause waits for some time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// ended sends a signal to a node and reports a violation if it did not end because of it.
func (n *nemesis) ended(target *node, sig syscall.Signal) {
	if err := target.end(sig); err != nil {
		n.w.violate(processes, "%v", err)
	}
}

func (n *nemesis) killAPI(ctx context.Context, f *fault) error {
	target := n.pick(n.w.apis)
	n.ended(target, syscall.SIGKILL)
	defer n.done(f, target.name, "ended by SIGKILL")
	return errors.Join(pause(ctx, n.between(200*time.Millisecond, 800*time.Millisecond)), target.start(ctx))
}

func (n *nemesis) termAPI(ctx context.Context, f *fault) error {
	target := n.pick(n.w.apis)
	n.ended(target, syscall.SIGTERM)
	defer n.done(f, target.name, "ended after SIGTERM")
	return target.start(ctx)
}

// termWorker ends a worker while it is sending. The receiver answers when the worker is already stopping.
func (n *nemesis) termWorker(ctx context.Context, f *fault) error {
	target := n.pick(n.w.workers)
	lift, err := n.keepSending(ctx)
	time.AfterFunc(200*time.Millisecond, lift)
	n.ended(target, syscall.SIGTERM)
	defer n.done(f, target.name, "ended after SIGTERM")
	return errors.Join(err, target.start(ctx))
}

// keepSending makes a receiver hang until lift is called. It returns when workers wait for it.
func (n *nemesis) keepSending(ctx context.Context) (lift func(), err error) {
	path := pathOf("signed")
	n.w.receiver.behave(path, hangs)
	for range 50 {
		if _, open := n.w.receiver.count(); open >= 4 {
			break
		}
		if err = pause(ctx, 10*time.Millisecond); err != nil {
			break
		}
	}
	return func() { n.w.receiver.behave(path, well) }, err
}

// inFlight are deliveries that a worker had taken when it was killed.
type inFlight struct {
	at         time.Time
	deliveries []int64
}

func (n *nemesis) killWorker(ctx context.Context, f *fault) error {
	target := n.pick(n.w.workers)
	taken, err := n.shoot(ctx, target)
	defer n.done(f, target.name, "ended by SIGKILL, with %d deliveries under way", taken)
	return errors.Join(err, pause(ctx, n.between(200*time.Millisecond, 800*time.Millisecond)), target.start(ctx))
}

func (n *nemesis) killWorkers(ctx context.Context, f *fault) error {
	all := 0
	var errs []error
	for _, target := range n.w.workers {
		taken, err := n.shoot(ctx, target)
		all += taken
		errs = append(errs, err)
	}
	defer n.done(f, "workers", "ended by SIGKILL, with %d deliveries under way", all)
	for _, target := range n.w.workers {
		errs = append(errs, target.start(ctx))
	}
	return errors.Join(errs...)
}

// shoot kills a worker while it is sending and notes which deliveries it had taken. River's name of a worker contains the id of its
// process.
func (n *nemesis) shoot(ctx context.Context, target *node) (int, error) {
	pid := target.now().pid()
	lift, err := n.keepSending(ctx)
	defer lift()
	if err != nil {
		return 0, err
	}
	n.ended(target, syscall.SIGKILL)
	taken := &inFlight{at: time.Now()} // the worker is dead: everything it has sent has arrived
	rows, err := n.w.db.Query(ctx, `SELECT (args->>'delivery')::bigint FROM river_job
		WHERE state = 'running' AND kind = 'delivery' AND attempted_by[array_upper(attempted_by,
			1)] LIKE '%-' || $1::text || '-%'`, fmt.Sprint(pid))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
		taken.deliveries = append(taken.deliveries, id)
	}
	n.inFlight = append(n.inFlight, taken)
	return len(taken.deliveries), rows.Err()
}

// recoveryBound is the promised time until everything works again after PostgreSQL is back.
const recoveryBound = 10 * time.Second

// crash ends PostgreSQL without letting it write anything more, and starts it again.
func (n *nemesis) crash(ctx context.Context, f *fault) error {
	if err := n.w.cluster.stop(ctx, "immediate"); err != nil {
		return err
	}
	if err := errors.Join(pause(ctx, n.between(100*time.Millisecond, time.Second)), n.w.cluster.start(ctx)); err != nil {
		return err
	}
	wrote, sent, err := n.recovered(ctx)
	n.done(f, "postgres", "afterwards a write was acknowledged in %.1f s, a request received in %.1f s", wrote.Seconds(), sent.Seconds())
	return err
}

// failOver ends PostgreSQL for good. A standby, which has all that was acknowledged, takes its place, and connections lead
// to it from then on. (In test/database processes find the standby by themselves.)
func (n *nemesis) failOver(ctx context.Context, f *fault) error {
	next, err := n.w.cluster.follow(ctx)
	if err != nil {
		return err
	}
	n.w.restart(f) // making a standby excuses nothing
	if err := errors.Join(n.w.cluster.stop(ctx, "immediate"), n.w.cluster.promote(ctx, next)); err != nil {
		return err
	}
	for _, target := range n.w.nodes() {
		if err := target.proxy.lead(n.w.cluster.straight()); err != nil {
			return err
		}
	}
	wrote, sent, err := n.recovered(ctx)
	n.done(f, "postgres", "the standby was promoted; afterwards a write was acknowledged in %.1f s, a request received in %.1f s",
		wrote.Seconds(), sent.Seconds())
	return err
}

// recovered measures how long it takes until a write is acknowledged and a request is received, now that PostgreSQL is back.
func (n *nemesis) recovered(ctx context.Context) (wrote, sent time.Duration, _ error) {
	back := time.Now()
	n.w.db.Reset()
	before, _ := n.w.receiver.count()
	for wrote == 0 || sent == 0 {
		if _, last := n.w.acknowledged(); wrote == 0 && last.After(back) {
			wrote = time.Since(back)
		}
		if received, _ := n.w.receiver.count(); sent == 0 && received > before {
			sent = time.Since(back)
		}
		if time.Since(back) > recoveryBound {
			n.w.violate(processes, "PostgreSQL was back %v ago; a write was acknowledged after %v and a request sent after %v (0 for never)",
				recoveryBound, wrote, sent)
			break
		}
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return wrote, sent, err
		}
	}
	n.recovery = append(n.recovery, max(wrote, sent))
	return wrote, sent, nil
}

func (n *nemesis) cutAPI(_ context.Context, f *fault) error    { return n.cut(f, n.pick(n.w.apis)) }
func (n *nemesis) cutWorker(_ context.Context, f *fault) error { return n.cut(f, n.pick(n.w.workers)) }

func (n *nemesis) cut(f *fault, target *node) error {
	target.proxy.cut()
	n.done(f, target.name, "every connection to PostgreSQL cut")
	return nil
}

func (n *nemesis) slowAPI(ctx context.Context, f *fault) error {
	return n.slow(ctx, f, n.pick(n.w.apis))
}
func (n *nemesis) slowWorker(ctx context.Context, f *fault) error {
	return n.slow(ctx, f, n.pick(n.w.workers))
}

func (n *nemesis) slow(ctx context.Context, f *fault, target *node) error {
	by := n.between(20*time.Millisecond, 150*time.Millisecond)
	target.proxy.slow(by)
	defer target.proxy.slow(0)
	err := pause(ctx, n.between(2*time.Second, 3*time.Second))
	n.done(f, target.name, "%d ms more each way", by.Milliseconds())
	return err
}

func (n *nemesis) refuseAPI(ctx context.Context, f *fault) error {
	return n.refuse(ctx, f, n.pick(n.w.apis))
}
func (n *nemesis) refuseWorker(ctx context.Context, f *fault) error {
	return n.refuse(ctx, f, n.pick(n.w.workers))
}

func (n *nemesis) refuse(ctx context.Context, f *fault, target *node) error {
	target.proxy.refuse(true)
	defer target.proxy.refuse(false)
	err := pause(ctx, n.between(time.Second, 3*time.Second))
	n.done(f, target.name, "no connection to PostgreSQL")
	return err
}

// rolling restarts everything, one after the other.
func (n *nemesis) rolling(ctx context.Context, f *fault) error {
	for _, target := range n.w.nodes() {
		n.ended(target, syscall.SIGTERM)
		if err := target.start(ctx); err != nil {
			return err
		}
	}
	n.done(f, "all", "each ended after SIGTERM, and was ready before the next")
	return nil
}

// misbehave returns a fault in which the receivers of one or two webhooks misbehave for a while. The next fault may begin meanwhile.
func misbehave(m manner) func(*nemesis, context.Context, *fault) error {
	return func(n *nemesis, ctx context.Context, f *fault) error {
		names := []string{"plain", "signed", "retry", "broken", "template", "condition"}
		path := pathOf(names[n.rnd.IntN(len(names))])
		if m == busy {
			path = pathOf("retry") // other webhooks don't retry
		}
		lasts := n.between(2*time.Second, 6*time.Second)
		n.w.receiver.behave(path, m)
		n.misbehaving.Go(func() {
			_ = pause(ctx, lasts) // then it is over
			n.w.receiver.behave(path, well)
			n.done(f, path, "")
		})
		return nil
	}
}

// mostLost is how many jobs are lost at once.
const mostLost = 25

// loseJobs deletes jobs that no worker has started, as a bug of the job engine would. The receiver hangs meanwhile, so that some jobs are
// queued.
func (n *nemesis) loseJobs(ctx context.Context, f *fault) error {
	path := pathOf("plain")
	n.w.receiver.behave(path, hangs)
	defer n.w.receiver.behave(path, well)
	for range 50 {
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
		tag, err := n.w.db.Exec(ctx, `DELETE FROM river_job WHERE id IN (
			SELECT j.id FROM river_job j JOIN extras_delivery d ON d.job_id = j.id WHERE j.state = 'available'
				AND d.state = 'queued' LIMIT $1 FOR UPDATE OF j SKIP LOCKED)`, mostLost)
		if err != nil {
			return err
		}
		if tag.RowsAffected() > 0 {
			n.done(f, "postgres", "%d jobs of queued deliveries deleted", tag.RowsAffected())
			return nil
		}
	}
	n.done(f, "postgres", "no job waited")
	return nil
}
