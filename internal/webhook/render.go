package webhook

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// Sending is what differs between webhooks and between attempts.
type Sending struct {
	DeliveryID string // the same on every resend
	Sequence   int64  // the version of the record, without gaps
	Now        time.Time
}

// Request is exactly what is sent, except for what the sender adds: User-Agent if the webhook gives none, and the
// framing.
type Request struct {
	Method, URL string
	Header      http.Header
	Body        []byte

	// Private names the headers that the webhook's author wrote. Their values may be
	// credentials.
	Private []string
}

// Render makes the request for an event. An error is a reason for people; nothing may be sent then.
func (c *Compiled) Render(e *Event, s Sending) (Request, error) {
	out := Request{Method: c.hook.Method, URL: c.hook.URL, Header: http.Header{}}
	if err := c.fill(&out, e); err != nil {
		return Request{}, err
	}
	out.Header.Set("Content-Type", c.hook.ContentType)
	out.Header.Set("X-Hook-Delivery", s.DeliveryID)
	out.Header.Set("X-Hook-Sequence", strconv.FormatInt(s.Sequence, 10))
	out.Header.Set("X-Hook-Timestamp", strconv.FormatInt(s.Now.Unix(), 10))
	secrets := c.hook.secrets()
	// Receivers compare the whole header, so it has one signature, by the new secret.
	for i, name := range []string{"X-Hook-Signature", "X-Hook-Signature-Previous"}[:len(secrets)] {
		out.Header.Set(name, Signature(secrets[i], out.Body))
	}
	if c.hook.StandardHeaders {
		maps.Copy(out.Header, StandardHeaders(s.DeliveryID, s.Now, out.Body, secrets...))
	}
	return out, nil
}

// fill renders the author's templates.
func (c *Compiled) fill(out *Request, e *Event) error {
	if c.body == nil {
		out.Body = e.Body()
		if len(c.headers) == 0 {
			return nil
		}
	}
	values, err := e.values()
	if err != nil {
		return fmt.Errorf("the change can't be read: %w", err)
	}
	if c.body != nil {
		text, err := c.body.Render(values)
		if err != nil {
			return fmt.Errorf("body_template: %w", err)
		}
		out.Body = []byte(text)
	}
	for _, h := range c.headers {
		value, err := h.render(values)
		if err != nil {
			return err
		}
		out.Header.Set(h.name, value)
		out.Private = append(out.Private, h.name)
	}
	return nil
}

// secrets returns the secrets to sign with, the current one first.
func (h *Hook) secrets() []string {
	switch {
	case h.Secret == "":
		return nil
	case h.PreviousSecret == "":
		return []string{h.Secret}
	}
	return []string{h.Secret, h.PreviousSecret}
}

// Hidden replaces a value that is not kept.
const Hidden = "•••"

// MadeWhenSent is what a preview shows in the place of what only a request that is sent gets.
const MadeWhenSent = "(made when it is sent)"

// Unsigned returns the request without its signatures, for a preview: with any body signed, requests could be forged.
func (r Request) Unsigned() Request {
	r.Header = r.Header.Clone()
	for _, name := range []string{"X-Hook-Signature", "X-Hook-Signature-Previous", "Webhook-Signature"} {
		if r.Header.Get(name) != "" {
			r.Header.Set(name, MadeWhenSent)
		}
	}
	return r
}

// Redacted returns the header as an attempt may keep it: private values are hidden.
func (r *Request) Redacted() http.Header {
	h := r.Header.Clone()
	for _, name := range r.Private {
		h.Set(name, Hidden)
	}
	return h
}
