package hookpages

import (
	"crypto/rand"
	"encoding/base64"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/web"
)

// rotation is the state of replacing a secret.
type rotation struct {
	Name, Path string
	Signed     bool   // there is a secret
	Both       bool   // there is a previous secret, which signs too
	Made       string // the secret that was generated, shown once
	Problems   []string
	End        web.ActionLink
}

func (h webhookPages) rotatePage(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	return h.showRotation(v, found, "", nil)
}

func (h webhookPages) showRotation(v *web.Visit, found record.Values, made string, refusal *fault.Error) error {
	body := rotation{Name: found.Display(), Path: web.RecordPath(h.Type, found.ID()), Made: made,
		End:    h.site.ActionLink(endAction, found.ID()),
		Signed: found.Get("secret") != record.Sealed(""), Both: found.Get("previous_secret") != record.Sealed("")}
	shown := web.Page{Name: "webhook_rotate", Title: "Rotate the secret of " + body.Name, Crumbs: h.crumbsTo(found), Body: &body}
	if refusal != nil {
		body.Problems, shown.Status = refusalTexts(refusal), web.StatusOf(refusal)
	}
	return v.Show(shown)
}

// rotate gives the webhook the typed secret, or one that is generated and shown once, in the answer.
func (h webhookPages) rotate(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	if err := v.ParseForm(); err != nil {
		return err
	}
	secret, made := v.R.PostForm.Get("secret"), ""
	if v.R.PostForm.Has("generate") {
		made = newSecret()
		secret = made
	}
	changed, err := act[record.Values](v, rotateAction, found.ID(), ledger.Input{"secret": secret})
	refusal, err := refusalOf(err)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		return h.showRotation(v, found, "", refusal)
	case made != "":
		return h.showRotation(v, changed, made, nil)
	}
	return v.Leave(web.RecordPath(h.Type, found.ID())+"rotate/", "Requests are signed with the new secret.")
}

// newSecret returns a new secret in the form that Standard Webhooks require. It suits every webhook.
func newSecret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails: the process ends instead
	return "whsec_" + base64.StdEncoding.EncodeToString(b)
}

// endRotation removes the previous secret.
func (h webhookPages) endRotation(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	if _, err := act[record.Values](v, endAction, found.ID(), nil); err != nil {
		return err
	}
	return v.Leave(web.RecordPath(h.Type, found.ID()), "Requests are signed with the new secret only.")
}
