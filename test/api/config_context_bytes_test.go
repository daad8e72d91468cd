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

// unused returns data as dataOf does, of contexts that apply to no device.
func (w *contextWorld) unused(t *testing.T) func(bytes int) obj {
	t.Helper()
	w.make(t, "unused", "/api/dcim/regions/", obj{})
	return func(bytes int) obj { return joinedTo(dataOf(bytes), obj{"regions": []int64{w.ids["unused"]}}) }
}

// TestConfigContextsOfOneDeviceAreBounded: a write of contexts that would give a device more than 256 KiB is refused. What makes the
// device's context no larger is not, and neither is a device that comes to have more.
func TestConfigContextsOfOneDeviceAreBounded(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	unused := w.unused(t)
	refused := func(what, method, path string, body any) {
		t.Helper()
		got := string(w.do(t, method, path, body).Want(t, http.StatusBadRequest).Raw)
		if !strings.Contains(got, `"data":["The `) || !strings.Contains(got, "let them apply to fewer") {
			t.Errorf("%s: %s", what, got)
		}
	}
	as := func(key string, bytes int) obj { return obj{"data": obj{key: strings.Repeat("x", bytes)}} }
	refused("alone", http.MethodPost, contexts, joinedTo(obj{"name": "alone"}, as("a", 300_000)))
	first := w.context(t, "first", as("a", 150_000))
	refused("a second", http.MethodPost, contexts, joinedTo(obj{"name": "second"}, as("b", 150_000)))
	w.context(t, "overrides", as("a", 150_000))
	role := w.context(t, "of a platform", joinedTo(as("b", 150_000), obj{"platforms": []int64{w.other(t)}}))
	refused("one that applies to more", http.MethodPatch, at(contexts, role), obj{"platforms": []int64{}})
	w.context(t, "of no device", unused(1_000_000))
	machine := at("/api/virtualization/virtual-machines/", w.ids["machine"])
	w.do(t, http.MethodPatch, machine, obj{"platform": w.ids["other platform"]}).Want(t, http.StatusOK)
	if n := len(w.get(t, machine).Want(t, http.StatusOK).Raw); n < 300_000 {
		t.Errorf("the machine has %d bytes", n)
	}
	w.patch(t, contexts, first, obj{"name": "renamed"})
	w.patch(t, contexts, first, as("a", 140_000))
	refused("more data", http.MethodPatch, at(contexts, first), as("a", 151_000))
}

// other makes a platform that no device has.
func (w *contextWorld) other(t *testing.T) int64 {
	t.Helper()
	w.make(t, "other platform", "/api/dcim/platforms/", obj{})
	return w.ids["other platform"]
}

// TestConfigContextsAreBoundedTogether: a write that would make all active contexts larger than 4 MiB is refused, and any other is not.
func TestConfigContextsAreBoundedTogether(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	dataOf := w.unused(t)
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
	dataOf := w.unused(t)
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
