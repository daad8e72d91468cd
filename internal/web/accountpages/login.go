package accountpages

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/fault"
	"terrier/internal/web"
)

// loginForm is what the login page shows.
type loginForm struct {
	Username, Next string
	Problem        string
}

func (a *room) loginPage(v *web.Visit) error {
	next := web.Local(v.R.URL.Query().Get("next"), "/")
	if !v.Caller.Anonymous() {
		return v.Leave(next, "")
	}
	return v.Show(web.Page{Name: "login", Title: "Log in", Body: loginForm{Next: next}})
}

// login starts a session. It redirects a browser to the page it wanted. A program that sends a form or a JSON object gets only the
// cookie.
func (a *room) login(v *web.Visit) error {
	username, password, err := credentials(v)
	if err == nil {
		err = a.startSession(v, username, password)
	}
	next := web.Local(v.R.PostFormValue("next"), "/")
	switch {
	case err != nil && web.WantsPage(v.R):
		e, known := errors.AsType[*fault.Error](err)
		if _, ours := fault.LogLevel(err); !known || ours {
			return err
		}
		web.RetryAfter(v.W, e)
		return v.Show(web.Page{Name: "login", Title: "Log in", Status: web.StatusOf(e),
			Body: loginForm{Username: username, Next: next, Problem: e.Error()}})
	case err != nil:
		return err
	case web.WantsPage(v.R):
		return v.Leave(next, "")
	}
	v.W.WriteHeader(http.StatusNoContent)
	return nil
}

func (a *room) startSession(v *web.Visit, username, password string) error {
	user, err := a.logins.Check(v.Ctx, username, password, a.address(v))
	if err != nil {
		return err
	}
	if _, err := a.endSession(v); err != nil {
		return err
	}
	caller := v.Caller
	caller.Subject = user.Subject()
	if err := a.site.Ledger.NoteSession(v.Ctx, caller, audit.Login); err != nil {
		return err
	}
	return a.newSession(v, user.ID, user.Epoch)
}

// endSession ends the session that the browser has, if any, and records whose it was. A token in the same request says nothing about
// that. It returns the cookie that makes the browser forget it.
func (a *room) endSession(v *web.Visit) (forget *http.Cookie, err error) {
	forget, user, err := a.sessions.End(v.Ctx, v.Cookie(a.sessions.CookieName()))
	if err != nil || user == 0 {
		return forget, err
	}
	caller := v.Caller
	if caller.UserID != user {
		caller.Subject = &access.Subject{UserID: user}
	}
	return forget, a.site.Ledger.NoteSession(v.Ctx, caller, audit.Logout)
}

// newSession starts a session in this browser and replaces the one it has.
func (a *room) newSession(v *web.Visit, user, epoch int64) error {
	if _, _, err := a.sessions.End(v.Ctx, v.Cookie(a.sessions.CookieName())); err != nil {
		return err
	}
	cookie, err := a.sessions.Start(v.Ctx, user, epoch)
	if err != nil {
		return err
	}
	http.SetCookie(v.W, cookie)
	return nil
}

// address returns the address of the client.
func (a *room) address(v *web.Visit) netip.Addr {
	return a.proxies.ClientAddr(v.R.RemoteAddr, v.R.Header.Values("X-Forwarded-For"))
}

// logout ends the session.
func (a *room) logout(v *web.Visit) error {
	forget, err := a.endSession(v)
	if err != nil {
		return err
	}
	http.SetCookie(v.W, forget)
	if web.WantsPage(v.R) {
		return v.Leave("/login/", "You are logged out.")
	}
	v.W.WriteHeader(http.StatusNoContent)
	return nil
}

// credentials returns the name and the password in the body.
func credentials(v *web.Visit) (username, password string, err error) {
	var in struct{ Username, Password string }
	media, _, _ := mime.ParseMediaType(v.R.Header.Get("Content-Type"))
	if media == "application/json" {
		raw, err := io.ReadAll(v.R.Body)
		if err != nil {
			return "", "", err
		}
		if json.Unmarshal(raw, &in) != nil {
			return "", "", fault.New(fault.Invalid, "Expected an object with username and password.")
		}
	} else {
		if err := v.ParseForm(); err != nil {
			return "", "", err
		}
		in.Username, in.Password = v.R.PostForm.Get("username"), v.R.PostForm.Get("password")
	}
	errs := fault.Fields{}
	if in.Username == "" {
		errs.Add("username", "This field is required.")
	}
	if in.Password == "" {
		errs.Add("password", "This field is required.")
	}
	if len(errs) > 0 {
		return in.Username, "", &fault.Error{Kind: fault.Invalid, Fields: errs}
	}
	return in.Username, in.Password, nil
}
