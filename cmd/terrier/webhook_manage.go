package main

import (
	"context"

	"terrier/internal/app"
)

type webhookCreateCommand struct {
	Name        string   `arg:"" help:"Name of the webhook. It is never sent."`
	URL         string   `arg:"" name:"url" help:"Where the requests go: an absolute http or https address."`
	Type        []string `required:"" placeholder:"TYPE,..." help:"Record types whose changes it is notified of, such as dcim.site."`
	On          []string `enum:"create,update,delete" default:"create,update,delete" placeholder:"EVENT,..." help:"Events: create, update, delete; all if not given."`
	SecretStdin bool     `help:"Read the secret that signs the requests from standard input."`
}

func (c webhookCreateCommand) Run(ctx context.Context, s *session) error {
	return s.withApp(ctx, func(a *app.App) error {
		n := app.NewWebhook{Name: c.Name, URL: c.URL, Types: c.Type, Events: c.On}
		if c.SecretStdin {
			var err error
			if n.Secret, err = readSecret(s.in, "secret"); err != nil {
				return err
			}
		}
		hook, err := a.CreateWebhook(ctx, n)
		if err != nil {
			return err
		}
		if err := s.printf("created webhook %s with id %d\n", newScreen(s.out).line(hook.Name), hook.ID); err != nil || hook.Warning == "" {
			return err
		}
		return s.printf("warning: %s\n", hook.Warning)
	})
}

// namedWebhook is the argument of a command about one webhook.
type namedWebhook struct {
	Name string `arg:"" help:"Name or id of the webhook."`
}

// with finds the webhook and calls work with it.
func (c namedWebhook) with(ctx context.Context, s *session, work func(*app.App, app.WebhookInfo) error) error {
	return s.withApp(ctx, func(a *app.App) error {
		hook, err := a.Webhook(ctx, c.Name)
		if err != nil {
			return err
		}
		return work(a, hook)
	})
}

type webhookPauseCommand struct{ namedWebhook }

func (c webhookPauseCommand) Run(ctx context.Context, s *session) error {
	return c.with(ctx, s, func(a *app.App, hook app.WebhookInfo) error {
		if err := a.PauseWebhook(ctx, hook.ID, true); err != nil {
			return err
		}
		return s.printf("paused webhook %s; its deliveries stay queued\n", newScreen(s.out).line(hook.Name))
	})
}

type webhookResumeCommand struct{ namedWebhook }

func (c webhookResumeCommand) Run(ctx context.Context, s *session) error {
	return c.with(ctx, s, func(a *app.App, hook app.WebhookInfo) error {
		if err := a.PauseWebhook(ctx, hook.ID, false); err != nil {
			return err
		}
		return s.printf("resumed webhook %s\n", newScreen(s.out).line(hook.Name))
	})
}

type webhookRetryCommand struct {
	namedWebhook
	DryRun bool `help:"Only count them."`
}

func (c webhookRetryCommand) Run(ctx context.Context, s *session) error {
	return c.with(ctx, s, func(a *app.App, hook app.WebhookInfo) error {
		n, err := a.RetryFailed(ctx, hook.ID, c.DryRun)
		if err != nil {
			return err
		}
		if c.DryRun {
			return s.printf("%s would be sent again\n", deliveries(n))
		}
		return s.printf("queued %s again\n", deliveries(n))
	})
}
