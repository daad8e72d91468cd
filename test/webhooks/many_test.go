package webhooks_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"terrier/test/install"
)

// TestManyWebhooks: one worker notifies 500 webhooks of one change, each once and soon. The record is large, and the
// worker does not keep a copy for each of them.
func TestManyWebhooks(t *testing.T) {
	t.Parallel()
	const many, bound, most = 500, 30 * time.Second, 256 << 20 // with one copy of the change for each it would be 400 MiB
	w := newWorld(t)
	worker := w.Work()
	arrived := make(chan string, 2*many)
	hooks := make([]object, many)
	for i := range hooks {
		path := fmt.Sprint("/", i)
		w.signs(path, "")
		w.receiver.answer(path, func(int, *http.Request) reply {
			arrived <- path
			return reply{status: http.StatusOK}
		})
		hooks[i] = object{"name": fmt.Sprintf("%s-%d", nameCanary, i), "content_types": []string{"dcim.site"}, "type_create": true,
			"payload_url": w.receiver.URL + path}
	}
	w.do(http.MethodPost, webhooksPath, hooks)
	// takes more than a text
	w.do(http.MethodPost, "/api/extras/custom-fields/", object{"name": "notes", "type": "json", "content_types": []string{"dcim.site"}})

	before := worker.Memory("VmHWM")
	began, late := time.Now(), time.After(bound)
	s := w.site(object{"custom_fields": object{"notes": strings.Repeat("large ", 200<<10/6)}})
	answered := time.Since(began)
	notified := map[string]bool{}
	for range many {
		select {
		case path := <-arrived:
			if notified[path] {
				t.Errorf("%s was notified twice", path)
			}
			notified[path] = true
		case <-late:
			t.Fatalf("%d of %d webhooks were notified within %v", len(notified), many, bound)
		}
	}
	t.Logf("the change took %v, and the last webhook was notified after %v", answered.Round(time.Millisecond),
		time.Since(began).Round(time.Millisecond))
	install.Within(t, bound, "every delivery should end", func() bool {
		return w.number("SELECT count(*) FROM extras_delivery WHERE state = 'queued'") == 0
	})
	for what, query := range map[string]string{
		"deliveries":        "SELECT count(*) FROM extras_delivery WHERE object_id = $1",
		"notified webhooks": "SELECT count(DISTINCT webhook_id) FROM extras_delivery WHERE object_id = $1 AND state = 'successful'",
		"requests":          "SELECT count(*) FROM extras_attempt a JOIN extras_delivery d ON d.id = a.delivery_id WHERE d.object_id = $1",
	} {
		if n := w.number(query, s.id); n != many {
			t.Errorf("%d %s, want %d", n, what, many)
		}
	}
	if grown := worker.Memory("VmHWM") - before; grown > most {
		t.Errorf("the worker grew by %d MiB over %d", grown>>20, before>>20)
	}
	if n := len(w.receiver.all()); n != many {
		t.Errorf("%d requests arrived, want %d", n, many)
	}
	var page struct {
		Count   int
		Results []object
	}
	if w.do(http.MethodGet, "/api/extras/queues/?limit=0", nil).Read(t, &page); page.Count != many || len(page.Results) != many {
		t.Errorf("%d queues are listed, of %d", len(page.Results), page.Count)
	}
}
