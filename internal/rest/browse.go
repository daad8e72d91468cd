package rest

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// Answer is an answer of the API and what the caller can do next, for a page that shows it.
type Answer struct {
	Method  string // the method that the browser or a form asked for
	Status  int
	Body    []byte   // JSON; nothing where there is none
	Methods []string // that the caller may use here
	Filters []string // of a list
	Input   string   // the body that a form starts with, "" for none
	Bulk    string   // the same for several records at once, on a list
	Match   string   // the version that a form changes
}

// browse shows people an answer as a page, and programs the answer itself. A caller with a token is a program.
func (a *API) browse(route Route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !wantsPage(r) {
			next.ServeHTTP(w, r)
			return
		}
		var sent form
		asked := r.Clone(r.Context())
		asked.Header.Del("Accept-Encoding") // an answer on a page is not compressed
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			if params := r.URL.Query(); params.Has(addName) {
				http.Redirect(w, r, withFilter(r, params), http.StatusSeeOther)
				return
			}
			if route.page != nil {
				w.Header().Set("Vary", vary)
				route.page(w, r)
				return
			}
			asked.Method = http.MethodGet // the page has its own length, also for HEAD
		} else {
			var err error
			if sent, err = a.readForm(w, route, r); err != nil {
				a.Fail(w, r, err)
				return
			}
			if sent.method == "" {
				next.ServeHTTP(w, r)
				return
			}
			sent.write(asked)
		}
		got := &captured{ResponseWriter: w}
		if next.ServeHTTP(got, asked); got.passed {
			return
		}
		if w.Header().Get("Content-Type") == svgType { // the browser shows it without a page
			w.Header().Set("Vary", vary)
			w.WriteHeader(got.status)
			_, _ = got.body.WriteTo(w) // a browser that has gone away is not an error here
			return
		}
		out := Answer{Method: asked.Method, Status: cmp.Or(got.status, http.StatusOK), Body: got.body.Bytes(), Match: sent.match}
		a.offer(asked, route, &out)
		if out.Status >= http.StatusBadRequest && sent.method != "" {
			out.keep(sent)
		}
		w.Header().Set("Vary", vary)
		if len(route.Methods) > 0 {
			w.Header().Set("Allow", allowed(route))
		}
		a.Page(w, r, out)
	})
}

// vary lists the headers that an answer depends on.
const vary = "Accept, Authorization, Cookie"

// wantsPage distinguishes a browser from a program. A program without a preference gets JSON.
func wantsPage(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, "text/html") && r.Header.Get("Authorization") == "" && !r.URL.Query().Has("format") &&
		weight(accept, "text/html") > weight(accept, "application/json")
}

// weight returns how much an Accept header wants a media type, by the narrowest range that includes it.
func weight(accept, media string) float64 {
	kind, _, _ := strings.Cut(media, "/")
	ranges := []string{"*/*", kind + "/*", media}
	best, narrowest := 0.0, -1
	for part := range strings.SplitSeq(accept, ",") {
		name, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q, err := strconv.ParseFloat(cmp.Or(params["q"], "1"), 64)
		if rank := slices.Index(ranges, name); err == nil && rank > narrowest {
			best, narrowest = q, rank
		}
	}
	return best
}

// The names of the fields of the page's forms.
const (
	formMethod  = "_method"
	formContent = "_content"
	formMatch   = "_match"
	addName     = "_name"
	addValue    = "_value"
)

// form is a request as a page can send it: HTML has only the methods GET and POST.
type form struct{ method, content, match string }

var formMethods = []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// readForm reads a form of a page; the method is empty if the request is no form. Only a caller with a session cookie
// has one; the server has refused requests of other sites.
func (a *API) readForm(w http.ResponseWriter, route Route, r *http.Request) (form, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	c := ledger.CallerFrom(r.Context())
	if err != nil || media != "application/x-www-form-urlencoded" || r.Method != http.MethodPost || c.Anonymous() {
		return form{}, nil
	}
	limit := bodyLimit(c, route, http.MethodGet) // the least
	for _, method := range route.Methods {
		if a.may(c, route, method) == nil {
			limit = max(limit, min(bodyLimit(c, route, method), maxObject))
		}
	}
	defer a.Intake.Admit(w, r, limit, c.UserID)() // the content of the form is read once more, as a body
	if err := r.ParseForm(); err != nil {
		if refused, ok := errors.AsType[*fault.Error](err); ok {
			return form{}, refused
		}
		return form{}, nil
	}
	sent := form{r.PostForm.Get(formMethod), r.PostForm.Get(formContent), r.PostForm.Get(formMatch)}
	if !slices.Contains(formMethods, sent.method) {
		return form{}, nil
	}
	return sent, nil
}

// write turns a request into the one that the form describes.
func (f form) write(r *http.Request) {
	r.Method = f.method
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(strings.NewReader(f.content)), int64(len(f.content)), nil
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Content-Length", strconv.Itoa(len(f.content)))
	r.Header.Del("If-Match")
	if f.match != "" {
		r.Header.Set("If-Match", f.match)
	}
}

// keep leaves what was typed and refused in the form.
func (out *Answer) keep(sent form) {
	switch typed := cmp.Or(sent.content, "{}"); {
	case out.Bulk != "" && sent.method != http.MethodPost:
		out.Bulk = typed
	case out.Input != "" && sent.method != http.MethodDelete && sent.method != http.MethodOptions:
		out.Input = typed
	}
}

// captured is an answer that will be shown on a page.
type captured struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
	passed bool // the browser gets the answer itself
}

// pass returns the writer behind a captured answer, for one that is too long for a page. The browser saves it as a file.
func pass(w http.ResponseWriter) http.ResponseWriter {
	if c, ok := w.(*captured); ok {
		c.passed = true
		return c.ResponseWriter
	}
	return w
}

func (c *captured) WriteHeader(status int)      { c.status = cmp.Or(c.status, status) }
func (c *captured) Write(b []byte) (int, error) { return c.body.Write(b) }
func (c *captured) Unwrap() http.ResponseWriter { return c.ResponseWriter }
