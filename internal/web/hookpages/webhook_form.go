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
	Path    string // below which it is saved, previewed and tried
	Save    string // where it is saved
	Gallery []galleryLink
	Chosen  *gallery.Template
	Sample  sampleChoice
	CanTry  bool // the caller may see changes, which is what conditions are tried on
	Load    bool // there is something to preview at once
	Show    string
	Preview *previewPanel // nil before it was asked for
	Trial   *trialPanel
}

type galleryLink struct {
	Name, Href string
	Current    bool
}

func (h webhookPages) moreForm(v *web.Visit, form *web.FormPage, found record.Values) error {
	more := &webhookForm{Path: h.Path, Save: h.Path + "add/", CanTry: v.May(h.site.ChangeType(), access.View),
		Show: v.R.PostForm.Get(trialShow)}
	types := v.R.PostForm["content_types"]
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
	var err error
	more.Sample, err = h.sampleChoice(v, types, v.R.PostForm)
	form.More = more
	return err
}

// prefilled is the form with a template of the gallery in it; what the template does not say
// stays as it is. Of a webhook that is there the address says nothing else: a link from
// elsewhere could put another receiver under its credentials.
func (h webhookPages) prefilled(v *web.Visit, found record.Values, t gallery.Template) []web.FormGroup {
	typed := url.Values{}
	if found.Type() == nil {
		typed = v.R.URL.Query()
	}
	for name, text := range map[string]string{"http_method": t.Method, "http_content_type": t.ContentType, "body_template": t.Body} {
		typed.Set(name, text)
	}
	if t.Headers != "" {
		typed.Set("additional_headers", t.Headers)
	}
	return h.Prefilled(v, found, typed)
}

// typedText is what stands in a text area, with the line ends that are kept.
func typedText(typed url.Values, name string) string {
	return strings.ReplaceAll(typed.Get(name), "\r\n", "\n")
}
