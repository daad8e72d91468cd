package web

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/webhookadmin"
)

func (h hookPages) pause(v *visit) error {
	return h.act(v, h.site.Webhooks.Pause, "is paused: changes are queued and held until it is resumed.")
}

func (h hookPages) resume(v *visit) error {
	return h.act(v, h.site.Webhooks.Resume, "goes on: what waits is sent within ten seconds.")
}

// act does something with the webhook of the page and says what became of it.
func (h hookPages) act(v *visit, do func(context.Context, ledger.Caller, int64) (record.Values, error), note string) error {
	id, err := h.id(v)
	if err != nil {
		return err
	}
	found, err := do(v.ctx, v.caller, id)
	if err != nil {
		return err
	}
	return v.leave(recordPath(h.t, id), "Webhook "+found.Display()+" "+note)
}

// retryFailed sends everything again that failed, as the page said how many.
func (h hookPages) retryFailed(v *visit) error {
	found, err := h.editable(v)
	if err != nil {
		return err
	}
	done, err := h.site.Webhooks.RetryAll(v.ctx, v.caller, h.failedOf(found.ID(), false))
	if err != nil {
		return err
	}
	return v.leave(recordPath(h.t, found.ID()), counted(done.Count, "failed delivery is", "failed deliveries are")+" queued again.")
}

// counted is a number and what it counts.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

// webhookTest asks what to send as a test.
type webhookTest struct {
	Name, Path string
	Sample     sampleChoice
	Problems   []string
}

func (h hookPages) testPage(v *visit) error {
	found, err := h.editable(v)
	if err != nil {
		return err
	}
	return h.showTest(v, found, nil, nil)
}

func (h hookPages) showTest(v *visit, found record.Values, typed url.Values, refusal *fault.Error) error {
	body := webhookTest{Name: found.Display(), Path: recordPath(h.t, found.ID())}
	var err error
	if body.Sample, err = h.sampleChoice(v, found.List("content_types"), typed); err != nil {
		return err
	}
	shown := page{Name: "webhook_test", Title: "Send a test to " + body.Name, Crumbs: h.crumbsTo(found), Body: &body}
	if refusal != nil {
		body.Problems, shown.Status = refusalTexts(refusal), failures[refusal.Kind].Status
	}
	return v.show(shown)
}

// refusalTexts are what is wrong, where there is no field to say it at.
func refusalTexts(e *fault.Error) []string {
	if len(e.Fields) == 0 {
		return []string{e.Detail}
	}
	var texts []string
	for _, messages := range e.Fields {
		texts = append(texts, messages...)
	}
	return texts
}

// test sends one and leads to its delivery.
func (h hookPages) test(v *visit) error {
	found, err := h.editable(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	var made record.Values
	var sample webhookadmin.Sample
	if !v.r.PostForm.Has("newest") {
		sample, err = h.sample(v, v.r.PostForm)
	}
	if err == nil {
		made, err = h.site.Webhooks.Test(v.ctx, v.caller, found.ID(), sample)
		err = missingSample(err)
	}
	refusal, err := refusalOf(err)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return h.showTest(v, found, v.r.PostForm, refusal)
	}
	to := recordPath(h.t, found.ID())
	if v.may(h.site.deliveryType(), access.View) {
		to = recordPath(made.Type(), made.ID())
	}
	return v.leave(to, fmt.Sprintf("A test is on its way to %s.", found.Display()))
}
