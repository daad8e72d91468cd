package webhook

import (
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"terrier/internal/fault"
	"terrier/internal/jinja"
)

// Hook is what a webhook says about its requests. It has no name, because nothing that is sent may contain it.
type Hook struct {
	Method            string // POST where empty
	URL               string
	ContentType       string // application/json where empty
	AdditionalHeaders string // one "Name: Value" per line; values are templates
	BodyTemplate      string // the default body where blank
	Secret            string // no signature where empty
	PreviousSecret    string // the old secret during a rotation
	StandardHeaders   bool   // also send the headers of standardwebhooks.com
}

// Compiled makes the requests of a webhook. It has read the templates, never changes, and may be shared by goroutines
// and kept until the webhook is edited.
type Compiled struct {
	hook    Hook
	headers []header
	body    *jinja.Template // nil for the default body
}

// Both keep their secrets out of logs and errors. A URL may contain one too.
func (h Hook) String() string       { return "webhook " + h.Method }
func (h Hook) GoString() string     { return h.String() }
func (h Hook) LogValue() slog.Value { return slog.StringValue(h.String()) }

func (c *Compiled) String() string       { return c.hook.String() }
func (c *Compiled) GoString() string     { return c.hook.String() }
func (c *Compiled) LogValue() slog.Value { return c.hook.LogValue() }

// Compile checks a webhook and compiles it. The faults are by the names of the webhook's fields; if there are any,
// Compiled is nil.
func Compile(h Hook) (*Compiled, fault.Fields) {
	faults := fault.Fields{}
	h.checkMethod(faults)
	h.checkURL(faults)
	h.checkContentType(faults)
	c := &Compiled{headers: parseHeaders(h.AdditionalHeaders, faults)}
	if strings.TrimSpace(h.BodyTemplate) != "" {
		var err error
		if c.body, err = jinja.Parse(h.BodyTemplate); err != nil {
			faults.Add("body_template", "%s", err)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	c.hook = h
	return c, nil
}

var methods = []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

func (h *Hook) checkMethod(faults fault.Fields) {
	if h.Method == "" {
		h.Method = http.MethodPost
	}
	if !slices.Contains(methods, h.Method) {
		faults.Add("http_method", "%q is not one of %s.", h.Method, strings.Join(methods, ", "))
	}
}

// checkURL leaves the rest to egress, which knows where it can send to.
func (h *Hook) checkURL(faults fault.Fields) {
	h.URL = strings.TrimSpace(h.URL)
	if strings.Contains(h.URL, "{{") || strings.Contains(h.URL, "{%") {
		faults.Add("payload_url", "Templates are not supported in the URL, only in headers and body.")
	}
}

func (h *Hook) checkContentType(faults fault.Fields) {
	const field = "http_content_type"
	h.ContentType = strings.TrimSpace(h.ContentType)
	if h.ContentType == "" {
		h.ContentType = "application/json"
	}
	name, _, err := mime.ParseMediaType(h.ContentType)
	switch {
	case strings.ContainsFunc(h.ContentType, func(r rune) bool { return unicode.IsControl(r) || r > unicode.MaxASCII }):
		faults.Add(field, "A content type consists of ASCII characters without control characters.")
	case err != nil || !strings.Contains(name, "/"):
		faults.Add(field, "%q is not a content type. Write it as application/json or text/plain; charset=utf-8.", h.ContentType)
	}
}
