package web

import (
	"crypto/rand"
	"encoding/base64"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/webhookadmin"
)

// rotation is how far the replacement of a secret is.
type rotation struct {
	Name, Path string
	Signed     bool   // there is a secret
	Both       bool   // and the one before it, which signs too
	Made       string // the secret that was made for the author, shown once
	Problems   []string
}

func (h hookPages) rotatePage(v *visit) error {
	found, err := h.editable(v)
	if err != nil {
		return err
	}
	return h.showRotation(v, found, "", nil)
}

func (h hookPages) showRotation(v *visit, found record.Values, made string, refusal *fault.Error) error {
	body := rotation{Name: found.Display(), Path: recordPath(h.t, found.ID()), Made: made,
		Signed: found.Get("secret") != record.Sealed(""), Both: found.Get("previous_secret") != record.Sealed("")}
	shown := page{Name: "webhook_rotate", Title: "Rotate the secret of " + body.Name, Crumbs: h.crumbsTo(found), Body: &body}
	if refusal != nil {
		body.Problems, shown.Status = refusalTexts(refusal), failures[refusal.Kind].Status
	}
	return v.show(shown)
}

// rotate gives the webhook the secret that was typed, or one that is made here and shown in the
// answer, once.
func (h hookPages) rotate(v *visit) error {
	found, err := h.editable(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	secret, made := v.r.PostForm.Get("secret"), ""
	if v.r.PostForm.Has("generate") {
		made = newSecret()
		secret = made
	}
	changed, err := h.site.Webhooks.Rotate(v.ctx, v.caller, found.ID(), webhookadmin.Rotation{Secret: record.Plain(secret)})
	refusal, err := refusalOf(err)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return h.showRotation(v, found, "", refusal)
	case made != "":
		return h.showRotation(v, changed, made, nil)
	}
	return v.leave(recordPath(h.t, found.ID())+"rotate/", "Requests are signed with the new secret.")
}

// newSecret has the form that Standard Webhooks demand, which suits every webhook.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails: the process ends instead
	return "whsec_" + base64.StdEncoding.EncodeToString(b)
}

// endRotation forgets the previous secret.
func (h hookPages) endRotation(v *visit) error {
	found, err := h.editable(v)
	if err != nil {
		return err
	}
	if _, err := h.site.Ledger.Update(v.ctx, v.caller, h.t, []ledger.Edit{{ID: found.ID(), Input: ledger.Input{"previous_secret": ""}}}); err != nil {
		return err
	}
	return v.leave(recordPath(h.t, found.ID()), "Requests are signed with the new secret alone.")
}
