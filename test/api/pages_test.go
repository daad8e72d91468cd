package api_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// longPages is a server whose records do not fit into one page.
type longPages struct {
	*apitest.Server
	ids []string
}

const (
	longTenants = 28
	longFits    = 11 // of them on a page of 32 MiB
)

func newLongPages(t *testing.T) longPages {
	t.Helper()
	if apitest.RaceDetector() {
		t.Skip("hundreds of megabytes take minutes with the race detector; make test-api runs it without")
	}
	s := apitest.New(t)
	exec(t, s, `INSERT INTO tenancy_tenant (id, version, name, slug, description, comments, tags, custom_fields, created, last_updated)
		SELECT i, 1, 'T' || i, 't' || i, '', repeat('x', 3000000), '{}', '{}', now(), now() FROM generate_series(1, $1) i`, longTenants)
	exec(t, s, "INSERT INTO record_count (type, n) VALUES ('tenancy.tenant', $1)", longTenants)
	p := longPages{Server: s}
	for i := range longTenants {
		p.ids = append(p.ids, strconv.Itoa(i+1))
	}
	return p
}

// shortPage is what matters of a page.
type shortPage struct {
	Status         int
	Count          int
	Next, Previous *string
	Limit          []string // what is wrong with it

	ids []string
}

// read asks for a page. Decoding all of it, and checking it against the API document, would take longer than the rest
// of the test.
func (p longPages) read(t *testing.T, address string) (page shortPage) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+strings.TrimPrefix(address, p.URL), nil)
	r.Header.Set("Authorization", "Token "+p.Admin)
	w := httptest.NewRecorder()
	p.App.Handler.ServeHTTP(w, r)
	body := w.Body.Bytes()
	if at := bytes.Index(body, []byte(`"results":[`)) + len(`"results":`); at > len(`"results":`) {
		body = append(body[:at:at], `[]}`...)
		results := w.Body.Bytes()[at:]
		results[0] = ','
		for _, record := range bytes.Split(results, []byte(`,{"id":`))[1:] { // those of nested records follow a colon
			text, _, _ := bytes.Cut(record, []byte(","))
			page.ids = append(page.ids, string(text))
		}
	}
	if err := json.Unmarshal(body, &page); err != nil {
		t.Fatalf("%s: %d %v: %.300s", address, w.Code, err, body)
	}
	page.Status = w.Code
	return page
}

func byNumber(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// offset returns where a page begins, from its address.
func offset(t *testing.T, address *string) int {
	t.Helper()
	if address == nil {
		return -1
	}
	u, err := url.Parse(*address)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := strconv.Atoi(u.Query().Get("offset"))
	return n
}

// TestPagesEndEarly: a page has at most 32 MiB if its size is left to the server. Following next returns every record
// exactly once, and previous leads back.
func TestPagesEndEarly(t *testing.T) {
	p := newLongPages(t)
	for _, query := range []string{"limit=0&ordering=-id", "", fmt.Sprint("limit=", longTenants)} {
		var got []string
		var last shortPage
		for next := new(tenants + "?" + query); next != nil; next = last.Next {
			last = p.read(t, *next)
			if last.Status != http.StatusOK || len(last.ids) == 0 || len(last.ids) > longFits || last.Count != longTenants {
				t.Fatalf("%s: %d with %d records of %d", *next, last.Status, len(last.ids), last.Count)
			}
			got = append(got, last.ids...)
			if at := offset(t, last.Next); last.Next != nil && at != len(got) {
				t.Errorf("%s: next begins at %d after %d records", *next, at, len(got))
			}
		}
		if slices.SortFunc(got, byNumber); !slices.Equal(got, p.ids) {
			t.Errorf("%q: following next gives %v", query, got)
		}
		if last.Previous == nil {
			t.Errorf("%q: the last page has no previous one", query)
		} else if back := p.read(t, *last.Previous); back.Status != http.StatusOK || len(back.ids) == 0 || back.Next == nil {
			t.Errorf("%q: %s: %d with %d records", query, *last.Previous, back.Status, len(back.ids))
		}
	}
	if whole := p.read(t, tenants+"?limit=0&brief=true"); len(whole.ids) != longTenants {
		t.Errorf("without what makes them long, a page has %d records", len(whole.ids))
	}
}

// TestPagesEndEarlyBackwards: a page that is read backwards and ends early has the nearest records, and its addresses
// say where it is.
func TestPagesEndEarlyBackwards(t *testing.T) {
	p := newLongPages(t)
	exec(t, p.Server, "UPDATE tenancy_tenant SET comments = '' WHERE id > 20")
	far := p.read(t, tenants+"?limit=15&offset=20&ordering=id")
	if far.Status != http.StatusOK || far.Previous == nil || offset(t, far.Previous) != 5 {
		t.Fatalf("%d, previous %v", far.Status, far.Previous)
	}
	back := p.read(t, *far.Previous)
	if want := p.ids[20-longFits : 20]; !slices.Equal(back.ids, want) {
		t.Fatalf("backwards: %v, want %v", back.ids, want)
	}
	if next := p.read(t, *back.Next); offset(t, back.Next) != 20 || !slices.Equal(next.ids, p.ids[20:]) {
		t.Errorf("and on: %s: %v", *back.Next, next.ids)
	}
	if offset(t, back.Previous) != 0 {
		t.Errorf("and back: %s", *back.Previous)
	}
}

// TestLimitsThatDoNotFit: a limit below the count is either met or refused with one that fits: a client that counts
// pages by it would not notice missing records. A single record is served however long it is.
func TestLimitsThatDoNotFit(t *testing.T) {
	p := newLongPages(t)
	for _, query := range []string{"limit=15", fmt.Sprint("limit=", longTenants-1), "limit=12&offset=3"} {
		a := p.read(t, tenants+"?"+query)
		if a.Status != http.StatusBadRequest || len(a.Limit) != 1 || !strings.Contains(a.Limit[0], fmt.Sprintf("limit=%d ", longFits)) {
			t.Errorf("%s: %d %v", query, a.Status, a.Limit)
		}
	}
	for _, query := range []string{fmt.Sprint("limit=", longFits), "limit=15&offset=20", "limit=15&omit=comments"} {
		if a := p.read(t, tenants+"?"+query); a.Status != http.StatusOK || len(a.ids) == 0 {
			t.Errorf("%s: %d %v", query, a.Status, a.Limit)
		}
	}
	exec(t, p.Server, "UPDATE tenancy_tenant SET comments = repeat('x', 34000000) WHERE id = 2")
	for query, want := range map[string][]string{"limit=1&offset=1&ordering=id": {"2"}, "limit=0&offset=1&ordering=id": {"2"},
		"id=2&limit=7": {"2"}} {
		if a := p.read(t, tenants+"?"+query); a.Status != http.StatusOK || !slices.Equal(a.ids, want) {
			t.Errorf("%s: %d %v", query, a.Status, a.ids)
		}
	}
}

// TestPynetboxAll sends what pynetbox sends for all(): one page after the other, where the second address is
// pynetbox's own and not next; and with threads, which use the length of the first page for all.
func TestPynetboxAll(t *testing.T) {
	p := newLongPages(t)
	first := p.read(t, tenants+"?limit=0")
	got := first.ids
	for page, own := first, true; page.Next != nil; own = false {
		if own {
			page = p.read(t, fmt.Sprintf("%s?limit=%d&offset=%d", tenants, page.Count, len(page.ids)))
		} else {
			page = p.read(t, *page.Next)
		}
		if page.Status != http.StatusOK {
			t.Fatalf("%d", page.Status)
		}
		got = append(got, page.ids...)
	}
	if slices.SortFunc(got, byNumber); !slices.Equal(got, p.ids) {
		t.Errorf("one after the other: %v", got)
	}

	threaded := func() (got []string, refused int) {
		first := p.read(t, tenants+"?limit=0")
		got = first.ids
		size := len(got)
		for at := size; at < first.Count; at += size {
			page := p.read(t, fmt.Sprintf("%s?limit=%d&offset=%d", tenants, size, at))
			if page.Status == http.StatusBadRequest {
				refused++
			}
			got = append(got, page.ids...)
		}
		slices.SortFunc(got, byNumber)
		return got, refused
	}
	if got, refused := threaded(); refused > 0 || !slices.Equal(got, p.ids) {
		t.Errorf("with threads: %v, %d refused", got, refused)
	}
	// If later records are longer than the first, a thread is refused rather than given less.
	exec(t, p.Server, "UPDATE tenancy_tenant SET comments = repeat('x', 1000000) WHERE name < 'T9'")
	if got, refused := threaded(); refused == 0 && !slices.Equal(got, p.ids) {
		t.Errorf("with threads, the later ones longer: %v and none was refused", got)
	}
}

// TestLongChangeLogPages: the change log is bounded in the same way.
func TestLongChangeLogPages(t *testing.T) {
	p := newLongPages(t)
	exec(t, p.Server, `INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr,
		version, prechange, postchange, data)
		SELECT now() - i * interval '1 second', '', gen_random_uuid(), 'update', 'dcim.site', i, '', 1, doc, doc, '{}'
		FROM generate_series(1, 20) i, to_jsonb(repeat('x', 2000000)) x, CAST(x AS text) doc`)
	var got []string
	for next := new(changeLog + "?limit=0&changed_object_type=dcim.site"); next != nil; {
		page := p.read(t, *next)
		if page.Status != http.StatusOK || len(page.ids) > 8 {
			t.Fatalf("%s: %d with %d changes", *next, page.Status, len(page.ids))
		}
		got, next = append(got, page.ids...), page.Next
	}
	if slices.SortFunc(got, byNumber); len(slices.Compact(got)) != 20 {
		t.Errorf("the change log has %v", got)
	}
	if a := p.read(t, changeLog+"?limit=15&changed_object_type=dcim.site"); a.Status != http.StatusBadRequest ||
		!strings.Contains(fmt.Sprint(a.Limit), "limit=8 ") {
		t.Errorf("limit=15: %d %v", a.Status, a.Limit)
	}
	if a := p.read(t, changeLog+"?limit=15&changed_object_type=dcim.site&omit=prechange_data,postchange_data"); len(a.ids) != 15 {
		t.Errorf("without the states: %d with %d changes", a.Status, len(a.ids))
	}
}
