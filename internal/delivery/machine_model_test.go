package delivery_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"terrier/internal/health"
	"terrier/internal/store"
)

// modelHook is a webhook as the model knows it.
type modelHook struct {
	id, version              int64
	setting                  setting
	enabled, paused, deleted bool
	health                   modelHealth
}

// setting is what edits change of a webhook.
type setting struct {
	maxRetries int64
	holds      bool
	path       string
}

func (h *modelHook) stopped() bool { return !h.deleted && (!h.enabled || h.paused) }
func (h *modelHook) held() bool    { return h.stopped() || !h.deleted && h.health.state == health.Held }

// modelDelivery is a delivery as it must be by the rules of the design, independent of the statements.
type modelDelivery struct {
	id, site, version int64
	hook              *modelHook

	state    string
	round    int64
	tries    int64 // since somebody last queued it
	retry    bool  // an automatic one is planned
	status   int
	reason   string
	counted  int64            // attempts that decided a round
	attempts map[string]bool  // all of them, by when they began
	jobs     map[int64]string // the states of its jobs by their round
	holders  map[int64]string // who took them last
	takers   map[int64]*hand  // with which hand

	requests int
	body     string // the same in all requests
	accepted bool   // one was answered with 2XX
	spare    int    // requests that faults may have caused, besides one per round
}

// modelChange is one row of the change log.
type modelChange struct{ site, version int64 }

func newDelivery(id, site, version int64, hook *modelHook) *modelDelivery {
	return &modelDelivery{id: id, site: site, version: version, hook: hook, state: store.Queued, round: 1,
		attempts: map[string]bool{}, jobs: map[int64]string{1: "available"}, holders: map[int64]string{},
		takers: map[int64]*hand{}}
}

func (d *modelDelivery) awaited() bool { return d.state == store.Queued || d.retry }

// Why a delivery failed; the status of an answer is a reason too.
const (
	hookDeleted = "the webhook was deleted"
	workerGave  = "the worker gave up"
	noAnswer    = "no answer"
)

// nextRound queues the delivery: its earlier jobs belong to an older round from now on.
func (d *modelDelivery) nextRound(job string) {
	d.round++
	d.jobs[d.round] = job
}

// retryByHand is the retry of a failed delivery.
func (d *modelDelivery) retryByHand() bool { return d.state == store.Failed && d.redeliver() }

// redeliver resets everything but the round. A delivery that is being sent is left alone, and so is one that nobody
// would receive; a planned retry is replaced.
func (d *modelDelivery) redeliver() bool {
	if d.state == store.Queued || d.hook.deleted || d.awaited() && d.jobs[d.round] == "running" {
		return false
	}
	delete(d.jobs, d.round)
	d.queue()
	return true
}

// sendAgain is what a replay does: it sends successful deliveries again, but not those that are queued anyway.
func (d *modelDelivery) sendAgain() bool {
	if d.awaited() {
		return false
	}
	d.queue()
	return true
}

func (d *modelDelivery) queue() {
	d.state, d.tries, d.retry, d.status, d.reason = store.Queued, 0, false, 0, ""
	d.nextRound("available")
}

// recoverJob is what happens to a delivery whose job is gone or was given up.
func (d *modelDelivery) recoverJob(old bool) (found bool) {
	job, exists := d.jobs[d.round]
	switch {
	case !d.awaited():
	case job == "discarded":
		d.state, d.retry, d.status, d.reason = store.Failed, false, 0, workerGave
	case !exists && old:
		if d.retry {
			d.nextRound("scheduled")
		} else {
			d.nextRound("available")
		}
		return true
	}
	return false
}

// decides reports whether an outcome of a round would count.
func (d *modelDelivery) decides(round int64) bool { return d.round == round && d.awaited() }

// finish records an outcome and reports whether it counts. Its job has ended, and an attempt is kept whether it counts or not.
func (d *modelDelivery) finish(o store.Outcome, why string) bool {
	if o.Attempt != nil {
		d.attempts[o.Attempt.StartedAt.String()] = true
	}
	delete(d.jobs, o.Round)
	if !d.decides(o.Round) {
		return false
	}
	d.state, d.status, d.reason, d.retry = o.State, o.Status, why, o.State != store.Queued && o.RetryIn != 0
	if o.Attempt != nil {
		d.counted++
	}
	switch {
	case o.State == store.Queued && o.RetryIn != 0:
		d.nextRound("scheduled")
		return true
	case o.State == store.Queued:
		d.nextRound("available")
		return true
	case o.Attempt != nil:
		d.tries++
	}
	if d.retry {
		d.nextRound("scheduled")
	}
	return true
}

// plan is what a worker should do with a job.
type plan string

const (
	leave    plan = "leave it alone"
	hold     plan = "put it off"
	fail     plan = "fail it unsent"
	send     plan = "send"
	tryAgain plan = "try again"
)

func (d *modelDelivery) planOf(round int64, probe bool) plan {
	switch {
	case !d.decides(round):
		return leave
	case d.hook.deleted:
		return fail
	case d.hook.stopped(), d.hook.held() && !probe:
		return hold
	}
	return send
}

// standing is all that is compared with the database.
type standing struct {
	ID, Webhook   int64
	State         string
	Round, Tries  int64
	Retry         bool
	Status        int
	Reason        string
	Counted       int64
	Finished      bool
	Job           int64    // the job it names; the model knows no ids
	Attempts      int64    `db:"-"`
	Jobs, Strange []string `db:"-"`
}

func (d *modelDelivery) standing() standing {
	s := standing{ID: d.id, Webhook: d.hook.id, State: d.state, Round: d.round, Tries: d.tries, Retry: d.retry, Status: d.status,
		Reason:  d.reason,
		Counted: d.counted, Finished: d.state != store.Queued, Attempts: int64(len(d.attempts))}
	for _, round := range slices.Sorted(maps.Keys(d.jobs)) {
		s.Jobs = append(s.Jobs, fmt.Sprintf("%d %s", round, d.jobs[round]))
	}
	return s
}

func (d *modelDelivery) String() string { return fmt.Sprintf("%+v", d.standing()) }

// whyOf reads a reason from the database.
func whyOf(reason string, status int) string {
	switch {
	case reason == "":
		return ""
	case status != 0 && strings.Contains(reason, fmt.Sprint(status)):
		return fmt.Sprint(status)
	case strings.Contains(reason, "deleted"):
		return hookDeleted
	case strings.Contains(reason, "again and again"):
		return workerGave
	}
	return noAnswer
}
