package metrics_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// TestProbes: servers and workers answer probes and scrapes on an address of their own, and nothing else there.
func TestProbes(t *testing.T) {
	t.Parallel()
	in := install.New(t, dbtest.New(t), "METRICS_LISTEN=127.0.0.1:0", "LOGIN_REQUIRED=true")
	server := in.Serve()
	for name, p := range map[string]*install.Process{"serve": server.Monitoring(), "worker": in.Work().Monitoring()} {
		p.Get("/healthz", "").Want(t, http.StatusOK)
		p.Get("/readyz", "").Want(t, http.StatusOK)
		if a := p.Get("/metrics", "").Want(t, http.StatusOK); !strings.Contains(a.Body, "\nterrier_build_info{") {
			t.Errorf("%s does not say what it is: %s", name, a.Body)
		}
		p.Get("/api/dcim/sites/", "").Want(t, http.StatusNotFound)
	}
	server.Get("/metrics", "").Want(t, http.StatusNotFound)
}

// TestStoppingWorkerIsNotReady: while a worker finishes what is under way, its probe says that it is stopping.
func TestStoppingWorkerIsNotReady(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}), make(chan struct{})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-answer
	}))
	t.Cleanup(receiver.Close)
	release := sync.OnceFunc(func() { close(answer) })
	t.Cleanup(release) // before the receiver is closed, which waits for its answer
	in := install.New(t, dbtest.New(t), "METRICS_LISTEN=127.0.0.1:0", "EGRESS_ALLOW=127.0.0.1/32")
	in.User("admin", "right password", "--superuser")
	key, server, worker := in.Token("admin"), in.Serve(), in.Work()
	server.Do(http.MethodPost, "/api/extras/webhooks/", key, install.Object{"name": "slow", "content_types": []string{"extras.tag"},
		"type_create": true, "payload_url": receiver.URL}).Want(t, http.StatusCreated)
	server.Do(http.MethodPost, "/api/extras/tags/", key, install.Object{"name": "a", "slug": "a"}).Want(t, http.StatusCreated)
	<-asked
	worker.Signal(syscall.SIGTERM)
	probe := worker.Monitoring()
	install.Eventually(t, "the worker should say that it is not ready", func() bool {
		return probe.Get("/readyz", "").Status == http.StatusServiceUnavailable
	})
	probe.Get("/healthz", "").Want(t, http.StatusOK)
	release()
	<-worker.Ended
}
