package hookpages

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/webhook"
	"terrier/internal/webhookadmin"
)

// previewPanel is what a webhook would send, or why it can't.
type previewPanel struct {
	Problems []hookProblem

	Made     bool // a request could be made
	Fires    bool
	Broken   bool
	Reason   string
	Event    string
	Delivery string // the page of the delivery, if there is one already
	Unsent   bool   // there is no delivery, and so no id to show
	Method   string
	URL      string
	Headers  []hookHeader
	Body     string
	Indented string // a JSON body, for people
	Secret   bool   // a secret was typed; this page does not send it back

	Forbidden string // why the request would be refused
	BadBody   string // why the body is not what the content type says
}

type hookHeader struct{ Name, Value string }

func (h webhookPages) previewNew(v *web.Visit) error { return h.showPreview(v, record.Values{}) }

func (h webhookPages) preview(v *web.Visit) error {
	found, err := h.Editable(v)
	if err != nil {
		return err
	}
	return h.showPreview(v, found)
}

// showPreview answers with the request that the typed webhook would make. Nothing is saved, and nothing is logged, because the request
// contains credentials.
func (h webhookPages) showPreview(v *web.Visit, found record.Values) error {
	in, err := h.Typed(v, found)
	var p webhookadmin.Preview
	if err == nil {
		var sample webhookadmin.Sample
		if sample, err = h.sample(v, v.R.PostForm); err == nil {
			p, err = h.admin.Preview(v.Ctx, v.Caller, hookID(found), webhookadmin.PreviewInput{Webhook: in, Sample: sample,
				Typing: v.R.PostForm.Get("typing") == "payload_url"})
		}
	}
	panel := &previewPanel{}
	refusal, err := refusalOf(err)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		panel.Problems = h.hookProblems(refusal, v.R.PostForm)
	default:
		h.fillPreview(panel, p, v.R.PostForm)
	}
	return h.showTried(v, found, refusal, func(more *webhookForm) { more.Preview = panel })
}

// hookID returns the id of a webhook, 0 for a new one.
func hookID(found record.Values) int64 {
	if found.Type() == nil {
		return 0
	}
	return found.ID()
}

// refusalOf returns the refusal that the author of a form can fix, or any other error.
func refusalOf(err error) (*fault.Error, error) {
	e, known := web.FormRefusal(err)
	if !known || e.Kind != fault.Invalid {
		return nil, err
	}
	return e, nil
}

// showTried shows the form again with the result, or only the result if htmx asks for it.
func (h webhookPages) showTried(v *web.Visit, found record.Values, refusal *fault.Error, fill func(*webhookForm)) error {
	if v.Live() {
		attributes, err := h.attributes(v, v.R.PostForm["content_types"])
		if err != nil {
			return err
		}
		more := &webhookForm{Show: v.R.PostForm.Get(trialShow), Attributes: attributes}
		fill(more)
		return v.Show(web.Page{Name: "webhook_form", Body: &web.FormPage{More: more}})
	}
	form, err := h.Form(v, found, v.R.PostForm, refusal)
	if err != nil {
		return err
	}
	form.Version, _ = strconv.ParseInt(v.R.PostForm.Get("version"), 10, 64)
	more := form.More.(*webhookForm)
	fill(more)
	if more.Preview != nil {
		more.Preview.Secret = slices.ContainsFunc([]string{"secret", "previous_secret", "client_key"},
			func(name string) bool { return v.R.PostForm.Get(name) != "" })
	}
	shown := web.Page{Name: "webhook_form", Title: form.Title, Crumbs: h.Crumbs(), Body: form}
	if found.Type() != nil {
		shown.Crumbs = h.crumbsTo(found)
	}
	return v.Show(shown)
}

func (h webhookPages) fillPreview(panel *previewPanel, p webhookadmin.Preview, typed url.Values) {
	panel.Fires, panel.Broken, panel.Reason, panel.Event, panel.Forbidden = p.Fires, p.Broken, p.Reason, p.Event, p.Forbidden
	if p.Error != "" {
		panel.Problems = []hookProblem{rendered(p.Error, typed)}
		return
	}
	deliveries := h.site.DeliveryType()
	if panel.Unsent = p.Delivery == ""; !panel.Unsent {
		panel.Delivery = web.PagePath(deliveries) + p.Delivery + "/"
	}
	panel.BadBody = p.BadBody
	panel.Made, panel.Method, panel.URL, panel.Body = true, p.Request.Method, p.Request.URL, p.Body
	if json.Valid(p.Request.Body) {
		if text := web.Indented(p.Request.Body); text != p.Body {
			panel.Indented = text
		}
	}
	panel.Headers = h.previewHeaders(p, deliveries.FormatID(0))
}

// previewHeaders returns the headers, with those that the sender adds.
func (h webhookPages) previewHeaders(p webhookadmin.Preview, noDelivery string) []hookHeader {
	all := p.Request.Header.Clone()
	all.Set("Content-Length", strconv.Itoa(len(p.Request.Body)))
	if given, named := all["User-Agent"]; !named {
		all.Set("User-Agent", "Terrier/"+h.site.Version)
	} else if given[0] == "" {
		all.Del("User-Agent") // an empty one is not sent
	}
	if target, err := url.Parse(p.Request.URL); err == nil {
		all.Set("Host", target.Host)
	}
	var out []hookHeader
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, value := range all[name] {
			if value == noDelivery {
				value = webhook.MadeWhenSent
			}
			out = append(out, hookHeader{name, value})
		}
	}
	return out
}
