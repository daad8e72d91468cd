// Package customlink owns what people define as a custom link: two templates that become the text and the address of a button on the page
// of a record. It decides which addresses a button may lead to. The pages own how a button looks.
package customlink

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"terrier/internal/jinja"
)

// Link is a custom link, as it was defined.
type Link struct {
	Name      string
	Text, URL string // templates
}

// Button is a custom link, rendered for a record. The zero Button is not shown.
type Button struct {
	Text string
	Href string // "" if the address may not be followed, or Err is set
	Err  error  // why a template can't be rendered; Text is then the name of the link
}

// Shown reports whether there is anything to show.
func (b Button) Shown() bool { return b.Text != "" }

// The limits of what one page shows. A single template has those of package jinja besides.
const (
	MaxLinks = 100                    // links of one type
	maxTime  = 250 * time.Millisecond // rendering all of them; those after that are not rendered
	maxText  = 200                    // characters
	maxURL   = 8000                   // bytes
)

// Renderer renders the links of one page.
type Renderer struct {
	context jinja.Value
	err     error // why there is none
	now     func() time.Time
	ends    time.Time
}

// For returns a renderer for a record, which is the JSON that webhooks see as its data.
func For(object []byte, now func() time.Time) *Renderer {
	context, err := jinja.Decode(append(append([]byte(`{"object":`), object...), '}'))
	return &Renderer{context: context, err: err, now: now, ends: now().Add(maxTime)}
}

// Button renders a link.
func (r *Renderer) Button(l Link) Button {
	text, err := r.render(l.Text)
	if err == nil && len([]rune(text)) > maxText {
		err = fmt.Errorf("the text is longer than %d characters", maxText)
	}
	if err != nil {
		return Button{Text: l.Name, Err: fmt.Errorf("link text: %w", err)}
	}
	if text == "" {
		return Button{}
	}
	to, err := r.render(l.URL)
	if err == nil && len(to) > maxURL {
		err = fmt.Errorf("the address is longer than %d bytes", maxURL)
	}
	if err != nil {
		return Button{Text: l.Name, Err: fmt.Errorf("link URL: %w", err)}
	}
	return Button{Text: text, Href: Address(to)}
}

var errLate = errors.New("it was not rendered, because the links before it took too long")

func (r *Renderer) render(template string) (string, error) {
	switch {
	case r.err != nil:
		return "", r.err
	case r.now().After(r.ends):
		return "", errLate
	}
	t, err := jinja.Parse(template)
	if err != nil {
		return "", err
	}
	text, err := t.Render(r.context)
	return strings.TrimSpace(text), err
}

// Address returns an address as a button may lead to it: quoted, and "" if its scheme is not allowed. An address without a scheme is one
// of this site, or with // of another that is reached as this one.
func Address(to string) string {
	to = quoted(to)
	scheme, _, found := strings.Cut(to, ":")
	if found && !strings.ContainsAny(scheme, "/?#") && !schemes[strings.ToLower(scheme)] {
		return ""
	}
	return to
}

// Elsewhere returns the host that an address leads to, or its scheme if it has no host, and "" for one of the site at base.
func Elsewhere(address, base string) string {
	scheme, rest, found := strings.Cut(address, "//")
	if found && (scheme == "" || strings.HasSuffix(scheme, ":")) { // browsers take any number of slashes for two
		address = scheme + "//" + strings.TrimLeft(rest, "/")
	}
	to, err := url.Parse(address)
	if err != nil {
		return "another site"
	}
	own, err := url.Parse(base)
	if to.Scheme == "" && to.Host == "" || err == nil && to.Scheme == own.Scheme && to.Host == own.Host {
		return ""
	}
	return cmp.Or(to.Host, to.Scheme)
}

// schemes are those that NetBox allows.
var schemes = map[string]bool{"file": true, "ftp": true, "ftps": true, "http": true, "https": true, "irc": true, "mailto": true,
	"sftp": true, "ssh": true, "tel": true, "telnet": true, "tftp": true, "vnc": true, "xmpp": true}

// unquoted are the characters that stay as they are, besides letters and digits.
const unquoted = "-._~" + "/:?&=%+[]@#,;"

const hex = "0123456789ABCDEF"

// quoted writes every other byte as % and two digits.
func quoted(to string) string {
	var b strings.Builder
	for i := range len(to) {
		switch c := to[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(unquoted, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
