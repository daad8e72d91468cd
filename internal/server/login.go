package server

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"

	"terrier/internal/fault"
)

// maxLogin is more than a name and a password need.
const maxLogin = 4 << 10

// login starts a session. The body is a form or a JSON object.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	username, password, err := credentials(w, r)
	if err != nil {
		s.API.Fail(w, r, err)
		return
	}
	user, err := s.Login.Check(r.Context(), username, password, s.client(r))
	if err != nil {
		s.API.Fail(w, r, err)
		return
	}
	if old, err := r.Cookie(s.Sessions.CookieName()); err == nil {
		if _, err := s.Sessions.End(r.Context(), old.Value); err != nil {
			s.API.Fail(w, r, err)
			return
		}
	}
	cookie, err := s.Sessions.Start(r.Context(), user.ID, user.Epoch)
	if err != nil {
		s.API.Fail(w, r, err)
		return
	}
	http.SetCookie(w, cookie)
	w.WriteHeader(http.StatusNoContent)
}

// logout ends the session.
func (s *Server) logout(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(s.Sessions.CookieName()); err == nil {
		cleared, err := s.Sessions.End(r.Context(), cookie.Value)
		if err != nil {
			s.API.Fail(w, r, err)
			return
		}
		http.SetCookie(w, cleared)
	}
	w.WriteHeader(http.StatusNoContent)
}

func credentials(w http.ResponseWriter, r *http.Request) (username, password string, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLogin)
	var in struct{ Username, Password string }
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if media == "application/json" {
		raw, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(raw, &in) != nil {
			return "", "", fault.New(fault.Invalid, "Expected an object with username and password.")
		}
	} else {
		if r.ParseForm() != nil {
			return "", "", fault.New(fault.Invalid, "Expected a form with username and password.")
		}
		in.Username, in.Password = r.PostForm.Get("username"), r.PostForm.Get("password")
	}
	errs := fault.Fields{}
	if in.Username == "" {
		errs.Add("username", "This field is required.")
	}
	if in.Password == "" {
		errs.Add("password", "This field is required.")
	}
	if len(errs) > 0 {
		return "", "", &fault.Error{Kind: fault.Invalid, Fields: errs}
	}
	return in.Username, in.Password, nil
}
