package pages_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// upload sends a file as a browser does.
func (b browser) upload(t *testing.T, path, filename, text string, fields ...string) apitest.Answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile("file", filename)
	if err == nil {
		_, err = part.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.s.Do(t, apitest.Call{Method: "POST", Path: path, Body: body.Bytes(),
		Header: map[string]string{"Accept": "text/html", "Cookie": b.cookie, "Content-Type": w.FormDataContentType()}})
}

// paste sends a text. A browser sends two characters for every line end.
func (b browser) paste(t *testing.T, path, text, mode string) apitest.Answer {
	t.Helper()
	return b.post(t, path, url.Values{"text": {strings.ReplaceAll(text, "\n", "\r\n")}, "mode": {mode}, "format": {""}})
}

// state returns all that the API shows of some types, without what differs in a new record.
func state(t *testing.T, s *apitest.Server, paths ...string) string {
	t.Helper()
	var out strings.Builder
	for _, path := range paths {
		for _, r := range list(t, s, path+"?limit=1000").Results {
			for _, key := range []string{"id", "url", "created", "last_updated"} {
				delete(r, key)
			}
			raw, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(regexp.MustCompile(`"id":\d+,|"url":"[^"]*",?`).ReplaceAll(raw, nil))
			out.WriteByte('\n')
		}
	}
	return out.String()
}

func changes(t *testing.T, s *apitest.Server) int64 {
	t.Helper()
	return list(t, s, "/api/extras/object-changes/?limit=1").Count
}

// withoutIDs turns an export into a file of new records.
func withoutIDs(t *testing.T, format, text string) string {
	t.Helper()
	switch format {
	case "yaml":
		return regexp.MustCompile(`(?m)^- id: \d+\n  `).ReplaceAllString(text, "- ")
	case "json":
		return regexp.MustCompile(`(?m)^\{"id":\d+,`).ReplaceAllString(text, "{")
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	for _, row := range rows {
		if err := w.Write(row[1:]); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	return b.String()
}

func TestExportAndImport(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	many(t, s, "/api/extras/custom-fields/", 3, func(i int) obj {
		return obj{"name": fmt.Sprintf("c%d", i), "type": []string{"integer", "multiselect", "json"}[i],
			"content_types": []string{"dcim.site", "tenancy.tenant"},
			"choices":       [][]string{{}, {"a", "b, c"}, {}}[i]}
	})
	tags := many(t, s, "/api/extras/tags/", 2, func(i int) obj {
		return obj{"name": fmt.Sprintf("Tag, %d", i), "slug": fmt.Sprintf("tag-%d", i)}
	})
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	group := create(t, s, "/api/tenancy/tenant-groups/", obj{"name": "Customers", "slug": "customers"})
	many(t, s, "/api/tenancy/tenants/", 5, func(i int) obj {
		return obj{"name": fmt.Sprintf("=Tenant %d", i), "slug": fmt.Sprintf("tenant-%d", i), "group": group, "tags": tags[:i%3],
			"custom_fields": obj{"c0": i}}
	})
	many(t, s, "/api/dcim/sites/", 20, func(i int) obj {
		o := site(i)
		o["status"], o["region"], o["tags"] = "planned", region, tags[:i%3]
		o["comments"], o["latitude"] = "line one\nline \"two\", 'x'\n\n-3", 12.5
		o["custom_fields"] = obj{"c0": i, "c1": []string{"b, c"}, "c2": obj{"a": []int{1}}}
		if i == 7 {
			o["region"], o["latitude"], o["custom_fields"] = nil, nil, obj{}
		}
		return o
	})
	for _, page := range []string{"/dcim/sites/", "/tenancy/tenants/"} {
		api := "/api" + page
		want := state(t, s, api)
		for _, format := range []string{"csv", "json", "yaml"} {
			t.Run(page+" "+format, func(t *testing.T) {
				file := b.get(t, page+"export/?format="+format).Want(t, http.StatusOK)
				plural := strings.Split(page, "/")[2]
				if got, want := file.Header.Get("Content-Disposition"),
					fmt.Sprintf(`attachment; filename="terrier-%s-%s.%s"`, plural, time.Now().UTC().Format(time.DateOnly), format); got != want {
					t.Errorf("%s, want %s", got, want)
				}
				before := changes(t, s)
				same := b.upload(t, page+"import/", "x."+format, string(file.Raw), "mode", "check").Want(t, http.StatusOK)
				shows(t, same, "</strong> 0 "+plural+" would be updated", "would stay as they are")
				// In pasted text, a line end in a cell is still one character.
				shows(t, b.paste(t, page+"import/", string(file.Raw), "check").Want(t, http.StatusOK), "</strong> 0 "+plural+" would be updated")
				if n := changes(t, s); n != before {
					t.Errorf("a dry run left %d changes", n-before)
				}
				all := hidden(b.post(t, page+"delete/", url.Values{"all": {"true"}}).Want(t, http.StatusOK))
				b.post(t, page+"delete/", all).Want(t, http.StatusSeeOther)
				fresh := withoutIDs(t, format, string(file.Raw))
				shows(t, b.paste(t, page+"import/", fresh, "check").Want(t, http.StatusOK), "would be created", "Nothing was written")
				if n := list(t, s, api).Count; n != 0 {
					t.Errorf("a dry run left %d records", n)
				}
				done := b.upload(t, page+"import/", "x."+format, fresh, "mode", "import")
				if got := note(t, b, done); !strings.HasPrefix(got, "Created ") || !strings.HasSuffix(got, plural+".") {
					t.Error(got)
				}
				if got := state(t, s, api); got != want {
					t.Errorf("%s came back as\n%s\nwant\n%s", page, got, want)
				}
			})
		}
	}
	t.Run("changes", func(t *testing.T) {
		ids := list(t, s, "/api/dcim/sites/?limit=3").IDs()
		text := fmt.Sprintf("id,status,region.slug\n%d,active,europe\n%d,retired,\n", ids[0], ids[1])
		shows(t, b.paste(t, "/dcim/sites/import/", text, "check").Want(t, http.StatusOK), "2 sites would be updated")
		if got := note(t, b, b.paste(t, "/dcim/sites/import/", text, "import")); got != "Updated 2 sites from the file." {
			t.Error(got)
		}
		if n := list(t, s, "/api/dcim/sites/?status=active&status=retired").Count; n != 2 {
			t.Errorf("%d of 2", n)
		}
	})
}

func TestImportRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	ids := many(t, s, "/api/dcim/sites/", 2, site)
	before := changes(t, s)
	const path = "/dcim/sites/import/"
	form := b.get(t, path).Want(t, http.StatusOK)
	shows(t, form, "Import sites", "<code>name</code>", "<code>region</code>", `placeholder="name,slug"`)
	for _, c := range []struct {
		name, text string
		status     int
		want       []string
	}{
		{"rows", "name,slug,status,region\nA,a,active,\nB,not a slug,actve,atlantis\nC,site-0001,active,\n,d,,", 400,
			[]string{"<td>3</td>", ">B</th><td>Slug</td>", ">B</th><td>Status</td>", "<td>4</td>", ">C</th><td>Slug</td>", "<td>5</td>",
				"This field is required.", "Nothing was written", "not a slug,actve"}},
		{"a key", `[{"name": "A", "slgu": "a"}]`, 400, []string{"did you mean &#34;slug&#34;?"}},
		{"no text", "", 400, []string{"There is nothing to import"}},
		{"no rows", "name,slug\n", 400, []string{"There is nothing to import"}},
		{"both kinds", fmt.Sprintf("id,name,slug\n%d,X,x\n,Y,y\n", ids[0]), 400, []string{"Line 2 changes a record, and line 3 has no id"}},
		{"twice", fmt.Sprintf("id,name\n%d,X\n%d,Y\n%d,Z\n", ids[0], ids[1], ids[0]), 400,
			[]string{"<td>4</td>", "Line 2 is about the same record."}},
		{"nobody", "id,name\n12345,X\n", 400, []string{"<td>2</td>", "There is no such site", `<a href="/dcim/sites/12345/">X</a>`}},
		{"nobody of two", fmt.Sprintf("id,name\n%d,Y\n12345,X\n", ids[0]), 400, []string{"<td>3</td>", "There is no such site"}},
		{"json", `[{"name": "A", "slug": "a"}, {"name": "A", "slug": "b"}]`, 400, []string{"<td>1</td>", "already exists"}},
		{"too many", "name,slug\n" + strings.Repeat("A,a\n", 10_001), 413, []string{"at most 10000 records"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []string{"check", "import"} {
				shows(t, b.paste(t, path, c.text, mode).Want(t, c.status), c.want...)
			}
		})
	}
	t.Run("a text and a file", func(t *testing.T) {
		shows(t, b.upload(t, path, "x.csv", "name,slug\nA,a\n", "text", "name,slug", "mode", "import").Want(t, http.StatusBadRequest),
			"Remove one of the two")
	})
	t.Run("too large", func(t *testing.T) {
		shows(t, b.upload(t, path, "x.csv", strings.Repeat("x", 16<<20+1), "mode", "import").Want(t, http.StatusRequestEntityTooLarge),
			"larger than 16777216 bytes. Import it in parts.")
	})
	t.Run("by htmx", func(t *testing.T) {
		live := []string{"Hx-Request", "true", "Hx-Target", "outcome"}
		part := b.post(t, path, url.Values{"text": {"name\nA"}}, live...).Want(t, http.StatusOK)
		shows(t, part, "This field is required.", `id="working"`)
		hides(t, part, "<html", "<textarea")
	})
	if n := changes(t, s); n != before {
		t.Errorf("%d changes", n-before)
	}
	t.Run("by htmx, done", func(t *testing.T) {
		done := b.post(t, path, url.Values{"text": {"name,slug\nA,a"}, "mode": {"import"}}, "Hx-Request", "true", "Hx-Target",
			"outcome").Want(t, http.StatusNoContent)
		if got := done.Header.Get("Hx-Redirect"); got != "/dcim/sites/" {
			t.Errorf("led to %q", got)
		}
		if got := note(t, b, done); got != "Created 1 site." {
			t.Errorf("the next page says %q", got)
		}
	})
	t.Run("an empty file", func(t *testing.T) {
		file := b.get(t, path+"?template=csv").Want(t, http.StatusOK)
		if !strings.HasPrefix(string(file.Raw), "name,slug,status,region,") || strings.Contains(string(file.Raw), "created") {
			t.Errorf("%s", file.Raw)
		}
	})
}

// TestTransferWithinPermissions: an export contains what its caller may see, an import does what they may do.
func TestTransferWithinPermissions(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ids := many(t, s, "/api/dcim/sites/", 4, func(i int) obj {
		o := site(i)
		o["status"] = []string{"active", "planned"}[i%2]
		return o
	})
	planned := obj{"status": "planned"}
	s.User(t, "alice", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add"}, Constraints: planned})
	b := login(t, s, "alice")
	file := b.get(t, "/dcim/sites/export/?format=csv").Want(t, http.StatusOK)
	shows(t, file, "Site 0001", "Site 0003")
	hides(t, file, "Site 0000", "Site 0002")
	const path = "/dcim/sites/import/"
	b.paste(t, path, "name,slug,status\nX,x,planned\nY,y,active\n", "import").Want(t, http.StatusForbidden)
	shows(t, b.paste(t, path, fmt.Sprintf("id,name\n%d,X\n", ids[1]), "import").Want(t, http.StatusForbidden), "You do not have permission")
	if n := list(t, s, "/api/dcim/sites/").Count; n != 4 {
		t.Errorf("%d sites", n)
	}
	if got := note(t, b, b.paste(t, path, "name,slug,status\nX,x,planned\n", "import")); got != "Created 1 site." {
		t.Error(got)
	}
	s.User(t, "bob", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
	reader := login(t, s, "bob")
	reader.get(t, path).Want(t, http.StatusForbidden)
	reader.paste(t, path, "name,slug\nZ,z\n", "import").Want(t, http.StatusForbidden)
	reader.get(t, "/tenancy/tenants/export/?format=csv").Want(t, http.StatusForbidden)
}

// TestExportHoldsNoSecrets: an export has no secrets, not even those that its caller may see on a page.
func TestExportHoldsNoSecrets(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	b := login(t, s, "admin")
	create(t, s, "/api/extras/webhooks/", obj{"name": "w", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "http://localhost:9000/",
		"secret":      "s3cret-canary", "additional_headers": "X-Key: header-canary"})
	for _, typ := range s.App.Registry.Types() {
		for _, format := range []string{"csv", "json", "yaml"} {
			file := b.get(t, typ.Path()[len("/api"):]+"export/?format="+format).Want(t, http.StatusOK)
			hides(t, file, "canary", s.Admin, "argon2")
		}
	}
	shows(t, b.get(t, "/dcim/sites/export/?format=xml").Want(t, http.StatusBadRequest), "use csv, json or yaml")
	shows(t, b.get(t, "/dcim/sites/export/?format=csv&sttaus=x").Want(t, http.StatusBadRequest), "Did you mean")
}

// slowReader reads an answer and calls a function after its first part.
type slowReader struct {
	*httptest.ResponseRecorder
	first func()
}

func (w *slowReader) Write(b []byte) (int, error) {
	if w.first != nil {
		w.first()
		w.first = nil
	}
	return w.ResponseRecorder.Write(b)
}

// TestLongExport: an export may take longer than a request, and ends visibly with its caller.
func TestLongExport(t *testing.T) {
	s := apitest.New(t)
	b := login(t, s, "admin")
	many(t, s, "/api/dcim/sites/", 2500, site)
	fetch := func(ctx context.Context, first func()) (w *slowReader, aborted bool) {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/dcim/sites/export/?format=csv", nil)
		r.Header.Set("Cookie", b.cookie)
		w = &slowReader{httptest.NewRecorder(), first}
		defer func() {
			if p := recover(); p != nil {
				err, _ := p.(error)
				aborted = errors.Is(err, http.ErrAbortHandler)
			}
		}()
		s.App.Handler.ServeHTTP(w, r)
		return w, false
	}
	t.Run("longer than a request", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		w, aborted := fetch(ctx, func() { <-ctx.Done() })
		if rows := strings.Count(w.Body.String(), "\n"); aborted || rows != 2501 {
			t.Errorf("%d rows, aborted %v", rows, aborted)
		}
	})
	t.Run("its caller leaves", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if _, aborted := fetch(ctx, cancel); !aborted {
			t.Error("it went on, or ended as if it were whole")
		}
	})
	t.Run("each once", func(t *testing.T) {
		w, _ := fetch(t.Context(), nil)
		seen := map[string]bool{}
		for _, line := range strings.Split(w.Body.String(), "\n") {
			seen[line] = true
		}
		if len(seen) != 2502 {
			t.Errorf("%d different lines", len(seen))
		}
	})
}

// TestExportOverTheWire: a failure in the middle breaks the answer: the client gets no short file.
func TestExportOverTheWire(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	many(t, s, "/api/dcim/sites/", 1500, site)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		s.App.Handler.ServeHTTP(&cancelling{w, cancel}, r.WithContext(ctx))
	}))
	defer web.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+"/dcim/sites/export/?format=json", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", b.cookie)
	r.Header.Set("Accept-Encoding", "identity") // compressed, all of it would be written at once
	answer, err := http.DefaultClient.Do(r)
	if err == nil {
		_, err = new(bytes.Buffer).ReadFrom(answer.Body)
		_ = answer.Body.Close()
	}
	if err == nil {
		t.Error("the client took it for whole")
	}
}

type cancelling struct {
	http.ResponseWriter
	cancel func()
}

func (w *cancelling) Write(b []byte) (int, error) {
	w.cancel()
	return w.ResponseWriter.Write(b)
}
