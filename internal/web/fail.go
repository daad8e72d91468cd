package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// failure is how a page shows a kind of fault.
type failure struct {
	Status int
	Title  string
	Advice string
}

// failures is the one place where a kind of fault becomes a page.
var failures = map[fault.Kind]failure{
	fault.Internal: {http.StatusInternalServerError, "Something went wrong",
		"It is not your fault. Try again. If it fails again, give your administrator the request id below: the log has the reason."},
	fault.Invalid: {http.StatusBadRequest, "This can't be done", "Go back, correct what is named above, and try again."},
	fault.Denied: {http.StatusForbidden, "You may not do this",
		"Ask an administrator for the permission, or log in as somebody who has it."},
	fault.NotFound: {http.StatusNotFound, "Nothing is here",
		"It was deleted, it never existed, or you may not see it. Look for it in the search or in the change log."},
	fault.Held: {http.StatusConflict, "Others depend on it", "Change or delete those first."},
	fault.Precondition: {http.StatusPreconditionFailed, "Somebody was faster",
		"Go back, reload the page, and make your change again."},
	fault.Throttled:   {http.StatusTooManyRequests, "Too many at once", "Wait a little and try again."},
	fault.TooLarge:    {http.StatusRequestEntityTooLarge, "This is too large", "Send it in parts."},
	fault.LongAddress: {http.StatusRequestURITooLong, "This address is too long", "Ask for fewer things at once."},
	fault.Unsupported: {http.StatusUnsupportedMediaType, "This is not understood", "Send a form."},
	fault.NotAllowed:  {http.StatusMethodNotAllowed, "This page does not accept such requests", "Go back and use the page's own buttons."},
	fault.Slow: {http.StatusServiceUnavailable, "This took too long",
		"Ask for less at once: narrow the filter or the search, or send it in parts."},
	fault.Busy: {http.StatusServiceUnavailable, "Busy at this moment", "Nothing was changed. Wait a moment and try again."},
	fault.Unavailable: {http.StatusServiceUnavailable, "The database is not available",
		"Nothing was saved. Wait a few seconds and try again. If it fails again, ask your administrator."},
	fault.Uncertain: {http.StatusInternalServerError, "It may or may not have been saved",
		"Open the record again and check it before you repeat your change."},
}

// StatusOf returns the status of a page that shows a refusal next to what was refused.
func StatusOf(e *fault.Error) int { return failures[e.Kind].Status }

// failPage is what an error page shows.
type failPage struct {
	failure
	Messages  []string
	RequestID string
}

// Fail answers with an error page. An error that is not a fault is logged, and its text is not shown.
func (s *Site) Fail(w http.ResponseWriter, r *http.Request, err error) {
	if !WantsPage(r) {
		if s.strange(r, err) {
			s.greet(w)
			return
		}
		s.Plain(w, r, err)
		return
	}
	v := &Visit{Site: s, W: w, R: r, Ctx: r.Context(), Caller: ledger.CallerFrom(r.Context())}
	if level, log := fault.LogLevel(err); log {
		s.Log.Log(v.Ctx, level, "page failed", "error", err, "method", r.Method, "path", r.URL.Path, "request_id", v.Caller.RequestID)
	}
	e, known := errors.AsType[*fault.Error](err)
	if !known {
		e = fault.New(fault.Internal, "The server could not complete the request.")
	}
	if e.Kind == fault.Denied && v.Caller.Anonymous() && r.Method == http.MethodGet {
		http.Redirect(w, r, "/login/?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	RetryAfter(w, e)
	f := failures[e.Kind]
	body := failPage{failure: f, Messages: messages(e), RequestID: v.Caller.RequestID}
	// The page is sent whole even if htmx asks for a part: htmx does not show errors, and the status must stay an error.
	if err := v.send(pageTemplate("fail"), v.frame(Page{Title: f.Title, Body: body}), f.Status); err != nil {
		s.Log.ErrorContext(v.Ctx, "error page failed", "error", err, "path", r.URL.Path, "request_id", v.Caller.RequestID)
		http.Error(w, f.Title, f.Status)
	}
}

// RetryAfter sets the header Retry-After, if the error has a time to wait.
func RetryAfter(w http.ResponseWriter, e *fault.Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds()+0.999)))
	}
}

// messages returns the messages of an error, one by one.
func messages(e *fault.Error) []string {
	if len(e.Fields) == 0 && e.Items == nil {
		return []string{e.Detail}
	}
	var all []string
	for field, texts := range e.Fields {
		for _, text := range texts {
			if field != fault.General {
				text = field + ": " + text
			}
			all = append(all, text)
		}
	}
	if e.Items != nil {
		all = append(all, e.Error())
	}
	return all
}

// unplaced returns the messages of the fields that a form does not show, in the order of the fields.
func unplaced(errs fault.Fields, placed func(name string) bool) (texts []string) {
	for _, name := range slices.Sorted(maps.Keys(errs)) {
		if !placed(name) {
			texts = append(texts, errs[name]...)
		}
	}
	return texts
}

// strange reports whether a page is opened without a login by a program that asks neither for HTML nor for JSON, as curl does.
func (s *Site) strange(r *http.Request, err error) bool {
	return errors.Is(err, fault.ErrNoCreds) && r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "json")
}

// greet says in a sentence what is here.
func (s *Site) greet(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	_, _ = fmt.Fprintf(w, "This is Terrier. Open %s/login/ in a browser and log in. Programs use %s/api/ with a token.\n",
		s.BaseURL, s.BaseURL) // a client that has gone away is not an error here
}

// WantsPage reports whether the client is a browser, which accepts HTML.
func WantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }
