package database_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terrier/test/install"
)

// TestFailover kills the primary of two nodes under load and promotes the standby. The address names both nodes. No
// acknowledged change is lost, versions have no gap, everything is delivered, and server and worker recover by
// themselves.
func TestFailover(t *testing.T) {
	t.Parallel()
	primary := newNode(t)
	standby := primary.standby()
	both := strings.Replace(primary.url, primary.host, primary.host+","+standby.host, 1)
	w := newWorld(t, both+"&target_session_attrs=read-write")

	const writers, before, after = 4, 100, 100
	var acknowledged atomic.Int64
	enough := make(chan struct{})
	var wg sync.WaitGroup
	for i := range writers {
		site := w.site(fmt.Sprintf("site-%d", i))
		wg.Go(func() { w.keepChanging(site, enough, &acknowledged) })
	}
	install.Eventually(t, "changes before the failure", func() bool { return acknowledged.Load() >= before })
	failed := time.Now()
	primary.stop("immediate")
	standby.do(standby.control("promote"))
	promoted := time.Now()
	known := acknowledged.Load()
	install.Eventually(t, "a change after the failure", func() bool { return acknowledged.Load() > known })
	t.Logf("%d changes were acknowledged before the failure. The standby was promoted after %v; a change succeeded %v later",
		known, promoted.Sub(failed), time.Since(promoted))
	install.Eventually(t, "changes after the failure", func() bool { return acknowledged.Load() >= known+after })
	close(enough)
	wg.Wait()
	t.Logf("answers by status: %v", w.answers)
	w.wantOnly(http.StatusOK, http.StatusServiceUnavailable, http.StatusInternalServerError)
	w.audit(install.Connect(t, standby.url))
}

// keepChanging writes a site until there is enough. Each answer is clear to a client: the change is acknowledged, or
// nothing was changed and it may try again, or the outcome is unknown.
func (w *world) keepChanging(site int64, enough <-chan struct{}, acknowledged *atomic.Int64) {
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for n := 0; ; n++ {
		select {
		case <-enough:
			return
		case <-pause.C:
		}
		a := w.change(site, fmt.Sprint(n))
		switch {
		case a.Status == http.StatusOK:
			acknowledged.Add(1)
		case a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "":
		case a.Status == http.StatusInternalServerError && strings.Contains(a.Body, "may have been saved or not"):
		default:
			w.t.Errorf("site %d, change %d: %d %v", site, n, a.Status, a)
		}
	}
}
