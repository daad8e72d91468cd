package system_test

import (
	"net/http"
	"os"
	"sync"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// The memory that the largest pages may cost, one by one and six at once.
const (
	growthTargetPage  = 64 * mebibyte
	growthTargetPages = 256 * mebibyte
)

// largeRecords write values that are longer than anything that can be stored today. Each record shows 1 MB: plain, escaped, or in the
// defaults of custom fields.
var largeRecords = []string{
	`INSERT INTO tenancy_tenant (version, description, tags, custom_fields, created, last_updated, name, slug, comments)
		SELECT 1, '', '{}', '{}', now(), now(), 'long ' || i, 'long-' || i, repeat('x', 1000000) FROM generate_series(1, 150) i`,
	`INSERT INTO tenancy_tenant (version, description, tags, custom_fields, created, last_updated, name, slug, comments)
		SELECT 1, '', '{}', '{}', now(), now(), 'odd ' || i, 'odd-' || i, repeat(chr(1), 1000000) FROM generate_series(1, 50) i`,
	`INSERT INTO extras_customfield (version, label, description, required, weight, validation_regex, choices, created, last_updated,
		content_types, type, name, "default")
		SELECT 1, '', '', false, 1, '', '{}', now(), now(), ARRAY['dcim.region'], 'longtext', 'f' || i, to_jsonb(repeat('y', 500000))
			FROM generate_series(1, 4) i`,
	`INSERT INTO dcim_region (version, description, tags, custom_fields, created, last_updated, name, slug)
		SELECT 1, '', '{}', '{}', now(), now(), 'r' || i, 'r-' || i FROM generate_series(1, 500) i`,
	`INSERT INTO extras_objectchange (changed_at, user_name, request_id, action, object_type, object_id, object_repr, version, prechange,
		postchange, data)
		SELECT now() - i * interval '1 second', '', gen_random_uuid(), 'update', 'dcim.site', i, '', 1, doc, doc, doc
		FROM generate_series(1, 100) i, to_jsonb(repeat('x', 1000000)) x, CAST(x AS text) doc`,
	`INSERT INTO dcim_site (version, name, slug, status, facility, time_zone, description, physical_address, shipping_address, comments,
		asns, tags, custom_fields, created, last_updated)
		VALUES (1, 'A', 'a', 'active', '', '', '', '', '', '', '{}', '{}', '{}', now(), now())`,
	`UPDATE extras_objectchange SET object_id = 1 WHERE object_id < 50`,
	`INSERT INTO record_count (type, n) VALUES ('tenancy.tenant', 200), ('dcim.region', 500), ('extras.objectchange', 100)`,
}

// TestLargePagesCostLittleMemory reads pages that would have hundreds of megabytes, one by one and six at once. Requests wait if there is
// not enough memory for them yet. Six at once are of three pages: texts that are escaped, defaults of custom fields, and changes.
// TERRIER_LONG=1 makes them six of every page.
func TestLargePagesCostLittleMemory(t *testing.T) {
	url := dbtest.New(t)
	in := newInstall(t, url)
	in.User("admin", "right password", "--superuser")
	in.User("other", "right password", "--superuser")
	admin, other := in.Token("admin"), in.Token("other")
	db := install.Connect(t, url)
	for _, sql := range largeRecords {
		if _, err := db.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	s := in.Serve()
	for range 5 {
		s.Get("/api/dcim/regions/?limit=0&omit=custom_fields", admin).Want(t, http.StatusOK)
	}
	before := s.Memory("VmHWM")
	release := sync.OnceFunc(guard(t, s, before+growthEnd))
	defer release()

	// These differ in what is large: escaped texts, defaults of custom fields, and changes.
	crowded := []string{"/api/tenancy/tenants/?limit=1000&slug__isw=odd", "/api/dcim/regions/?limit=0",
		"/api/extras/object-changes/?limit=1000&ordering=id"}
	paths := append([]string{"/api/tenancy/tenants/?limit=0", "/api/tenancy/tenants/?limit=0&ordering=-name",
		"/api/extras/object-changes/?limit=0"}, crowded...)
	for _, path := range paths {
		a := s.Get(path, admin).Want(t, http.StatusOK)
		if len(a.Body) > 33*mebibyte {
			t.Errorf("%s: the page has %d bytes", path, len(a.Body))
		}
		t.Logf("%-50s %4d MiB, most memory + %d MiB", path, len(a.Body)/mebibyte, (s.Memory("VmHWM")-before)/mebibyte)
	}
	session := http.Header{"Cookie": {login(t, s, "admin", "right password")}, "Accept": {"text/html"}}
	shown := []string{"/tenancy/tenants/export/?format=csv&slug__isw=long", "/tenancy/tenants/export/?format=json&slug__isw=long",
		"/tenancy/tenants/export/?format=yaml&slug__isw=long-1",
		"/api/tenancy/tenants/?limit=0", "/api/extras/object-changes/?limit=0", "/tenancy/tenants/?limit=1000",
		"/extras/object-changes/?limit=1000", "/dcim/sites/1/changelog/"}
	for _, path := range shown {
		a := s.Send(http.MethodGet, path, session, nil).Want(t, http.StatusOK)
		t.Logf("%-50s %4d MiB, most memory + %d MiB", path, len(a.Body)/mebibyte, (s.Memory("VmHWM")-before)/mebibyte)
	}
	if one := s.Memory("VmHWM") - before; one > growthTargetPage {
		t.Errorf("one large page costs %d MiB of memory, want at most %d", one/mebibyte, growthTargetPage/mebibyte)
	}
	if os.Getenv("TERRIER_LONG") != "" {
		crowded = paths
	}
	for _, path := range crowded {
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				if a := s.Get(path, []string{admin, other}[i%2]); a.Status != http.StatusOK {
					t.Errorf("%s, one of six: %d %v %.300s", path, a.Status, a.Err, a.Body)
				}
			})
		}
		wg.Wait()
		t.Logf("six of %-43s most memory + %d MiB", path, (s.Memory("VmHWM")-before)/mebibyte)
	}
	if six := s.Memory("VmHWM") - before; six > growthTargetPages {
		t.Errorf("six large pages at once cost %d MiB of memory, want at most %d", six/mebibyte, growthTargetPages/mebibyte)
	}
	release()
	s.Get("/api/tenancy/tenants/?limit=2&brief=true", admin).Want(t, http.StatusOK)
}
