package rest

import (
	"net/http"

	"terrier/internal/access"
	"terrier/internal/intake"
	"terrier/internal/ledger"
)

// rights are what the methods need on the addresses of records.
var rights = map[string]string{"GET": access.View, "POST": access.Add, "PUT": access.Change, "PATCH": access.Change,
	"DELETE": access.Delete}

// admit checks a request by its head: a caller without any permission is refused before the body is read.
func (a *API) admit(w http.ResponseWriter, route Route, method string, r *http.Request) (leave func(), err error) {
	c := ledger.CallerFrom(r.Context())
	if _, known := rights[method]; known && route.Type != nil {
		if err := a.may(c, route, method); err != nil {
			return nil, err
		}
	}
	return a.Intake.Admit(w, r, bodyLimit(c, route, method), c.UserID), nil
}

// bodyLimit returns how long a body may be. Large ones need a permission to write: what everybody may write, such as
// their own tokens, is not enough.
func bodyLimit(c ledger.Caller, route Route, method string) int64 {
	t := route.Type
	switch {
	case route.Open:
		return intake.Credentials
	case t == nil, method == http.MethodGet, method == http.MethodOptions, t.Owner != "" && !c.Granted(t, rights[method]):
		return intake.Small
	}
	return maxBulk
}
