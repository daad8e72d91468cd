package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// xCount is the header that tells that counting stopped: there are at least as many records as count says.
const xCount = "X-Count"

func (a *API) list(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		params, err := ledger.Params(r.URL.RawQuery)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		q, err := a.Ledger.Query(r.Context(), ledger.CallerFrom(r.Context()), t, params)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		if q.View, err = viewOf(t, params); err != nil {
			a.Fail(w, r, err)
			return
		}
		page, release, err := a.readPage(w, r, t, q, params)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		defer release()
		if page.Capped {
			w.Header().Set(xCount, "capped")
		}
		for _, name := range t.SecretFilters() {
			params.Del(name)
		}
		next, previous := ledger.Links(params, q, page)
		b := make([]byte, 0, 512+1024*len(page.Rows))
		b = append(b, `{"count":`...)
		b = strconv.AppendInt(b, page.Count, 10)
		b = append(b, `,"next":`...)
		b = a.appendPage(b, t, next)
		b = append(b, `,"previous":`...)
		b = a.appendPage(b, t, previous)
		b = append(b, `,"results":`...)
		out := &listing{a: a, w: w, r: r, status: http.StatusOK, buf: b}
		out.records(t, page.Rows, q.View)
		out.buf = append(out.buf, '}')
		out.end()
	}
}

// readPage reads a page. A large one waits until there is memory for it, without a connection to the database, and is
// then read; release gives the memory back. A page for people is small.
func (a *API) readPage(w http.ResponseWriter, r *http.Request, t *record.Type, q store.Query,
	params url.Values) (page store.Page, release func(), err error) {
	ctx, caller := r.Context(), ledger.CallerFrom(r.Context())
	_, browsed := w.(*captured)
	if browsed {
		q.MaxBytes = browsedBytes
	}
	page, release, err = a.Ledger.ReadPage(ctx, caller, t, q)
	if err != nil || !page.Full || browsed {
		return page, release, err
	}
	page.Rows = nil // not kept meanwhile
	release()
	if release, err = a.Ledger.Store.HoldLarge(ctx, caller.Asker()); err != nil {
		return page, nil, err
	}
	q.MaxBytes = store.MaxPage
	if page, err = a.Ledger.List(ctx, caller, t, q); err == nil {
		err = ledger.EndsEarly(params, page)
	}
	if err != nil {
		release()
	}
	return page, release, err
}

// viewOf reads which part of the records is shown.
func viewOf(t *record.Type, params url.Values) (record.View, error) {
	brief, _ := record.ParseBool(params.Get("brief"))
	excluded := splitNames(params["exclude"])
	view := record.View{Brief: brief, BriefList: brief, Only: splitNames(params["fields"]),
		Omit: append(splitNames(params["omit"]), excluded...)}
	for _, name := range onRequest(t) {
		if asked, _ := record.ParseBool(params.Get(name)); asked && !slices.Contains(view.Omit, name) {
			view.With = append(view.With, name)
		}
	}
	for _, name := range excluded {
		known := excludableAnywhere(t.Registry())
		if !slices.Contains(known, name) {
			return view, fault.Field("exclude", "Only %s can be excluded: use omit to leave out other fields.", strings.Join(known, ", "))
		}
	}
	return view, nil
}

// excludable lists the fields of a type that ?exclude= leaves out.
func excludable(t *record.Type) (names []string) {
	for _, in := range t.Infos() {
		if in.Excludable {
			names = append(names, in.Name)
		}
	}
	return names
}

// onRequest lists the fields of a type that are shown only to those who ask for them.
func onRequest(t *record.Type) (names []string) {
	for _, in := range t.Infos() {
		if in.OnRequest {
			names = append(names, in.Name)
		}
	}
	return names
}

// excludableAnywhere lists the words that ?exclude= takes. Clients send the same one to every list.
func excludableAnywhere(r *record.Registry) (names []string) {
	for _, t := range r.Types() {
		for _, name := range excludable(t) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func splitNames(values []string) []string {
	var names []string
	for _, v := range values {
		for _, name := range strings.Split(v, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// appendPage writes the address of another page of the list, null for none.
func (a *API) appendPage(dst []byte, t *record.Type, query string) []byte {
	if query == "" {
		return append(dst, "null"...)
	}
	return record.AppendString(dst, a.Printer.Base+t.Path()+"?"+query)
}

// browsedBytes is as much as a person reads on one page of the browsable API.
const browsedBytes = 256 << 10
