package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"terrier/internal/record"
	"terrier/test/apitest"
)

// pictured is a server with a site that has a picture.
type pictured struct {
	actor
	site    int64
	image   obj
	id      int64
	content []byte
}

func newPictured(t *testing.T) pictured {
	t.Helper()
	p := pictured{actor: adminOf(apitest.New(t)), content: apitest.PNG(t, 40, 30, 1)}
	p.site = p.create(t, sites, site("Lisbon"))
	p.image = p.attach(t, "dcim.site", p.site, map[string]string{"name": "Front"}, apitest.FilePart{Name: "x.png", Content: p.content}).
		Want(t, http.StatusCreated).Object(t)
	p.id = apitest.ID(p.image)
	return p
}

// replace sends another picture, and perhaps texts.
func (p pictured) replace(t *testing.T, texts map[string]string, files ...apitest.FilePart) apitest.Answer {
	t.Helper()
	return p.s.Do(t, apitest.Upload(t, apitest.Call{Method: "PATCH", Path: at(images, p.id), Token: p.key}, texts, files...))
}

// TestImageIsServed sends a picture as it came, in a way in which a browser takes it for nothing else.
func TestImageIsServed(t *testing.T) {
	t.Parallel()
	p := newPictured(t)
	a := p.file(t, p.image["image"]).Want(t, http.StatusOK)
	if !bytes.Equal(a.Raw, p.content) {
		t.Error("other bytes came back")
	}
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
		"Content-Disposition": fmt.Sprintf("attachment; filename=site_%d_Front.png", p.site), "Cache-Control": "private, no-cache",
		"Content-Length": fmt.Sprint(len(p.content)),
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	path := local(t, p.s, new(p.image["image"].(string)))
	again := apitest.Call{Method: "GET", Path: path, Token: p.key, Header: map[string]string{"If-None-Match": a.Header.Get("ETag")}}
	if kept := p.s.Do(t, again).Want(t, http.StatusNotModified); len(kept.Raw) > 0 || kept.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("not modified: %v %d bytes", kept.Header, len(kept.Raw))
	}
	if head := p.do(t, "HEAD", path, nil).Want(t, http.StatusOK); len(head.Raw) > 0 {
		t.Error("HEAD has a body")
	}
	for _, other := range []string{"x" + path[1:], strings.Replace(path, "Front", "Rear", 1),
		strings.Replace(path, "image-attachments", "other", 1), path + "/", record.FilesPath,
		record.FilesPath + "a/b/" + strings.Repeat("c", 3000), path[:len(path)-10] + "%00.png", record.FilesPath + "..%2f..%2fetc/passwd/x"} {
		if a := p.get(t, "/"+strings.TrimPrefix(other, "/")); a.Status == http.StatusOK || a.Status >= 500 {
			t.Errorf("%s: %d", other, a.Status)
		}
	}
}

// TestImageIsServedToThoseWhoSeeTheRecord asks for the permission each time, also where a browser has kept the file.
func TestImageIsServedToThoseWhoSeeTheRecord(t *testing.T) {
	t.Parallel()
	p := newPictured(t)
	path := local(t, p.s, new(p.image["image"].(string)))
	sees := func(constraints any) apitest.Grant {
		return apitest.Grant{Types: []string{"extras.imageattachment"}, Actions: []string{"view"}, Constraints: constraints}
	}
	for name, c := range map[string]struct {
		grants []apitest.Grant
		status int
	}{
		"nobody": {nil, http.StatusNotFound}, "viewer": {[]apitest.Grant{sees(nil)}, http.StatusOK},
		"limited":  {[]apitest.Grant{sees(obj{"name": "Front"})}, http.StatusOK},
		"other":    {[]apitest.Grant{sees(obj{"name": "Rear"})}, http.StatusNotFound},
		"ofSites":  {[]apitest.Grant{{Types: []string{"dcim.site"}, Actions: []string{"view"}}}, http.StatusNotFound},
		"changing": {[]apitest.Grant{{Types: []string{"extras.imageattachment"}, Actions: []string{"add", "change"}}}, http.StatusNotFound},
	} {
		_, who := newActor(t, p.s, name, c.grants...)
		if a := who.get(t, path); a.Status != c.status {
			t.Errorf("%s: %d", name, a.Status)
		}
	}
	tag := p.get(t, path).Header.Get("ETag")
	_, limited := newActor(t, p.s, "once", sees(obj{"name": "Front"}))
	kept := apitest.Call{Method: "GET", Path: path, Token: limited.key, Header: map[string]string{"If-None-Match": tag}}
	p.s.Do(t, kept).Want(t, http.StatusNotModified)
	p.replace(t, map[string]string{"name": "Rear"}).Want(t, http.StatusOK)
	p.s.Do(t, kept).Want(t, http.StatusNotFound)
	if a := p.s.Do(t, apitest.Call{Method: "GET", Path: path}); a.Status != http.StatusNotFound {
		t.Errorf("anonymous: %d", a.Status)
	}
}

// TestImageIsReplaced keeps one file for a field: the old one goes with the change, and stays when the change is refused.
func TestImageIsReplaced(t *testing.T) {
	t.Parallel()
	p := newPictured(t)
	other := apitest.FilePart{Field: "image", Name: "y.png", Content: apitest.PNG(t, 4, 4, 2)}
	p.replace(t, map[string]string{"name": strings.Repeat("x", 51)}, other).Want(t, http.StatusBadRequest)
	old := apitest.Call{Method: "PATCH", Path: at(images, p.id), Token: p.key, Header: map[string]string{"If-Match": `"9"`}}
	p.s.Do(t, apitest.Upload(t, old, nil, other)).Want(t, http.StatusPreconditionFailed)
	_, limited := newActor(t, p.s, "limited", apitest.Grant{Types: []string{"extras.imageattachment", "dcim.site"},
		Actions: []string{"view", "add", "change"}, Constraints: obj{"name": "Front"}})
	theirs := apitest.Call{Method: "PATCH", Path: at(images, p.id), Token: limited.key}
	p.s.Do(t, apitest.Upload(t, theirs, map[string]string{"name": "Rear"}, other)).
		Want(t, http.StatusForbidden) // it would leave their permission: written, and rolled back
	if !bytes.Equal(p.file(t, p.image["image"]).Want(t, http.StatusOK).Raw, p.content) {
		t.Error("a refused change has replaced the file")
	}
	if n := p.files(t); n != 1 {
		t.Errorf("after refused changes there are %d files", n)
	}

	same := apitest.FilePart{Field: "image", Name: "z.png", Content: p.content}
	again := p.replace(t, nil, same).Want(t, http.StatusOK).Object(t)
	if again["image"] != p.image["image"] || len(p.changes(t, "extras.imageattachment", p.id)) != 1 {
		t.Errorf("the same file again is a change: %v", again)
	}
	for _, keeps := range []any{p.image["image"], strings.TrimPrefix(p.image["image"].(string), p.s.URL)} {
		if got := p.patch(t, images, p.id, obj{"image": keeps}); got["image"] != p.image["image"] {
			t.Errorf("its own address makes it %v", got["image"])
		}
	}
	got := p.replace(t, nil, other).Want(t, http.StatusOK).Object(t)
	if !bytes.Equal(p.file(t, got["image"]).Want(t, http.StatusOK).Raw, other.Content) || p.files(t) != 1 {
		t.Error("the file is not the new one, or the old one is left")
	}
	p.file(t, p.image["image"]).Want(t, http.StatusNotFound)
	for name, sent := range map[string]any{"is gone": p.image["image"], "not a file": "https://elsewhere.example/x.png",
		"may not be null": nil} {
		errs := fmt.Sprint(p.do(t, "PATCH", at(images, p.id), obj{"image": sent}).Want(t, http.StatusBadRequest).Object(t)["image"])
		if !strings.Contains(errs, name) {
			t.Errorf("%v: %s", sent, errs)
		}
	}
	changes := p.changes(t, "extras.imageattachment", p.id)
	if raw := fmt.Sprint(changes); strings.Contains(raw, "PNG") || strings.Contains(raw, "iVBOR") || len(raw) > 4000 {
		t.Errorf("the change log has bytes of files: %.300s", raw)
	}
}

func (p pictured) files(t *testing.T) (n int) {
	t.Helper()
	if err := p.s.DB.QueryRow(t.Context(), "SELECT count(*) FROM record_file").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestImageOfAnotherRecord gives nobody the file of a record by its address.
func TestImageOfAnotherRecord(t *testing.T) {
	t.Parallel()
	p := newPictured(t)
	p.do(t, "POST", images, obj{"content_type": "dcim.site", "object_id": p.site, "image": p.image["image"]}).Want(t, http.StatusBadRequest)
	got := p.do(t, "POST", images, []obj{{"content_type": "dcim.site", "object_id": p.site, "image": apitest.DataURL(t, 5)},
		{"content_type": "dcim.site", "object_id": p.site, "image": apitest.DataURL(t, 5)}}).Want(t, http.StatusCreated).List(t)
	p.do(t, "DELETE", at(images, apitest.ID(got[0])), nil).Want(t, http.StatusNoContent)
	p.file(t, got[1]["image"]).Want(t, http.StatusOK) // equal bytes, and a file of its own
	maker := p.create(t, "/api/dcim/manufacturers/", obj{"name": "m", "slug": "m"})
	typ := p.create(t, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "x", "slug": "x", "front_image": apitest.DataURL(t, 1)})
	for query, n := range map[string]int{"has_front_image=true": 1, "has_front_image=false": 0, "has_rear_image=true": 0} {
		if found := p.page(t, "/api/dcim/device-types/?"+query).Results; len(found) != n {
			t.Errorf("%s finds %d", query, len(found))
		}
	}
	if p.patch(t, "/api/dcim/device-types/", typ, obj{"front_image": nil})["front_image"] != nil || p.kept(t, "dcim.devicetype", typ) != 0 {
		t.Error("the file is left")
	}
	p.page(t, images+"?content_type=dcim.site&object_id="+fmt.Sprint(p.site))
	for query, n := range map[string]int{"content_type=dcim.site": 2, "content_type=dcim.rack": 0,
		"content_type_id=" + fmt.Sprint(p.s.App.Registry.Type("dcim.site").ContentTypeID()): 2} {
		if found := p.page(t, images+"?"+query).Results; len(found) != n {
			t.Errorf("%s finds %d", query, len(found))
		}
	}
}

// TestHostileUploads refuses with a reason what is no form, no picture or too much, and writes nothing.
func TestHostileUploads(t *testing.T) {
	t.Parallel()
	p := newPictured(t)
	before := p.files(t)
	bomb := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\xff\xff\x00\x00\xff\xff\x08\x06\x00\x00\x00\x00\x00\x00\x00")
	for _, file := range map[string]apitest.FilePart{
		"html":     {Name: "a.png", Content: []byte("<!doctype html><script>alert(1)</script>")},
		"svg":      {Name: "a.svg", Content: []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`)},
		"bomb":     {Name: "a.png", Content: bomb},
		"too long": {Name: "a.png", Content: append(apitest.PNG(t, 1, 1, 1), make([]byte, record.MaxPicture)...)},
		"empty":    {Name: "a.png", Content: []byte{}},
	} {
		wantErrors(t, p.attach(t, "dcim.site", p.site, nil, file), "image")
	}
	form := map[string]string{"Content-Type": "multipart/form-data; boundary=b"}
	for name, c := range map[string]struct {
		header map[string]string
		body   string
		status int
	}{
		"no boundary": {map[string]string{"Content-Type": "multipart/form-data"}, "x", http.StatusBadRequest},
		"cut":         {form, "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n\r\nabc", http.StatusBadRequest},
		"no parts":    {form, "--b--\r\n", http.StatusBadRequest},
		"CR LF in a name": {form, "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\r\nX-Evil: 1.png\"\r\n\r\n" +
			"abc\r\n--b--\r\n", http.StatusBadRequest},
		"many parts": {form, strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n", 300) + "--b--\r\n",
			http.StatusRequestEntityTooLarge},
		"long text": {form, "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n" + strings.Repeat("x", 2<<20) + "\r\n--b--\r\n",
			http.StatusRequestEntityTooLarge},
		"deep": {form, "--b\r\nContent-Disposition: form-data; name=\"object_id\"\r\n\r\n" + strings.Repeat("[", 100_000) + "\r\n--b--\r\n",
			http.StatusBadRequest},
	} {
		a := p.s.Do(t, apitest.Call{Method: "POST", Path: images, Token: p.key, Header: c.header, Body: c.body})
		if a.Status != c.status {
			t.Errorf("%s: %d %.200s", name, a.Status, a.Raw)
		}
	}
	other := apitest.Upload(t, apitest.Call{Method: "POST", Path: sites, Token: p.key}, map[string]string{"name": "x", "slug": "x"})
	p.s.Do(t, other).Want(t, http.StatusUnsupportedMediaType) // a type without files takes JSON alone
	list := apitest.Upload(t, apitest.Call{Method: "PATCH", Path: images, Token: p.key}, map[string]string{"id": "1"})
	p.s.Do(t, list).Want(t, http.StatusBadRequest)
	for _, file := range []string{"../../../etc/cron.d/x.png", `..\..\x.png`, "a\tb.png", "%2e%2e%2f.png", "x.html", "a;b=c.png"} {
		got := p.attach(t, "dcim.site", p.site, nil, apitest.FilePart{Name: file}).Want(t, http.StatusCreated).Object(t)
		a := p.file(t, got["image"]).Want(t, http.StatusOK)
		if a.Header.Get("Content-Type") != "image/png" || strings.Contains(got["image"].(string), "..") {
			t.Errorf("%s: %v, %v", file, got["image"], a.Header)
		}
		before++
	}
	if n := p.files(t); n != before {
		t.Errorf("there are %d files, want %d", n, before)
	}
}

// TestUploadsTakeLittleMemory: six uploads of the greatest length at once, by six callers, are bounded.
func TestUploadsTakeLittleMemory(t *testing.T) { // alone, because it measures the memory of the whole process
	p := newPictured(t)
	content := append(apitest.PNG(t, 2, 2, 7), make([]byte, record.MaxPicture-1000)...)
	var calls []apitest.Call
	for i := range 6 {
		_, who := newActor(t, p.s, fmt.Sprintf("sender%d", i), apitest.Grant{Types: []string{"extras.imageattachment", "dcim.site"},
			Actions: []string{"view", "add"}})
		calls = append(calls, apitest.Upload(t, apitest.Call{Method: "POST", Path: images, Token: who.key},
			map[string]string{"content_type": "dcim.site", "object_id": fmt.Sprint(p.site)},
			apitest.FilePart{Field: "image", Name: "a.png", Content: content}))
	}
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var senders sync.WaitGroup
	for _, c := range calls {
		senders.Go(func() { p.s.Do(t, c).Want(t, http.StatusCreated) })
	}
	done := make(chan struct{})
	go func() { senders.Wait(); close(done) }()
	peak, ticks := uint64(0), time.NewTicker(5*time.Millisecond)
	defer ticks.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-ticks.C:
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 256<<20 {
		t.Errorf("six uploads took %d MiB", grown>>20)
	} else {
		t.Logf("six uploads took %d MiB", grown>>20)
	}
	if n := p.files(t); n != 7 {
		t.Errorf("there are %d files", n)
	}
}
