package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/term"

	"terrier/internal/app"
	"terrier/internal/background"
)

type webhookReplayCommand struct {
	Name   string   `arg:"" help:"Name or id of the webhook."`
	Since  pastTime `placeholder:"TIME" help:"Only changes made since this time: 2h or 3d ago, a date, or a time such as 2025-01-31T08:00:00Z."`
	Until  pastTime `placeholder:"TIME" help:"Only changes made before this time."`
	Type   string   `placeholder:"TYPE" help:"Only changes to this type, such as dcim.site."`
	Object int64    `placeholder:"ID" help:"Only changes to the record of this id."`
	Action string   `enum:"create,update,delete," default:"" placeholder:"ACTION" help:"Only this event: create, update or delete."`
	Yes    bool     `help:"Don't ask."`
	DryRun bool     `help:"Only count."`
}

// Run counts first and asks. It can be interrupted at any time: deliveries that are queued by then are sent.
func (c webhookReplayCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		hook, err := a.Webhook(ctx, c.Name)
		if err != nil {
			return err
		}
		past := app.PastChanges{Since: c.Since.Time, Until: c.Until.Time, Type: c.Type, Object: c.Object, Action: c.Action}
		count, err := a.ReplayCount(ctx, hook, past)
		switch {
		case errors.Is(err, context.Canceled):
			return errInterrupted
		case err != nil:
			return err
		}
		if err := s.printf("%s", countText(hook, count)); err != nil || c.DryRun || count.Queued() == 0 {
			return err
		}
		if err := c.confirm(ctx, s, count, hook); err != nil {
			return err
		}
		bar := newProgress(newScreen(s.err), "changes", count.Changes, time.Now)
		done, err := a.Replay(ctx, hook, past, func(n app.Replayed) { _ = bar.show(n.Changes) })
		if err := bar.end(); err != nil {
			return err
		}
		if err != nil {
			return c.stopped(done, err)
		}
		return s.printf("queued %s to %q\n", deliveries(done.Queued()), hook.Name)
	})
}

var errInterrupted = errors.New("interrupted: nothing was sent")

func (c webhookReplayCommand) stopped(done app.Replayed, err error) error {
	interrupted := errors.Is(err, context.Canceled)
	soFar := fmt.Sprintf("after %d changes: %s queued so far; continue with --since %s", done.Changes, deliveries(done.Queued()),
		done.Reached.UTC().Format(time.RFC3339Nano))
	switch {
	case done.Changes == 0 && interrupted:
		return errInterrupted
	case done.Changes == 0:
		return fmt.Errorf("nothing was sent: %w", err)
	case interrupted:
		return errors.New("interrupted " + soFar)
	}
	return fmt.Errorf("stopped %s: %w", soFar, err)
}

// countText says what a replay will do, leaving out what is zero.
func countText(hook app.WebhookInfo, n app.Replayed) string {
	if n.Matching == 0 {
		return fmt.Sprintf("none of %d changes matches %q\n", n.Changes, hook.Name)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d of %d changes match %q:\n", n.Matching, n.Changes, hook.Name)
	for _, line := range []struct {
		n    int64
		what string
	}{
		{n.Existing, "sent before, to be sent again"},
		{n.New, "not sent yet, to be sent now"},
		{n.Waiting, "already queued"},
		{n.Expired, "too old to be sent (TERRIER_DELIVERY_RETENTION)"},
	} {
		if line.n > 0 {
			fmt.Fprintf(&text, "%8d  %s\n", line.n, line.what)
		}
	}
	if !hook.Sends() && n.Queued() > 0 {
		fmt.Fprintf(&text, "The webhook is %s: they wait until it is not.\n", hook.State)
	}
	return text.String()
}

func deliveries(n int64) string {
	if n == 1 {
		return "1 delivery"
	}
	return fmt.Sprintf("%d deliveries", n)
}

func (c webhookReplayCommand) confirm(ctx context.Context, s *session, n app.Replayed, hook app.WebhookInfo) error {
	if c.Yes {
		return nil
	}
	in, ok := s.in.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return errors.New("there is no terminal to ask on: say --yes to send them, or --dry-run to only count")
	}
	if _, err := fmt.Fprintf(s.err, "Send %s to %s? [y/N] ", deliveries(n.Queued()), hook.URL); err != nil {
		return err
	}
	answers := make(chan string, 1)
	background.Go(slog.Default(), "prompt", func() {
		line, _ := bufio.NewReader(s.in).ReadString('\n') // without an answer it is ""
		answers <- strings.ToLower(strings.TrimSpace(line))
	})
	select {
	case answer := <-answers:
		if answer != "y" && answer != "yes" {
			return errors.New("nothing was sent")
		}
		return nil
	case <-ctx.Done():
		_, _ = fmt.Fprintln(s.err)
		return errInterrupted
	}
}

// pastTime is a time, given as such or as how long ago.
type pastTime struct{ time.Time }

func (p *pastTime) UnmarshalText(text []byte) (err error) {
	p.Time, err = parsePast(string(text), time.Now())
	return err
}

func parsePast(text string, now time.Time) (time.Time, error) {
	var ago lifetime
	if ago.UnmarshalText([]byte(text)) == nil {
		return now.Add(-time.Duration(ago)), nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	return time.Time{}, errors.New("must be how long ago, such as 2h or 3d, a date such as 2025-01-31, or a time such as 2025-01-31T08:00:00Z")
}
