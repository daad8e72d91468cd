package rest

import (
	"cmp"
	"net/http"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// provisionedFields are the fields of a new token that its user can give with name and password.
var provisionedFields = []string{"expires", "description", "write_enabled", "allowed_ips"}

// provision makes a token for a user who gives name and password.
func (a *API) provision(w http.ResponseWriter, r *http.Request) {
	in, err := decode(w, r, false)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	if err := a.judgeKeys(w, r, in, append([]string{"username", "password"}, provisionedFields...)); err != nil {
		a.Fail(w, r, err)
		return
	}
	username, password, err := credentials(in.items[0])
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	from := a.Proxies.ClientAddr(r.RemoteAddr, r.Header.Values("X-Forwarded-For"))
	user, err := a.Login.Check(r.Context(), username, password, from)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	// A login reads no grants, so that it costs the same for every name.
	if user, err = a.Login.Users.LoadUser(r.Context(), user.ID); err != nil || user == nil {
		a.Fail(w, r, cmp.Or(err, error(fault.ErrDenied)))
		return
	}
	token := ledger.Input{}
	for _, name := range provisionedFields {
		if v, ok := in.items[0][name]; ok {
			token[name] = v
		}
	}
	caller := ledger.CallerFrom(r.Context())
	subject := user.Subject()
	subject.TokenID, subject.Limits = caller.TokenID, caller.Limits // of the token that the request came with, if any
	caller.Subject = subject
	rows, err := a.Ledger.Create(r.Context(), caller, a.Registry.Type("users.token"), []ledger.Input{token})
	if err != nil {
		a.Fail(w, r, single(err))
		return
	}
	a.sendRecord(w, r, http.StatusCreated, rows[0])
}

// credentials reads name and password, and says which is missing.
func credentials(in ledger.Input) (username, password string, err error) {
	errs := fault.Fields{}
	text := func(name string) string {
		value, given := in[name]
		s, ok := value.(string)
		switch {
		case !given:
			errs.Add(name, "%s", record.ErrRequired().Error())
		case !ok:
			errs.Add(name, "Not a valid string.")
		case s == "":
			errs.Add(name, "This field may not be blank.")
		}
		return s
	}
	username, password = text("username"), text("password")
	if len(errs) > 0 {
		return "", "", &fault.Error{Kind: fault.Invalid, Fields: errs}
	}
	return username, password, nil
}
