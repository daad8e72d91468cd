package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"

	"terrier/internal/fault"
)

// loginForm is what the login page shows.
type loginForm struct {
	Username, Next string
	Problem        string
}

func (s *Site) loginPage(v *visit) error {
	next := local(v.r.URL.Query().Get("next"), "/")
	if !v.caller.Anonymous() {
		return v.leave(next, "")
	}
	return v.show(page{Name: "login", Title: "Log in", Body: loginForm{Next: next}})
}

// login starts a session. A browser is led to the page it wanted; a program that sends a form
// or a JSON object gets the cookie alone.
func (s *Site) login(v *visit) error {
	username, password, err := v.credentials()
	if err == nil {
		err = s.startSession(v, username, password)
	}
	next := local(v.r.PostFormValue("next"), "/")
	switch {
	case err != nil && wantsPage(v.r):
		e, known := errors.AsType[*fault.Error](err)
		if _, ours := fault.LogLevel(err); !known || ours {
			return err
		}
		retryAfter(v.w, e)
		return v.show(page{Name: "login", Title: "Log in", Status: failures[e.Kind].Status,
			Body: loginForm{Username: username, Next: next, Problem: e.Error()}})
	case err != nil:
		return err
	case wantsPage(v.r):
		return v.leave(next, "")
	}
	v.w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Site) startSession(v *visit, username, password string) error {
	user, err := s.Login.Check(v.ctx, username, password, v.address())
	if err != nil {
		return err
	}
	return v.newSession(user.ID, user.Epoch)
}

// newSession begins a session in this browser, in place of the one it has.
func (v *visit) newSession(user, epoch int64) error {
	sessions := v.site.Sessions
	if _, err := sessions.End(v.ctx, v.cookie(sessions.CookieName())); err != nil {
		return err
	}
	cookie, err := sessions.Start(v.ctx, user, epoch)
	if err != nil {
		return err
	}
	http.SetCookie(v.w, cookie)
	return nil
}

// address is where the request comes from.
func (v *visit) address() netip.Addr {
	return v.site.Proxies.ClientAddr(v.r.RemoteAddr, v.r.Header.Values("X-Forwarded-For"))
}

// logout ends the session.
func (s *Site) logout(v *visit) error {
	cleared, err := s.Sessions.End(v.ctx, v.cookie(s.Sessions.CookieName()))
	if err != nil {
		return err
	}
	http.SetCookie(v.w, cleared)
	if wantsPage(v.r) {
		return v.leave("/login/", "You are logged out.")
	}
	v.w.WriteHeader(http.StatusNoContent)
	return nil
}

// credentials are the name and the password in the body.
func (v *visit) credentials() (username, password string, err error) {
	var in struct{ Username, Password string }
	media, _, _ := mime.ParseMediaType(v.r.Header.Get("Content-Type"))
	if media == "application/json" {
		raw, err := io.ReadAll(v.r.Body)
		if err != nil {
			return "", "", err
		}
		if json.Unmarshal(raw, &in) != nil {
			return "", "", fault.New(fault.Invalid, "Expected an object with username and password.")
		}
	} else {
		if err := v.parseForm(); err != nil {
			return "", "", err
		}
		in.Username, in.Password = v.r.PostForm.Get("username"), v.r.PostForm.Get("password")
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
