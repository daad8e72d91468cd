package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// Visit is one request for a page, and its caller.
type Visit struct {
	Site   *Site
	W      http.ResponseWriter
	R      *http.Request
	Ctx    context.Context
	Caller ledger.Caller

	allowed map[allowance]bool // what was asked so far: a table asks for each of its links
}

// policy lets a page load what this server serves, and nothing else. Bootstrap draws its
// ticks and arrows from data: addresses.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Page is what a template is given: the frame around it and what stands in it.
type Page struct {
	Name   string // of the template
	Title  string
	Crumbs []Crumb
	Body   any
	Status int // 200 where it is not given
}

// Crumb is a step on the way to a page.
type Crumb struct{ Label, Href string }

// Show answers with a page. Where htmx asks for the part with some id, only the template that
// is called like it is sent. The id is the caller's word: a template that is about something
// else fails, which is not told, because what it says of the data would be in the log.
func (v *Visit) Show(p Page) error {
	if target := v.R.Header.Get("Hx-Target"); v.Live() && v.Site.Templates.Lookup(target) != nil &&
		v.send(target, p.Body, http.StatusOK) == nil {
		return nil
	}
	return v.send(pageTemplate(p.Name), v.frame(p), cmp.Or(p.Status, http.StatusOK))
}

// Part answers with a shared template alone.
func (v *Visit) Part(name string, body any) error { return v.send(name, body, http.StatusOK) }

// buffers are what pages are written into: a page is whole before any of it is sent.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (v *Visit) send(name string, data any, status int) error {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= maxForm { // a page that was huge is not kept in memory
			buffers.Put(b)
		}
	}()
	b.Reset()
	if err := v.Site.Templates.ExecuteTemplate(b, name, data); err != nil {
		return err
	}
	h := v.W.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	v.W.WriteHeader(status)
	if v.R.Method != http.MethodHead {
		_, _ = v.W.Write(b.Bytes()) // a caller that has gone away is not an error here
	}
	return nil
}

// ParseForm reads a posted form. What can't be read is the sender's to fix; it is not repeated,
// since it may be part of a secret.
func (v *Visit) ParseForm() error {
	err := v.R.ParseForm()
	if _, refused := errors.AsType[*fault.Error](err); err == nil || refused {
		return err
	}
	return fault.New(fault.Invalid, "The form can't be read: it did not arrive as a browser sends it.")
}

// formVersion is the version of the record that a posted form shows, nil where it names none.
func (v *Visit) formVersion() []int64 {
	version, _ := strconv.ParseInt(v.R.PostForm.Get("version"), 10, 64)
	if version == 0 {
		return nil
	}
	return []int64{version}
}

// Live reports whether htmx asks, for a part of a page.
func (v *Visit) Live() bool { return v.R.Header.Get("Hx-Request") == "true" }

// Leave sends the caller to another page, which tells them what was done.
func (v *Visit) Leave(to, note string) error {
	if note != "" {
		v.setCookie(noteCookie, base64.RawURLEncoding.EncodeToString([]byte(note)), 60)
	}
	http.Redirect(v.W, v.R, to, http.StatusSeeOther)
	return nil
}

// The cookies that only say how a page looks.
const (
	noteCookie  = "terrier_note"
	themeCookie = "terrier_theme"
)

func (v *Visit) setCookie(name, value string, seconds int) {
	http.SetCookie(v.W, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: seconds, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(v.Site.BaseURL, "https://"), HttpOnly: name != themeCookie})
}

func (v *Visit) Cookie(name string) string {
	c, err := v.R.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// note takes the message that leave left.
func (v *Visit) note() string {
	raw, err := base64.RawURLEncoding.DecodeString(v.Cookie(noteCookie))
	if err != nil || len(raw) == 0 {
		return ""
	}
	v.setCookie(noteCookie, "", -1)
	return string(raw)
}

// Local is an address on this site, or the given one: nobody is led elsewhere.
func Local(to, otherwise string) string {
	if strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.Contains(to, "\\") &&
		!strings.ContainsFunc(to, unicode.IsControl) {
		return to
	}
	return otherwise
}
