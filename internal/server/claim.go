package server

import (
	"bytes"
	"io"
	"net/http"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/intake"
	"terrier/internal/store"
)

// prover is the handler of a route that reports whether it proves the claim of a request itself.
type prover interface {
	ProvesClaim(method string) bool
}

// claimed serves a request for a caller known from a moment ago. The read or the transaction itself proves that the
// accounts have not changed. If they have, nothing was written or answered, and the caller is looked up as if there
// had been no claim.
func (s *Server) claimed(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) bool {
	key, present, err := account.ParseAuthorization(r.Header.Get("Authorization"))
	if err != nil || !present || !provesClaim(mux, r) {
		return false
	}
	subject, ok := s.Auth.Claim(key, s.client(r))
	if !ok {
		return false
	}
	again := rewind(r)
	claim, out := &store.Claim{Generation: subject.Generation}, w.(*recorder)
	out.claim = claim
	serveAs(mux, w, r.WithContext(store.WithClaim(r.Context(), claim)), subject)
	if !claim.Proven {
		out.claim, out.caller.Subject = nil, &access.Subject{}
		again()
	}
	return claim.Proven
}

// provesClaim reports whether the route of a request is marked as one that proves a claim. The body of a write is
// kept in case it must be read again, so it must be small.
func provesClaim(mux *http.ServeMux, r *http.Request) bool {
	route, _ := mux.Handler(r)
	p, marked := route.(prover)
	if !marked || !p.ProvesClaim(r.Method) {
		return false
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return reads || r.ContentLength >= 0 && r.ContentLength <= intake.Small
}

// rewind records what is read of a request's body until the returned function puts it back in front of the rest.
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
