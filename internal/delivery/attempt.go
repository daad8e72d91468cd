package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"terrier/internal/background"
	"terrier/internal/egress"
	"terrier/internal/health"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// attempt makes the request of a delivery and judges the answer. It returns an error when the outcome is unknown.
func (w *Worker) attempt(ctx context.Context, due *store.Due, probe bool) (store.Outcome, error) {
	o := w.outcome(due, probe)
	if due.WebhookVersion == 0 {
		o.At, o.Reason = w.now(), "The webhook was deleted."
		return o, nil
	}
	hook, err := w.hooks.get(ctx, w, due.Webhook, due.WebhookVersion)
	if err != nil {
		return o, err
	}
	request, err := hook.render(due, w.now())
	if err != nil {
		o.At, o.Reason, o.Receiver.Unsent = w.now(), reason(err), true
		w.observer().Attempted(due.Webhook, otherOutcome, 0)
		if hook.locked {
			o.RetryIn = laterRetry(due, o.At)
		}
		return o, nil
	}
	due.Event = nil // while a receiver hangs, only the request stays in memory
	started := w.now()
	answer, err := w.Client.Send(ctx, egress.Request{Method: request.Method, URL: request.URL, Header: request.Header, Body: request.Body,
		InsecureSkipVerify: hook.insecure, CAFile: hook.caFile, Identity: hook.identity})
	if err != nil && ctx.Err() != nil && answer.Status == 0 {
		return o, ctx.Err() // we are being stopped: nobody knows what the receiver did with it
	}
	o.At = w.now()
	w.observer().Attempted(due.Webhook, outcomeOf(answer.Status, err), answer.Duration)
	if due.Attempts == 0 && !answer.SentAt.IsZero() {
		w.observer().Sent(answer.SentAt.Sub(due.QueuedAt))
	}
	o.Attempt = describe(hook, request, started, answer, err)
	w.judge(&o, hook, due, answer, err)
	w.note(due, hook, &o, answer.Duration)
	return o, nil
}

// guarded makes an attempt. If it panics, the delivery fails and is retried later, whatever the webhook's max_retries: otherwise it would
// be tried again at once, and a held webhook would be probed with it for ever.
func (w *Worker) guarded(ctx context.Context, due *store.Due, probe bool) (o store.Outcome, err error) {
	err = background.Try(w.Log, "attempt", func() (err error) {
		o, err = w.attempt(ctx, due, probe)
		return err
	})
	if _, panicked := errors.AsType[*background.Panic](err); !panicked {
		return o, err
	}
	o = w.outcome(due, probe)
	o.At, o.Reason, o.Receiver.Unsent = w.now(), "Terrier failed at this delivery: the worker's log says where. Report it.", true
	o.RetryIn = laterRetry(due, o.At)
	return o, nil
}

// outcome returns a failure without a reason.
func (w *Worker) outcome(due *store.Due, probe bool) store.Outcome {
	return store.Outcome{ID: due.ID, ChangedAt: due.ChangedAt, Webhook: due.Webhook, Round: due.Round, State: store.Failed,
		Receiver: store.ReceiverNote{Version: due.WebhookVersion, Ailing: due.Ailing, Probe: probe}}
}

// A worker that lacks the key of a webhook's secrets was started with the wrong one, or not restarted after a change.
// Another worker can send the delivery, or this one after a restart. So it is retried whatever the webhook's
// max_retries, less often the longer it lasts, and at least once however long it was paused before.
const (
	lockedWait = time.Minute
	lockedFor  = 24 * time.Hour
)

// laterRetry returns in how long another worker, or this one after a restart, tries again; 0 for never.
func laterRetry(due *store.Due, now time.Time) time.Duration {
	waited := now.Sub(due.QueuedAt)
	if waited >= lockedFor && due.State != store.Queued {
		return 0
	}
	return max(lockedWait, min(waited, lockedFor)/8)
}

// longestReason is how many bytes of a reason are kept. A template can make one of any length.
const longestReason = 500

// reason returns why something failed, in a form that PostgreSQL accepts: without zero bytes.
func reason(err error) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(err.Error(), "\ufffd"), "\x00", "\ufffd")
	if runes := []rune(text); len(runes) > longestReason {
		text = string(runes[:longestReason]) + "…"
	}
	return text
}

// judge decides whether the delivery succeeded: the status is 2XX, or it is not. Whether the rest of the answer could
// be read doesn't matter. If the webhook holds its deliveries while the receiver is away, a failure that may pass is none:
// the delivery stays queued.
func (w *Worker) judge(o *store.Outcome, hook *hook, due *store.Due, answer egress.Response, err error) {
	o.Status = answer.Status
	switch {
	case answer.Status >= 200 && answer.Status < 300:
		o.State = store.Successful
		return
	case answer.Status != 0:
		o.Reason = strings.TrimSpace(fmt.Sprintf("The receiver answered %d %s", answer.Status, http.StatusText(answer.Status))) + "."
	default:
		o.Reason = reason(err)
	}
	asked, asks := retryAfter(answer.Header, o.At)
	o.Receiver.MayPass, o.Receiver.Unsent = mayPass(answer.Status, err), answer.Status == 0 && !worthRetrying(err)
	if o.Receiver.MayPass && hook.holds {
		o.State, o.Receiver.Holds, o.Receiver.Wait = store.Queued, true, asked
		if !o.Receiver.Probe { // while the webhook is held, all stay in their places
			o.RetryIn = max(asked, health.Wait(due.Attempts))
		}
		return
	}
	if due.Tries >= hook.maxRetries || !worthRetrying(err) {
		return
	}
	first := w.FirstRetry
	if first == 0 {
		first = firstRetry
	}
	o.RetryIn = backoff(first, due.Tries)
	if asks {
		o.RetryIn = asked
	}
}

// worthRetrying reports whether another attempt may succeed. What the policy refuses, or what can't be sent at all,
// will fail again.
func worthRetrying(err error) bool {
	e, ok := errors.AsType[*egress.Error](err)
	return !ok || e.Kind != egress.Denied && e.Kind != egress.Invalid
}

// mayPass reports whether a failure says that the receiver is away or busy, and nothing about the delivery: there is no
// answer, or it is 429 or 5XX.
func mayPass(status int, err error) bool {
	return status == 0 && worthRetrying(err) || status == http.StatusTooManyRequests || status >= 500
}

// describe returns what is kept of a request and its answer. Values of the webhook's own headers may be credentials:
// only their names are kept, and the values are hidden where the receiver repeats them.
func describe(hook *hook, request webhook.Request, started time.Time, answer egress.Response, err error) *store.Attempt {
	a := &store.Attempt{StartedAt: started, Milliseconds: answer.Duration.Milliseconds(), Method: request.Method, Target: request.URL,
		RequestHeaders: headersText(request.Redacted()), ResponseHeaders: "{}"}
	if hook.templated {
		a.RequestBody = request.Body
	}
	if err != nil {
		a.Error = reason(err)
	}
	if answer.Status != 0 {
		status := int64(answer.Status)
		header, body := request.Conceal(answer.Header, answer.Body, answer.Truncated || err != nil)
		a.Status, a.ResponseHeaders, a.ResponseBody, a.Truncated = &status, headersText(header), body, answer.Truncated
	}
	return a
}

func headersText(h http.Header) string {
	text, err := json.Marshal(h)
	if err != nil {
		return "{}" // a map of texts can't fail
	}
	return string(text)
}

// note logs one line per attempt: a failure as a warning, a success for debugging.
func (w *Worker) note(due *store.Due, hook *hook, o *store.Outcome, took time.Duration) {
	level := slog.LevelDebug
	if o.State != store.Successful {
		level = slog.LevelInfo
	}
	if !w.Log.Enabled(context.Background(), level) {
		return
	}
	w.Log.Log(context.Background(), level, "delivery attempted", "delivery", hook.t.FormatID(due.ID), "webhook", due.Webhook, "event",
		due.Kind, "object_type", due.ObjectType,
		"state", o.State, "status", o.Status, "reason", o.Reason, "retry_in", o.RetryIn, "took", took, "request_id", due.RequestID)
}

func (w *Worker) now() time.Time { return w.Now().UTC().Truncate(time.Microsecond) }

// sending returns what differs between deliveries of one event.
func (h *hook) sending(due *store.Due, now time.Time) webhook.Sending {
	return webhook.Sending{DeliveryID: h.t.FormatID(due.ID), Sequence: due.Version, Now: now}
}
