package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// dataOf is data of a config context that has about so many bytes.
func dataOf(bytes int) obj { return obj{"data": obj{"x": strings.Repeat("x", bytes)}} }

// TestConfigContextsAreBoundedTogether: a write that would make all active contexts larger than 4 MiB is refused, and any other is not.
func TestConfigContextsAreBoundedTogether(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	var ids []int64
	for i := range 4 {
		ids = append(ids, w.context(t, fmt.Sprint("c", i), dataOf(1_000_000)))
	}
	refused := func(what, method, path string, body any) {
		t.Helper()
		if got := string(w.do(t, method, path, body).Want(t, http.StatusBadRequest).Raw); !strings.Contains(got, "deactivate others first") {
			t.Errorf("%s: %s", what, got)
		}
	}
	refused("one more", http.MethodPost, contexts, joinedTo(obj{"name": "more"}, dataOf(400_000)))
	refused("two more", http.MethodPost, contexts, []obj{joinedTo(obj{"name": "a"}, dataOf(150_000)),
		joinedTo(obj{"name": "b"}, dataOf(150_000))})
	idle := w.context(t, "idle", joinedTo(obj{"is_active": false}, dataOf(400_000)))
	refused("one that becomes active", http.MethodPatch, at(contexts, idle), obj{"is_active": true})
	w.patch(t, contexts, ids[0], dataOf(500_000))
	w.patch(t, contexts, idle, obj{"is_active": true})
	refused("more data", http.MethodPatch, at(contexts, ids[0]), dataOf(1_000_000))
}

// TestDevicesAreWrittenWhateverContextsThereAre: contexts that are too large together, because no server has written them, keep nobody
// from reading and writing devices, nor from making the contexts smaller.
func TestDevicesAreWrittenWhateverContextsThereAre(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	first, second := w.context(t, "first", nil), w.context(t, "second", nil)
	if _, err := w.s.DB.Exec(context.Background(),
		`UPDATE extras_configcontext SET data = jsonb_build_object('large ' || id, repeat('x', 17 << 20))`); err != nil {
		t.Fatal(err)
	}
	device := at("/api/dcim/devices/", w.ids["device"])
	if n := len(w.get(t, device).Want(t, http.StatusOK).Raw); n < 34<<20 {
		t.Errorf("the device has %d bytes", n)
	}
	w.do(t, http.MethodPatch, device, obj{"comments": "changed"}).Want(t, http.StatusOK)
	w.do(t, http.MethodPatch, at(contexts, first), obj{"name": "renamed"}).Want(t, http.StatusOK)
	w.do(t, http.MethodPatch, at(contexts, second), dataOf(1000)).Want(t, http.StatusOK)
	w.do(t, http.MethodPatch, at(contexts, second), dataOf(1001)).Want(t, http.StatusBadRequest)
}

// TestConfigContextsAtOnceAreBounded: requests at the same time do not exceed the bound together.
func TestConfigContextsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	for i := range 4 {
		w.context(t, fmt.Sprint("c", i), dataOf(1_000_000))
	}
	var all sync.WaitGroup
	for i := range 24 { // bodies below 64 KiB, which nobody has to send one after the other
		all.Go(func() {
			w.do(t, http.MethodPost, contexts, joinedTo(obj{"name": fmt.Sprint("small ", i)}, dataOf(60_000)))
		})
	}
	all.Wait()
	if n := w.page(t, contexts+"?brief=true").Count; n != 4+3 {
		t.Errorf("%d contexts of 60,000 bytes were taken, want 3", n-4)
	}
}
