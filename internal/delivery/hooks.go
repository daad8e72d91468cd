package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"terrier/internal/egress"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// hook is a webhook that is ready for sending.
type hook struct {
	version    int64
	compiled   *webhook.Compiled
	broken     error // why nothing can be sent
	locked     bool  // because its secrets were sealed with a key that this worker lacks
	insecure   bool
	caFile     string
	identity   *egress.Identity // nil without a client certificate
	maxRetries int64
	holds      bool // on failures that may pass
	templated  bool
	t          *record.Type // of deliveries
}

func (h *hook) render(due *store.Due, now time.Time) (webhook.Request, error) {
	if h.broken != nil {
		return webhook.Request{}, h.broken
	}
	return h.compiled.Render(due.Event, h.sending(due, now))
}

// hooks caches webhooks by version: each delivery says which version is current.
type hooks struct {
	mu   sync.Mutex
	byID map[int64]*hook
}

// mostHooks is more than anybody has; it bounds the cache, because webhooks are deleted.
const mostHooks = 5000

func (c *hooks) get(ctx context.Context, w *Worker, id, version int64) (*hook, error) {
	c.mu.Lock()
	known := c.byID[id]
	c.mu.Unlock()
	if known != nil && known.version == version {
		return known, nil
	}
	v, err := w.Store.Webhook(ctx, id)
	if err != nil {
		if errors.Is(err, fault.ErrNotFound) { // deleted just now: the next attempt finds that out
			return nil, fmt.Errorf("webhook %d is gone", id)
		}
		return nil, err
	}
	h := prepare(v, w.Keys)
	if h.locked { // it may be sealed with one of our keys without being edited
		return h, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil || len(c.byID) >= mostHooks {
		c.byID = map[int64]*hook{}
	}
	c.byID[id] = h
	return h, nil
}

// prepare opens and compiles a webhook.
func prepare(v record.Values, keys Opener) *hook {
	h := &hook{version: v.Version, insecure: !v.Bool("ssl_verification"), caFile: v.Text("ca_file_path"), maxRetries: v.Int("max_retries"),
		holds:     v.Bool("hold_on_failure"),
		templated: strings.TrimSpace(v.Text("body_template")) != "", t: v.Type().Registry().Type(store.DeliveryType)}
	parts := HookOf(v)
	parts.URL = egress.EncodeURL(parts.URL) // so that previews and attempts show what is sent
	var key string
	for _, secret := range []struct {
		name string
		into *string
	}{{"additional_headers", &parts.AdditionalHeaders}, {"secret", &parts.Secret}, {"previous_secret", &parts.PreviousSecret},
		{"client_key", &key}} {
		if *secret.into, h.broken = open(v, secret.name, keys); h.broken != nil {
			h.locked = true
			return h
		}
	}
	if certificate := v.Text("client_certificate"); certificate != "" {
		if h.identity, h.broken = egress.NewIdentity(certificate, key); h.broken != nil {
			return h
		}
	}
	compiled, errs := webhook.Compile(parts)
	if len(errs) > 0 { // another version of the program accepted it
		h.broken = &fault.Error{Kind: fault.Invalid, Fields: errs}
	}
	h.compiled = compiled
	return h
}

// HookOf returns what determines the requests of a webhook, without its secrets.
func HookOf(v record.Values) webhook.Hook {
	return webhook.Hook{Method: v.Text("http_method"), URL: v.Text("payload_url"), ContentType: v.Text("http_content_type"),
		BodyTemplate: v.Text("body_template"), StandardHeaders: v.Bool("standard_headers")}
}

func open(v record.Values, field string, keys Opener) (string, error) {
	sealed, _ := v.Get(field).(record.Sealed)
	if sealed == "" {
		return "", nil
	}
	secrecy, _ := record.SecrecyOf(v.Type().Field(field))
	plain, err := keys.Open(secrecy.Place(v.Type(), v.ID()), string(sealed))
	if err != nil {
		return "", fmt.Errorf("the webhook's %s can't be opened: %w", field, err)
	}
	return string(plain), nil
}
