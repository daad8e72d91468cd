package metrics_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// site is a server, a worker and a receiver.
type site struct {
	t              *testing.T
	in             *install.Install
	server, worker *install.Process
	receiver       *httptest.Server
	received       atomic.Int64
	key            string
	sent           int
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t}
	s.receiver = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.received.Add(1)
		if r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(s.receiver.Close)
	s.in = install.New(t, dbtest.New(t), "METRICS_LISTEN=127.0.0.1:0", "EGRESS_ALLOW=127.0.0.1/32")
	s.in.User("admin", "right password", "--superuser")
	s.key, s.server, s.worker = s.in.Token("admin"), s.in.Serve(), s.in.Work()
	return s
}

// webhook makes a webhook that is notified of new tags, and returns its id.
func (s *site) webhook(name, path string) int64 {
	s.t.Helper()
	var made struct{ ID int64 }
	s.server.Do(http.MethodPost, "/api/extras/webhooks/", s.key, install.Object{"name": name, "content_types": []string{"extras.tag"},
		"type_create": true, "payload_url": s.receiver.URL + path}).Want(s.t, http.StatusCreated).Read(s.t, &made)
	return made.ID
}

// tag makes a change.
func (s *site) tag() {
	s.t.Helper()
	s.sent++
	name := fmt.Sprint("tag-", s.sent)
	s.server.Do(http.MethodPost, "/api/extras/tags/", s.key, install.Object{"name": name, "slug": name}).Want(s.t, http.StatusCreated)
}

// load makes a little of everything happen, and waits until it has been delivered.
func (s *site) load() {
	s.t.Helper()
	s.webhook("good", "/")
	s.webhook("bad", "/broken")
	for range 5 {
		s.tag()
	}
	s.server.Get("/api/extras/tags/", s.key).Want(s.t, http.StatusOK)
	s.server.Get("/unheard-of/", "").Want(s.t, http.StatusNotFound)
	s.server.Get("/api/extras/tags/1/", "0123456789012345678901234567890123456789").Want(s.t, http.StatusForbidden)
	s.server.Do("INVENTED", "/api/extras/tags/", s.key, nil)
	login := install.Object{"username": "admin", "password": "wrong password"}
	s.server.Do(http.MethodPost, "/api/users/tokens/provision/", "", login).Want(s.t, http.StatusForbidden)
	install.Eventually(s.t, "all deliveries have ended", func() bool {
		n, _ := value(s.t, s.worker, "terrier_delivery_attempts_total", nil)
		return n == 10
	})
}
