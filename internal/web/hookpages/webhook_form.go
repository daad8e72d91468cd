package hookpages

import (
	"net/http"
	"net/url"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/webhook/gallery"
)

// webhookForm is what the form of a webhook shows besides its fields.
type webhookForm struct {
	Path    string // the address below which it is saved, previewed and tried
	Save    string // where it is saved
	Gallery []galleryLink
	Chosen  *gallery.Template
	Sample  sampleChoice
	CanTry  bool // the caller may see changes, so conditions can be tried on them
	CanTest bool // it is new, and the caller may send a test to it once it is saved
	Test    bool // and chose to
	Load    bool // the preview is loaded at once
	Show    string
	Preview *previewPanel // nil until it is requested
	Trial   *trialPanel

	Attributes []attribute // of its types, for conditions
}

type galleryLink struct {
	Name, Href string
	Current    bool
}

func (h webhookPages) moreForm(v *web.Visit, form *web.FormPage, found record.Values) error {
	more := &webhookForm{Path: h.Path, Save: h.Path + "add/", CanTry: v.May(h.site.ChangeType(), access.View),
		Show: v.R.PostForm.Get(trialShow)}
	types := v.R.PostForm["content_types"]
	more.CanTest, more.Test = found.Type() == nil && v.May(h.Type, access.Change), v.R.PostForm.Has(testWhenSaved)
	if found.Type() != nil {
		more.Path = web.RecordPath(h.Type, found.ID())
		more.Save, more.Load = more.Path+"edit/", true
		types = found.List("content_types")
	}
	for _, t := range gallery.All() {
		link := galleryLink{Name: t.Name, Href: web.With(more.Save, nil, "template", t.Key)}
		if v.R.Method != http.MethodPost && v.R.URL.Query().Get("template") == t.Key {
			link.Current, more.Chosen = true, &t
			form.Groups = h.prefilled(v, found, t)
		}
		more.Gallery = append(more.Gallery, link)
	}
	if found.Type() == nil && v.R.Method != http.MethodPost && more.Chosen == nil {
		form.Groups = h.Prefilled(v, found, h.suggested(v.R.URL.Query()))
	}
	var err error
	if more.Attributes, err = h.attributes(v, types); err != nil {
		return err
	}
	if f := form.Field("payload_url"); f != nil && len(f.Errors) == 0 {
		f.Warning = h.admin.Forbidden(v.Ctx, f.Value)
	}
	if f := form.Field("body_template"); f != nil && found.Type() != nil && v.R.Method != http.MethodPost {
		f.Warning = h.admin.BadBody(v.Ctx, found)
	}
	more.Sample, err = h.sampleChoice(v, types, v.R.PostForm)
	form.More = more
	return err
}

// prefilled returns the form with a template of the gallery. Fields that the template lacks stay as they are. For an existing webhook the
// address can fill in nothing else: a link from another site could send its credentials to another receiver.
func (h webhookPages) prefilled(v *web.Visit, found record.Values, t gallery.Template) []web.FormGroup {
	typed := url.Values{}
	if found.Type() == nil {
		typed = h.suggested(v.R.URL.Query())
	}
	for name, text := range map[string]string{"http_method": t.Method, "http_content_type": t.ContentType, "body_template": t.Body} {
		typed.Set(name, text)
	}
	if t.Headers != "" {
		typed.Set("additional_headers", t.Headers)
	}
	return h.Prefilled(v, found, typed)
}

// suggested adds to what a link fills in what is recommended for new webhooks, unless the settings have chosen. The API has other
// defaults without them: there a failure is a failure.
func (h webhookPages) suggested(typed url.Values) url.Values {
	if h.Type.Field("max_retries").Info().Default != int64(0) || h.Type.Field("hold_on_failure").Info().Default != false {
		return typed
	}
	for name, text := range map[string]string{"hold_on_failure": "true", "max_retries": "10"} {
		if !typed.Has(name) {
			typed.Set(name, text)
		}
	}
	return typed
}

// typedText returns the content of a text area, with line ends as they are stored.
func typedText(typed url.Values, name string) string {
	return strings.ReplaceAll(typed.Get(name), "\r\n", "\n")
}
