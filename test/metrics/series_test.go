package metrics_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/install"
)

// TestManyWebhooks: with 2,000 webhooks that all send, neither process shows 20,000 series, and those beyond the first 500
// are counted together.
func TestManyWebhooks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const all, own = 2_000, 500
	for first := 0; first < all; first += 500 {
		var hooks []install.Object
		for i := range 500 {
			hooks = append(hooks, install.Object{"name": fmt.Sprint("hook-", first+i), "content_types": []string{"extras.tag"},
				"type_create": true, "payload_url": s.receiver.URL + [...]string{"/", "/broken"}[i%2]})
		}
		s.server.Do(http.MethodPost, "/api/extras/webhooks/", s.key, hooks).Want(t, http.StatusCreated)
	}
	scrape(t, s.worker) // which says how many there are
	s.tag()
	install.Eventually(t, "all have been notified", func() bool { return s.received.Load() == all }) // a scrape of so many takes long
	install.Eventually(t, "all attempts are counted", func() bool {
		n, _ := value(t, s.worker, "terrier_delivery_attempts_total", nil)
		return n == all
	})
	for name, p := range map[string]*install.Process{"serve": s.server, "worker": s.worker} {
		text := scrape(t, p)
		series := strings.Count(text, "\n") - strings.Count(text, "\n#")
		t.Logf("%s shows %d series", name, series)
		if series >= 20_000 {
			t.Errorf("%s shows %d series", name, series)
		}
		if _, n := value(t, p, "terrier_webhook_info", nil); n != own {
			t.Errorf("%s names %d webhooks", name, n)
		}
	}
	if n, _ := value(t, s.worker, "terrier_delivery_attempts_total", labels{"webhook": "other"}); n != all-own {
		t.Errorf("%g attempts are of others", n)
	}
}
