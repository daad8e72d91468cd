package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"terrier/internal/app"
)

const (
	tailEvery = time.Second
	// tailShare limits the share of time spent on looking: where thousands of deliveries end in a second, a look takes
	// long.
	tailShare = 10
	// tailOverlap is how late an outcome may be written, and how far workers' clocks may differ.
	tailOverlap = 30 * time.Second
	tailMost    = 5000 // deliveries per look
)

type webhookTailCommand struct {
	Name  string `arg:"" optional:"" help:"Name or id of the webhook; all if not given."`
	State string `enum:"successful,failed," default:"" placeholder:"STATE" help:"Only those that ended successful or failed."`
	Lines int    `short:"n" default:"10" placeholder:"N" help:"How many of the last requests to show first."`
}

// Run looks every second, or less often if a look takes long, until it is stopped.
func (c webhookTailCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		var hook app.WebhookInfo
		if c.Name != "" {
			var err error
			if hook, err = a.Webhook(ctx, c.Name); err != nil {
				return err
			}
		}
		t := &tail{out: newScreen(s.out), seen: map[tailKey]bool{}, look: func(since time.Time, limit int) ([]app.Ended, error) {
			return a.Ended(ctx, hook.ID, c.State, since, limit)
		}}
		err := t.start(c.Lines)
		for err == nil && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(t.pause):
				err = t.follow()
			}
		}
		if ctx.Err() != nil {
			return nil
		}
		return err
	})
}

// tail prints each outcome once.
type tail struct {
	out   screen
	look  func(since time.Time, limit int) ([]app.Ended, error)
	seen  map[tailKey]bool
	pause time.Duration
	name  int // the widest so far
}

// tailKey is one outcome of a delivery; a delivery may have several.
type tailKey struct {
	id int64
	at time.Time
}

func keyOf(e app.Ended) tailKey { return tailKey{e.ID, e.FinishedAt} }

// start shows the last outcomes. Those before them count as shown.
func (t *tail) start(lines int) error {
	if lines > 0 {
		last, err := t.last(min(lines, tailMost))
		if err != nil {
			return err
		}
		if err := t.print(last); err != nil {
			return err
		}
	}
	_, err := t.news()
	return err
}

// last finds the last outcomes: of the last minute or, if these are too few, of the newest deliveries. Reading all that are kept
// would take the longer the more there are.
func (t *tail) last(lines int) ([]app.Ended, error) {
	found, err := t.look(time.Now().Add(-time.Minute), lines)
	if err != nil || len(found) == lines {
		return found, err
	}
	return t.look(time.Time{}, lines)
}

func (t *tail) follow() error {
	news, err := t.news()
	if err != nil {
		return err
	}
	return t.print(news)
}

// news returns the outcomes that are not shown yet.
func (t *tail) news() ([]app.Ended, error) {
	began := time.Now()
	found, err := t.look(began.Add(-tailOverlap), tailMost)
	if err != nil {
		return nil, err
	}
	t.pause = max(tailEvery, tailShare*time.Since(began))
	seen := make(map[tailKey]bool, len(found))
	for _, e := range found {
		seen[keyOf(e)] = true
	}
	news := slices.DeleteFunc(found, func(e app.Ended) bool { return t.seen[keyOf(e)] })
	t.seen = seen
	return news, nil
}

func (t *tail) print(ended []app.Ended) error {
	for _, e := range ended {
		if _, err := fmt.Fprintln(t.out, t.text(e)); err != nil {
			return err
		}
	}
	return nil
}

// whichRetry says which automatic retry it is. A worker that lacks the webhook's key retries whatever max_retries
// says.
func whichRetry(e app.Ended) string {
	if e.MaxRetries == nil || e.Tries < 1 || e.Tries > *e.MaxRetries {
		return ""
	}
	return fmt.Sprintf("%d of %d ", e.Tries, *e.MaxRetries)
}

func (t *tail) text(e app.Ended) string {
	name := "webhook " + strconv.FormatInt(e.Webhook, 10) + " (deleted)"
	if e.WebhookName != nil {
		name = t.out.line(*e.WebhookName)
	}
	t.name = max(t.name, len([]rune(name)))
	status, took, paint := "-", "-", green
	if e.Status != nil {
		status = strconv.FormatInt(*e.Status, 10)
	}
	if e.Milliseconds != nil {
		took = strconv.FormatInt(*e.Milliseconds, 10)
	}
	state := e.State
	switch {
	case e.RetryAt != nil:
		state, paint = "retrying", yellow
	case state != "successful":
		paint = red
	}
	line := fmt.Sprintf("%s  %s  %3s  %6s ms  %-*s  %-7s  %s %d", t.out.paint(faint, e.FinishedAt.Local().Format(time.DateTime)),
		t.out.paint(paint, fmt.Sprintf("%-10s", state)), status, took, t.name, name, e.Event, e.ObjectType, e.ObjectID)
	if e.ObjectRepr != nil {
		line += " " + t.out.line(*e.ObjectRepr)
	}
	if e.Reason != "" {
		line += "  " + t.out.line(e.Reason)
	}
	if e.RetryAt != nil {
		line += t.out.paint(faint, "  retry "+whichRetry(e)+"at "+e.RetryAt.Local().Format(time.DateTime))
	}
	return line
}
