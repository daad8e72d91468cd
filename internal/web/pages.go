package web

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// typePages are the pages of one record type. What can be known from its declaration is worked
// out once.
type typePages struct {
	site   *Site
	t      *record.Type
	path   string // of the list: /dcim/sites/
	title  string // "Sites"
	single string // "Site"

	filterNames  []string
	allColumns   []column
	firstColumns []string

	own  ownPages
	nav  navLinks
	home homeLine
}

func newTypePages(s *Site, t *record.Type, own ownPages) *typePages {
	p := &typePages{site: s, t: t, path: pagePath(t), title: capital(pluralTitle(t)), single: capital(t.Title()), filterNames: t.FilterNames(),
		own: own}
	p.allColumns, p.firstColumns = columnsOf(t)
	return p
}

// pagePath is the address of a type's list: the API's without /api.
func pagePath(t *record.Type) string { return strings.TrimPrefix(t.Path(), "/api") }

// recordPath is the address of a record's page.
func recordPath(t *record.Type, id int64) string { return pagePath(t) + t.FormatID(id) + "/" }

// pluralTitle is the name of many: "site groups".
func pluralTitle(t *record.Type) string { return strings.ReplaceAll(t.Plural, "-", " ") }

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// id reads the id in the address. What is no id is no record.
func (p *typePages) id(v *visit) (int64, error) {
	id, err := p.t.ParseID(v.r.PathValue("id"))
	if err != nil {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

// record reads the record in the address.
func (p *typePages) record(v *visit) (record.Values, error) {
	id, err := p.id(v)
	if err != nil {
		return record.Values{}, err
	}
	return p.site.Ledger.Get(v.ctx, v.caller, p.t, id)
}

// crumbs lead to a page of the type.
func (p *typePages) crumbs(more ...crumb) []crumb {
	return append([]crumb{{p.t.Section, ""}, {p.title, p.path}}, more...)
}

// with is an address with some parameters set; an empty one is left out.
func with(path string, params url.Values, pairs ...string) string {
	q := url.Values{}
	for key, values := range params {
		q[key] = values
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Del(pairs[i])
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// ownPages is what the pages of a type show besides what is derived from its fields.
type ownPages struct {
	form, detail string // templates of their own
	moreForm     func(v *visit, form *formPage, found record.Values) error
	moreDetail   func(v *visit, d *detailPage, found record.Values) error
	cells        map[string]func(record.Values) cell      // of a list, by field, where the value alone does not say enough
	added        func(v *visit, made record.Values) error // answers instead of the redirect
}

// ownPages lists the types that have some.
func (s *Site) ownPages() map[string]ownPages {
	return map[string]ownPages{
		store.WebhookType:  s.webhookPages(),
		store.DeliveryType: s.deliveryPages(),
		store.ChangeType:   s.changePages(),
		tokenType:          s.tokenPages(),
	}
}
