package web

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/webhookadmin"
)

// previewPanel is what a webhook would send, or why it can't.
type previewPanel struct {
	Problems []hookProblem

	Made     bool // there is a request
	Fires    bool
	Broken   bool
	Reason   string
	Event    string
	Delivery string // the page of the delivery there is already
	Unsent   bool   // there is none, and so no id to show
	Method   string
	URL      string
	Headers  []hookHeader
	Body     string
	Indented string // a JSON body, for people
	Secret   bool   // one was typed, which this page does not send back
}

type hookHeader struct{ Name, Value string }

func (h hookPages) previewNew(v *visit) error { return h.showPreview(v, record.Values{}) }

func (h hookPages) preview(v *visit) error {
	found, err := h.editable(v)
	if err != nil {
		return err
	}
	return h.showPreview(v, found)
}

// showPreview answers with the request that the typed webhook would make. Nothing is saved, and
// nothing of it is logged: it holds credentials.
func (h hookPages) showPreview(v *visit, found record.Values) error {
	in, err := h.typed(v, found)
	var p webhookadmin.Preview
	if err == nil {
		var sample webhookadmin.Sample
		if sample, err = h.sample(v, v.r.PostForm); err == nil {
			p, err = h.site.Webhooks.Preview(v.ctx, v.caller, hookID(found), webhookadmin.PreviewInput{Webhook: in, Sample: sample})
			err = missingSample(err)
		}
	}
	panel := &previewPanel{}
	refusal, err := refusalOf(err)
	switch {
	case err != nil:
		return err
	case refusal != nil:
		panel.Problems = h.hookProblems(refusal, v.r.PostForm)
	default:
		h.fillPreview(panel, p, v.r.PostForm)
	}
	return h.showTried(v, found, refusal, func(more *webhookForm) { more.Preview = panel })
}

// hookID is the id of a webhook, 0 for a new one.
func hookID(found record.Values) int64 {
	if found.Type() == nil {
		return 0
	}
	return found.ID()
}

// refusalOf tells what the author of a form can mend from what is an error.
func refusalOf(err error) (*fault.Error, error) {
	e, known := formRefusal(err)
	if !known || e.Kind != fault.Invalid {
		return nil, err
	}
	return e, nil
}

// showTried shows the form again with what was found out, or only that, where htmx asks.
func (h hookPages) showTried(v *visit, found record.Values, refusal *fault.Error, fill func(*webhookForm)) error {
	if v.live() {
		more := &webhookForm{Show: v.r.PostForm.Get(trialShow)}
		fill(more)
		return v.show(page{Name: "webhook_form", Body: &formPage{More: more}})
	}
	form, err := h.form(v, found, v.r.PostForm, refusal)
	if err != nil {
		return err
	}
	form.Problems = nil // they stand in the panel
	form.Version, _ = strconv.ParseInt(v.r.PostForm.Get("version"), 10, 64)
	more := form.More.(*webhookForm)
	fill(more)
	if more.Preview != nil {
		more.Preview.Secret = v.r.PostForm.Get("secret") != "" || v.r.PostForm.Get("previous_secret") != ""
	}
	shown := page{Name: "webhook_form", Title: form.Title, Crumbs: h.crumbs(), Body: form}
	if found.Type() != nil {
		shown.Crumbs = h.crumbsTo(found)
	}
	return v.show(shown)
}

func (h hookPages) fillPreview(panel *previewPanel, p webhookadmin.Preview, typed url.Values) {
	panel.Fires, panel.Broken, panel.Reason, panel.Event = p.Fires, p.Broken, p.Reason, p.Event
	if p.Error != "" {
		panel.Problems = []hookProblem{rendered(p.Error, typed)}
		return
	}
	deliveries := h.site.deliveryType()
	if panel.Unsent = p.Delivery == ""; !panel.Unsent {
		panel.Delivery = pagePath(deliveries) + p.Delivery + "/"
	}
	panel.Made, panel.Method, panel.URL, panel.Body = true, p.Request.Method, p.Request.URL, p.Body
	if json.Valid(p.Request.Body) {
		if text := indented(p.Request.Body); text != p.Body {
			panel.Indented = text
		}
	}
	panel.Headers = h.previewHeaders(p, deliveries.FormatID(0))
}

// previewHeaders lists the headers with those that the sender adds.
func (h hookPages) previewHeaders(p webhookadmin.Preview, noDelivery string) []hookHeader {
	all := p.Request.Header.Clone()
	all.Set("Content-Length", strconv.Itoa(len(p.Request.Body)))
	if given, named := all["User-Agent"]; !named {
		all.Set("User-Agent", "Terrier/"+h.site.Version)
	} else if given[0] == "" {
		all.Del("User-Agent") // who leaves it empty sends none
	}
	if target, err := url.Parse(p.Request.URL); err == nil {
		all.Set("Host", target.Host)
	}
	var out []hookHeader
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, value := range all[name] {
			if value == noDelivery {
				value = "(made when it is sent)"
			}
			out = append(out, hookHeader{name, value})
		}
	}
	return out
}
