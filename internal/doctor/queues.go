package doctor

import (
	"context"
	"fmt"

	"terrier/internal/store"
)

const queuesGroup = "queues"

var queueChecks = []Check{
	{queuesGroup, "oldest", "terrier webhook tail NAME", tables, (*examination).oldest},
	{queuesGroup, "running", "restart the workers", tables, (*examination).running},
	{queuesGroup, "lost", "terrier worker, which gives them new jobs", tables, (*examination).lost},
	{queuesGroup, "paused", "resume the webhook", tables, (*examination).paused},
	{queuesGroup, "feed", "terrier serve, which numbers changes", tables, (*examination).feed},
}

func (e *examination) oldest(ctx context.Context) (Finding, error) {
	old, err := e.db.OldQueues(ctx, e.Limits.OldQueue)
	if err != nil {
		return Finding{}, err
	}
	stopped, oldest, err := e.db.StoppedQueues(ctx)
	if err != nil {
		return Finding{}, err
	}
	left := ""
	if stopped > 0 {
		left = fmt.Sprintf(". Not counted: %s of webhooks that are disabled, paused or held, the oldest queued for %s",
			count(stopped, "delivery"), span(oldest))
	}
	if len(old) == 0 {
		return ok("no delivery of a webhook that sends has been queued for %s%s", span(e.Limits.OldQueue), left)
	}
	return found(Warn, fmt.Sprintf("terrier webhook tail %q", old[0].Name), "deliveries wait for %s: %s", count(len(old), "webhook"),
		some(waiting(old, "%q for %s (%d queued)")))
}

// waiting describes queues, each by name, age and number of deliveries.
func waiting(queues []store.Queue, format string) []string {
	list := make([]string, len(queues))
	for i, q := range queues {
		list[i] = fmt.Sprintf(format, q.Name, span(q.Age), q.Queued)
	}
	return list
}

func (e *examination) running(ctx context.Context) (Finding, error) {
	n, oldest, err := e.db.RunningJobs(ctx, e.Limits.LongJob)
	if err != nil {
		return Finding{}, err
	}
	if n > 0 {
		return found(Warn, "", "%s running for longer than any request may take, the oldest for %s", count(n, "job"), span(oldest))
	}
	return ok("no job has been running for %s", span(e.Limits.LongJob))
}

func (e *examination) lost(ctx context.Context) (Finding, error) {
	n, err := e.db.JoblessDeliveries(ctx, e.Limits.LostJob)
	if err != nil {
		return Finding{}, err
	}
	if n > 0 {
		return found(Warn, "", "%s without a job: a worker gives each a new one within minutes", count(n, "delivery"))
	}
	return ok("every awaited delivery has its job")
}

func (e *examination) paused(ctx context.Context) (Finding, error) {
	paused, err := e.db.PausedWebhooks(ctx, e.Limits.LongPause)
	if err != nil {
		return Finding{}, err
	}
	if len(paused) == 0 {
		return ok("no webhook has been paused for %s", span(e.Limits.LongPause))
	}
	return found(Warn, fmt.Sprintf("curl -X POST -H \"Authorization: Token $TOKEN\" %s/api/extras/webhooks/%d/resume/", e.Settings.BaseURL,
		paused[0].Webhook), "paused for long: %s", some(waiting(paused, "%q for %s (%d queued)")))
}

// feed checks that changes get their positions.
func (e *examination) feed(ctx context.Context) (Finding, error) {
	newest, lag, pid, err := e.db.Feed(ctx)
	switch {
	case err != nil:
		return Finding{}, err
	case lag < e.Limits.FeedLag:
		return ok("the newest position is %d, and no change has been without one for %s", newest, span(e.Limits.FeedLag))
	case pid == 0:
		return found(Warn, "", "the feed stands still at position %d: a change has no position after %s, and no process numbers them", newest,
			span(lag))
	}
	return found(Warn, e.sql(fmt.Sprintf("SELECT pg_terminate_backend(%d)", pid))+" and another process takes over",
		"the feed is behind at position %d: a change has no position after %s", newest, span(lag))
}
