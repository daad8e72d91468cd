package server

import (
	"net/http"
	"strings"
)

// Observer is notified when a request begins, and of the status of its answer. The route is the pattern of an
// address, also for a request that is refused before it gets there.
type Observer interface {
	Begin(route, method string) (end func(status int))
}

// unrouted is the route of a request that leads to no pattern of ours.
const unrouted = "other"

// route returns the pattern of the address of a request, without its method.
func (s *Server) route(r *http.Request) string {
	if r.Method == http.MethodConnect {
		return unrouted // a mux would name the path, which the caller chose
	}
	pattern := ""
	for _, mux := range s.muxes {
		if _, pattern = mux.Handler(r); pattern != "/" {
			break
		}
	}
	if at := strings.Index(pattern, "/"); at >= 0 {
		return pattern[at:]
	}
	return unrouted
}
