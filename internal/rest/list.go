package rest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

func (a *API) list(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		params, err := ledger.Params(r.URL.RawQuery)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		q, err := a.Ledger.Query(r.Context(), t, params)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		page, err := a.Ledger.List(r.Context(), ledger.CallerFrom(r.Context()), t, q)
		if err != nil {
			a.Fail(w, r, err)
			return
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
		b = a.appendRecords(b, t, page.Rows, viewOf(params))
		a.send(w, r, http.StatusOK, append(b, '}'))
	}
}

func viewOf(params url.Values) record.View {
	brief, _ := record.Bool{}.ParseText(params.Get("brief"))
	omit := append(splitNames(params["omit"]), splitNames(params["exclude"])...)
	return record.View{Brief: brief == true, Only: splitNames(params["fields"]), Omit: omit}
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
