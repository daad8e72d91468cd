package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"terrier/internal/fault"
	"terrier/internal/lasting"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// Visit is one request for a page, and its caller.
type Visit struct {
	Site   *Site
	W      http.ResponseWriter
	R      *http.Request
	Ctx    context.Context
	Caller ledger.Caller

	fullNames map[record.Pointer]string // of records that cells lead to, by type and id

	allowed map[allowance]bool // a cache of permissions: a table asks for each of its links
}

// policy allows a page to load only what this server serves. data: is allowed for Bootstrap's ticks and arrows.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Page is a page to show: its template, its content, and what the frame needs.
type Page struct {
	Name   string // of the template
	Title  string
	Crumbs []Crumb
	Body   any
	Cards  []panelPart // of a record
	Status int         // the default is 200
}

// Crumb is a step on the way to a page.
type Crumb struct{ Label, Href string }

// Show answers with a page. If htmx asks for the part with some id, it sends only the template with that name. The id comes from the
// client, so it may name a template for other data. Such a template fails, and its error is not reported: it would bring data into the
// log.
func (v *Visit) Show(p Page) error {
	if target := v.R.Header.Get("Hx-Target"); v.Live() && v.Site.Templates.Lookup(target) != nil &&
		v.send(target, p.Body, http.StatusOK) == nil {
		return nil
	}
	return v.send(pageTemplate(p.Name), v.frame(p), cmp.Or(p.Status, http.StatusOK))
}

// Part answers with only a shared template.
func (v *Visit) Part(name string, body any) error { return v.send(name, body, http.StatusOK) }

// buffers are reused for pages. A page is complete before any of it is sent.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (v *Visit) send(name string, data any, status int) error {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= maxForm { // the buffer of a huge page is not kept
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
		_, _ = lasting.AnswerWriter(v.W, b.Len()).Write(b.Bytes()) // a client that has disconnected is not an error here
	}
	return nil
}

// ParseForm parses a posted form, and gives back the memory for that. A form that can't be parsed is the client's
// mistake. The error does not repeat it, because it may contain a secret.
func (v *Visit) ParseForm() error {
	defer v.decoded()
	return v.parseForm()
}

// decoded gives back the memory for decoding the body: before the request waits for anything else.
func (v *Visit) decoded() { _ = v.R.Body.Close() }

func (v *Visit) parseForm() error {
	err := v.R.ParseForm()
	if _, refused := errors.AsType[*fault.Error](err); err == nil || refused {
		return err
	}
	return fault.New(fault.Invalid, "The form can't be read: it is not in the format that browsers send.")
}

// formVersion returns the version of the record in a posted form, nil if it has none.
func (v *Visit) formVersion() []int64 {
	version, _ := strconv.ParseInt(v.R.PostForm.Get("version"), 10, 64)
	if version == 0 {
		return nil
	}
	return []int64{version}
}

// Live reports whether htmx asks for a part of a page.
func (v *Visit) Live() bool { return v.R.Header.Get("Hx-Request") == "true" }

// Leave redirects the caller to another page, which shows the note.
func (v *Visit) Leave(to, note string) error {
	return v.LeaveWith(to, note, Crumb{})
}

// note is a message that one page leaves for the next, with a link at its end.
type note struct {
	Text string
	Link Crumb
}

// LeaveWith redirects the caller to another page, which shows the note and a link.
func (v *Visit) LeaveWith(to, text string, link Crumb) error {
	if err := v.leaveNote(note{text, link}); err != nil {
		return err
	}
	http.Redirect(v.W, v.R, to, http.StatusSeeOther)
	return nil
}

// leaveNote leaves a note for the next page, if it has a text.
func (v *Visit) leaveNote(n note) error {
	if n.Text == "" {
		return nil
	}
	raw, err := json.Marshal(n)
	if err == nil {
		v.setCookie(v.noteCookie(), base64.RawURLEncoding.EncodeToString(raw), 60)
	}
	return err
}

// The cookies that only affect how a page looks.
const (
	themeCookie = "terrier_theme"
	navCookie   = "terrier_nav"
)

// noteCookie returns the name of the cookie with the note. Under https no other host of the domain can plant one: browsers
// accept the prefix only from this very host.
func (v *Visit) noteCookie() string {
	if v.secure() {
		return "__Host-terrier_note"
	}
	return "terrier_note"
}

func (v *Visit) secure() bool { return strings.HasPrefix(v.Site.BaseURL, "https://") }

func (v *Visit) setCookie(name, value string, seconds int) {
	http.SetCookie(v.W, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: seconds, SameSite: http.SameSiteLaxMode,
		Secure: v.secure(), HttpOnly: name != themeCookie})
}

func (v *Visit) Cookie(name string) string {
	c, err := v.R.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// note returns the message that Leave stored, and removes it. Its link leads to a page of this site.
func (v *Visit) note() (left note) {
	raw, err := base64.RawURLEncoding.DecodeString(v.Cookie(v.noteCookie()))
	if err != nil || len(raw) == 0 {
		return note{}
	}
	v.setCookie(v.noteCookie(), "", -1)
	if json.Unmarshal(raw, &left) != nil {
		return note{}
	}
	left.Link.Href = Local(left.Link.Href, "")
	return left
}

// Local returns an address if it is on this site, or else the other one. So nobody is redirected to another site.
func Local(to, otherwise string) string {
	if strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "//") && !strings.Contains(to, "\\") &&
		!strings.ContainsFunc(to, unicode.IsControl) {
		return to
	}
	return otherwise
}
