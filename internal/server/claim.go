package server

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/intake"
	"terrier/internal/store"
)

// claimed lets a request go ahead for a caller known from a moment ago. The read or the
// transaction itself proves that the accounts have not changed; if they have, nothing was
// written or answered, and the caller is looked up as if there had been no claim.
func (s *Server) claimed(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
	if !provesClaims(r) {
		return false
	}
	key, present, err := account.ParseAuthorization(r.Header.Get("Authorization"))
	if err != nil || !present {
		return false
	}
	subject, generation, ok := s.Auth.Claim(key, s.client(r))
	if !ok {
		return false
	}
	again := rewind(r)
	claim, out := &store.Claim{Generation: generation}, w.(*recorder)
	out.claim = claim
	serveAs(next, w, r.WithContext(store.WithClaim(r.Context(), claim)), subject)
	if !claim.Proven {
		out.claim, out.caller.Subject = nil, &access.Subject{}
		again()
	}
	return claim.Proven
}

// provesClaims tells whether a request reads or changes records: those addresses prove a
// claim. What else can be done (log in, retry, pause) stands behind a POST to some other
// address than a list's. Who changes accounts makes every claim stale, their own too: they
// are looked up at once. A body is kept in case it must be read again, so it is a small one.
func provesClaims(r *http.Request) bool {
	path, isAPI := strings.CutPrefix(r.URL.Path, "/api/")
	if !isAPI || !strings.HasSuffix(path, "/") {
		return false
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return true
	case http.MethodPost:
		if strings.Count(path, "/") != 2 {
			return false
		}
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
	default:
		return false
	}
	return !strings.HasPrefix(path, "users/") && r.ContentLength >= 0 && r.ContentLength <= intake.Small
}

// rewind keeps what is read of the body of a request, until the returned function puts it
// back in front of the rest.
func rewind(r *http.Request) (again func()) {
	type body struct {
		io.Reader
		io.Closer
	}
	all := r.Body
	var read bytes.Buffer
	r.Body = body{io.TeeReader(all, &read), all}
	return func() { r.Body = body{io.MultiReader(&read, all), all} }
}
