package rest

import (
	"net/http"

	"terrier/internal/access"
	"terrier/internal/intake"
	"terrier/internal/ledger"
)

// rights are what the methods need on the addresses of records.
var rights = map[string]string{"GET": access.View, "POST": access.Add, "PUT": access.Change, "PATCH": access.Change, "DELETE": access.Delete}

// admit judges a request by its head: who has no permission at all is refused before
// anything of it is read.
func (a *API) admit(w http.ResponseWriter, route Route, method string, r *http.Request) (leave func(), err error) {
	c := ledger.CallerFrom(r.Context())
	if _, known := rights[method]; known && route.Type != nil {
		if err := a.may(c, route, method); err != nil {
			return nil, err
		}
	}
	return a.Intake.Admit(w, r, bodyLimit(c, route, method), c.UserID), nil
}

// bodyLimit is how long a body may be. Large ones are for those who were given the right to write: not for what
// everybody may write, such as their own tokens.
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
