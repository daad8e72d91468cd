package webhook

import (
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"terrier/internal/fault"
	"terrier/internal/jinja"
)

// Hook is what a webhook says about its requests. Its name is not among it, because
// nothing that is sent may hold it.
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

// Compiled makes the requests of a webhook. It has read the templates, never changes, and
// may be shared by goroutines and kept for as long as the webhook is not edited.
type Compiled struct {
	hook    Hook
	headers []header
	body    *jinja.Template // nil for the default body
}

// Both keep their secrets out of logs and errors. An address may hold one too.
func (h Hook) String() string       { return "webhook " + h.Method }
func (h Hook) GoString() string     { return h.String() }
func (h Hook) LogValue() slog.Value { return slog.StringValue(h.String()) }

func (c *Compiled) String() string       { return c.hook.String() }
func (c *Compiled) GoString() string     { return c.hook.String() }
func (c *Compiled) LogValue() slog.Value { return c.hook.LogValue() }

// Compile checks a webhook and compiles it. The faults are by the names of the
// webhook's fields; where there are any, there is no Compiled.
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

func (h *Hook) checkURL(faults fault.Fields) {
	const field = "payload_url"
	h.URL = strings.TrimSpace(h.URL)
	u, err := url.Parse(h.URL)
	switch {
	case strings.Contains(h.URL, "{{") || strings.Contains(h.URL, "{%"):
		faults.Add(field, "Templates are not supported in the URL, only in headers and body.")
	case err != nil:
		faults.Add(field, "Enter a valid URL, such as https://example.org:8443/hook.") // the error would repeat the URL, secrets and all
	case strings.ContainsFunc(h.URL, unicode.IsSpace): // one in the query would break the request line
		faults.Add(field, "A URL holds no spaces. Write %20 instead.")
	case u.Scheme != "http" && u.Scheme != "https":
		faults.Add(field, "Enter a full URL that begins with http:// or https://.")
	case u.Hostname() == "":
		faults.Add(field, "The URL names no host.")
	case u.User != nil:
		faults.Add(field, "A user name or password in the URL would be shown to others. Put it into a header: Authorization: Basic ….")
	case strings.Contains(h.URL, "#"):
		faults.Add(field, "A fragment (#…) is never sent. Leave it out.")
	case !validPort(u.Port()):
		faults.Add(field, "The port must be a number from 1 to 65535.")
	}
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
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
