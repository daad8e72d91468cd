package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"terrier/internal/app"
)

type webhookCommands struct {
	List    webhookListCommand    `cmd:"" help:"List the webhooks, and how many of their deliveries are queued, retrying or failed."`
	Create  webhookCreateCommand  `cmd:"" help:"Create a webhook."`
	Pause   webhookPauseCommand   `cmd:"" help:"Stop sending to a webhook; its deliveries stay queued."`
	Resume  webhookResumeCommand  `cmd:"" help:"Resume a paused webhook."`
	Retry   webhookRetryCommand   `cmd:"" help:"Send the failed deliveries of a webhook again."`
	Test    webhookTestCommand    `cmd:"" help:"Send a test to a webhook, and show the response."`
	Preview webhookPreviewCommand `cmd:"" help:"Print the request that a webhook would send."`
	Replay  webhookReplayCommand  `cmd:"" help:"Send past changes to a webhook."`
	Tail    webhookTailCommand    `cmd:"" help:"Show deliveries as they end, until interrupted."`
}

type webhookListCommand struct{ jsonFlag }

func (c webhookListCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		hooks, err := a.Webhooks(ctx)
		if err != nil {
			return err
		}
		rows := [][]string{{"ID", "NAME", "STATE", "QUEUED", "RETRYING", "FAILED", "TYPES", "REQUEST"}}
		for _, h := range hooks {
			rows = append(rows, []string{fmt.Sprint(h.ID), h.Name, h.State, fmt.Sprint(h.Queued), fmt.Sprint(h.Retrying),
				fmt.Sprint(h.Failed), strings.Join(h.ShownTypes, ","), h.Method + " " + h.URL})
		}
		return s.printList(c.jsonFlag, hooks, rows)
	})
}

// trial is what a webhook is tried with.
type trial struct {
	Name   string `arg:"" help:"Name or id of the webhook."`
	Change int64  `placeholder:"ID" xor:"sample" help:"Id of a past change to try it with; the newest of the webhook's types if not given."`
	Record string `placeholder:"TYPE/ID" xor:"sample" help:"A record to try it with, such as dcim.site/3, as if it were updated now."`
}

func (c trial) find(ctx context.Context, a *app.App) (app.WebhookInfo, app.Sample, error) {
	hook, err := a.Webhook(ctx, c.Name)
	if err != nil {
		return hook, app.Sample{}, err
	}
	sample, err := a.SampleOf(c.Change, c.Record)
	return hook, sample, err
}

type webhookTestCommand struct{ trial }

// busyWorkers is how long a test waits for a worker, besides the receiver's own time.
const busyWorkers = 5 * time.Second

// Run fails if the receiver did not answer 2XX, so that scripts notice.
func (c webhookTestCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		hook, sample, err := c.find(ctx, a)
		if err != nil {
			return err
		}
		id, err := a.TestWebhook(ctx, hook.ID, sample)
		if err != nil {
			return err
		}
		if err := s.printf("queued test delivery %s to %s %s\n", a.FormatDelivery(id), hook.Method, newScreen(s.out).line(hook.URL)); err != nil {
			return err
		}
		workers, err := a.WorkersAlive(ctx)
		if err != nil {
			return err
		}
		if workers == 0 {
			return errors.New("no worker is alive to send it: start one with `terrier worker`, and it is sent at once")
		}
		patience := s.config.WebhookTimeout + busyWorkers
		waiting, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		end, ended, err := a.AwaitDelivery(waiting, id)
		switch {
		case err != nil:
			return err
		case !ended && ctx.Err() != nil:
			return errors.New("interrupted; the test will still be sent")
		case !ended:
			return fmt.Errorf("no outcome within %s: the receiver is away, or the workers are busy with what was queued before "+
				"(`terrier webhook list`)", patience)
		case end.State == "failed":
			return fmt.Errorf("the test failed%s: %s", took(end), end.Reason)
		}
		return s.printf("the receiver answered %d%s\n", *end.Status, took(end))
	})
}

func took(e app.Ended) string {
	if e.Milliseconds == nil {
		return ""
	}
	return fmt.Sprintf(" in %d ms", *e.Milliseconds)
}
