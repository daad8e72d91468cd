package server

import (
	"net/http"

	"terrier/internal/fault"
	"terrier/internal/hops"
)

// hops tells `terrier doctor` what arrived of its request. For anybody without the secret key there is no such page.
func (s *Server) hops(w http.ResponseWriter, r *http.Request) {
	nonce, ok := hops.Asked(s.Auth.Keys, r, s.Now())
	if !ok {
		s.fail(w, r, fault.ErrNotFound)
		return
	}
	peer, trusted := s.Proxies.Peer(r.RemoteAddr)
	seen := hops.Seen{Peer: peer.String(), PeerTrusted: trusted, ForwardedFor: r.Header.Values("X-Forwarded-For"),
		Client: s.client(r).String()}
	if err := hops.Answer(w, s.Auth.Keys, nonce, seen); err != nil {
		s.fail(w, r, err)
	}
}
