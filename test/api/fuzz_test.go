package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"terrier/test/apitest"
)

// fuzzed is the one server of a fuzz process, with a few records so that statements have
// something to find.
var fuzzed = sync.OnceValue(func() *apitest.Server {
	tb := &process{}
	s := apitest.New(tb)
	admin := adminOf(s)
	tag := admin.create(tb, tags, obj{"name": "t", "slug": "t"})
	admin.create(tb, webhooks, hook("w"))
	admin.create(tb, webhooks, hook("faulty", "conditions", broken))
	for name, kind := range map[string]string{"note": "text", "n": "integer", "x": "decimal", "yes": "boolean", "day": "date",
		"moment": "datetime", "any": "json"} {
		admin.create(tb, defs, obj{"name": name, "type": kind, "content_types": []string{"dcim.site"}})
	}
	region := admin.create(tb, regions, obj{"name": "R", "slug": "r", "tags": []int64{tag}})
	tenant := admin.create(tb, tenants, obj{"name": "T", "slug": "t"})
	for i := range 5 {
		body := site(fmt.Sprint("s", i), "region", region, "latitude", i, "tags", []int64{tag})
		if i%2 == 0 {
			body["tenant"], body["custom_fields"] = tenant,
				obj{"note": "x", "n": i, "yes": true, "day": "2020-01-01", "moment": "2020-01-01T00:00:00Z", "any": obj{"a": 1}}
		}
		admin.create(tb, sites, body)
	}
	return s
})

// process is the fuzz process, for a server that outlives a single test: what it leaves behind is removed with the
// private PostgreSQL.
type process struct{ testing.TB }

func (*process) Helper()                        {}
func (*process) Cleanup(func())                 {}
func (*process) Errorf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
func (*process) Fatalf(format string, a ...any) { panic(fmt.Sprintf(format, a...)) }
func (*process) Fatal(a ...any)                 { panic(fmt.Sprint(a...)) }
func (*process) Logf(string, ...any)            {}
func (*process) Log(...any)                     {}
func (*process) Name() string                   { return "fuzz" }
func (*process) Failed() bool                   { return false }

// needsDatabase skips the seeds if there is no PostgreSQL.
func needsDatabase(f *testing.F) {
	f.Helper()
	if os.Getenv("TERRIER_TEST_DATABASE_URL") == "" {
		f.Skip("no database")
	}
}

// sound checks what all targets must satisfy: an answer below 500 that is JSON, or empty.
func sound(t *testing.T, a apitest.Answer) {
	t.Helper()
	switch {
	case a.Status >= http.StatusInternalServerError:
		t.Fatalf("%s %q %q: %d %s", a.Call.Method, a.Call.Path, a.Call.Body, a.Status, a.Raw)
	case len(a.Raw) > 0 && !json.Valid(a.Raw):
		t.Fatalf("%s %q: not JSON: %.500q", a.Call.Method, a.Call.Path, a.Raw)
	case !utf8.Valid(a.Raw):
		t.Fatalf("%s %q: not UTF-8: %.500q", a.Call.Method, a.Call.Path, a.Raw)
	}
}

var fuzzPaths = []string{sites, regions, places, tenants, tags, defs, grants, tokens, "/api/users/groups/", changeLog, webhooks,
	deliveries, conditionErrors}

func FuzzBody(f *testing.F) {
	needsDatabase(f)
	for i, seed := range []string{
		``, `{`, `null`, `1`, `"x"`, `[]`, `{}`, `[1]`, `[{}]`, `[[]]`, `{}{}`, `{"name":"a","slug":"a"}`,
		`[{"id":1,"name":"b"},{"id":1,"slug":"b"},{"id":2,"status":"?"}]`,
		`{"name":"\u0000"}`, `{"status":"\u0000"}`, `{"status":"\\u0000"}`, `{"region":"\u0000"}`, `{"\u0000":1}`,
		`{"region":{"\u0000":1}}`, `{"name":"\ud800"}`, "{\"name\":\"\xff\"}", "{\"\xff\":1}",
		`{"latitude":1e999999}`, `{"latitude":"NaN"}`, `{"latitude":"0x1p-2"}`, `{"region":9223372036854775808}`, `{"region":-1}`,
		`{"id":1e3}`, `[{"id":1e400}]`, `[{"id":"1"}]`, `[{"id":99999999999999999999}]`,
		`{"region":{"slug":[]}}`, `{"region":{"slug":{}}}`, `{"region":{"tags":1}}`, `{"region":{"tags":[1]}}`, `{"region":{"id":[1,2]}}`,
		`{"region":{"parent":null}}`, `{"region":{"id":"$user"}}`, `{"region":{"custom_fields":1}}`,
		`{"region":{"created":"2020"}}`, `{"region":{"url":1}}`, `{"tags":[{"slug":"t"},{"slug":"t"}]}`, `{"tags":{}}`, `{"tags":[null]}`,
		`{"tags":[[]]}`, `{"custom_fields":{"any":1e131072}}`, `{"custom_fields":{"any":{"\u0000":1}}}`,
		`{"custom_fields":{"n":1e3}}`, `{"custom_fields":{"day":"0000-00-00"}}`, `{"custom_fields":[]}`, `{"custom_fields":null}`,
		`{"custom_fields":{"":1}}`, `{"time_zone":5,"comments":true}`,
		`{"name":"p","object_types":["dcim.site"],"actions":["view"],"constraints":{"id__in":[]}}`,
		`{"constraints":[{"region__slug__ic":"%"}]}`, `{"constraints":{"__":1}}`, `{"constraints":{"a____b":"$user"}}`,
		`{"constraints":{"constraints__isnull":true}}`, `{"object_types":["\u0000"],"actions":[""]}`,
		`{"name":"x","type":"text","content_types":["dcim.tag"],"validation_regex":"(a+)+$"}`,
		`{"default":[1e100000],"validation_minimum":-9223372036854775809}`, `{"key":"0123456789abcdef0f1e0123456789abcdef0f1f"}`,
		`{"expires":"9999-12-31T23:59:59.999999999+00:01"}`, `{"expires":"0001-01-01T00:00:00+14:00"}`,
		`{"allowed_ips":["::ffff:1.2.3.4","1.2.3.4/33","fe80::1%eth0","0.0.0.0/0"]}`, `{"name":"` + strings.Repeat("é", 101) + `"}`,
		`{"name":"` + strings.Repeat("x", 70000) + `"}`,
		strings.Repeat(`{"a":`, 65), strings.Repeat("[", 10000), "{\"name\":\"🏴 \u202e\u0301\",\"slug\":\"a\"}",
	} {
		for method := range byte(3) {
			f.Add(byte(0), method, byte(1), seed)
			f.Add(byte(i), method, byte(0), seed)
		}
	}
	for _, seed := range []string{
		`{"name":"a","payload_url":"http://a/","content_types":["dcim.site"],"type_create":true}`,
		`{"payload_url":"http://[::1%25lo]:99999/"}`, `{"payload_url":"//a"}`, `{"payload_url":"http://a/%zz"}`,
		`{"payload_url":"http://\u0000/"}`,
		`{"additional_headers":"A: {{"}`, `{"additional_headers":"A"}`, `{"additional_headers":"A: \u0000\r\nB: c"}`,
		`{"additional_headers":null,"secret":"","previous_secret":"x"}`, `{"secret":null}`, `{"secret":"\u0000"}`,
		`{"body_template":"{% for %}"}`, `{"body_template":"{{ 1 // 0 }}"}`, `{"conditions":{"and":[{"or":[]}]}}`,
		`{"conditions":{"attr":"","value":1}}`, `{"conditions":{"attr":"a","op":"regex","value":"(a+)+$"}}`, `{"conditions":[]}`,
		`{"conditions":1e131072}`,
		`{"ca_file_path":"/etc/shadow"}`, `{"ca_file_path":"\u0000"}`, `{"http_content_type":"a\r\nb"}`,
		`{"max_retries":-1,"concurrency":9223372036854775807}`, `{"content_types":["users.user"],"paused_at":"x"}`,
	} {
		for method := range byte(3) {
			f.Add(byte(slices.Index(fuzzPaths, webhooks)), method, method, seed)
		}
	}
	f.Fuzz(func(t *testing.T, path, method, detail byte, body string) {
		s := fuzzed()
		c := apitest.Call{Method: []string{"POST", "PATCH", "PUT"}[method%3], Path: fuzzPaths[int(path)%len(fuzzPaths)], Token: s.Admin,
			Body: body}
		if detail%2 == 1 && c.Method != http.MethodPost {
			c.Path += "1/"
		}
		if strings.HasPrefix(c.Path, tokens) && c.Method != http.MethodPost {
			return // the token that asks is still needed
		}
		sound(t, s.Do(t, c))
	})
}

func FuzzFilter(f *testing.F) {
	needsDatabase(f)
	for i, seed := range []string{
		"", "name=a", "name=%00", "%00=1", "name=%ff", "%ff=%ff", "name=%", "name=100%", "a;b", "q=%00", "q=%ff", "q=%25_%5C", "q=\\",
		"name__ic=%25", "name__ic=\\", "name__=1", "__=1", "__n=1", "name____n=1", "name__n__n=1",
		"id=1", "id=x", "id=99999999999999999999", "id=-9223372036854775808", "id__lt=1&id__gt=0&id__n=5", "id__empty=true",
		"id__empty=x", "id= 1", "id=1e3",
		"region=null", "region__n=null", "region=null&region=r", "region_id=null", "region_id__n=null", "region_id=1", "region_id=x",
		"parent=null", "parent_id=1", "parent=r", "tag=t&tag=null", "tag=null", "tag__n=null", "tag=t&tag=t", "tag_id=1", "tag_id=x",
		"tag_id__n=1",
		"status=active", "status=", "status=null", "status=%00", "status__n=active", "latitude=NaN", "latitude__gte=Infinity",
		"latitude=1e999999", "latitude__lt=-0", "latitude__empty=false&latitude__empty=true",
		"created=2020", "created__gt=0000-01-01", "created__lt=9999-12-31T23:59:59.9999999Z", "created=2020-01-01T00:00:00%2B99:99",
		"cf_", "cf___", "cf_note", "cf_note=x", "cf_note__ic=%25", "cf_note__n=x", "cf_note__empty=1", "cf_n=1", "cf_n=1e3",
		"cf_n__gt=9223372036854775807", "cf_x__lte=1e308",
		"cf_yes=true", "cf_yes__n=0", "cf_day=2020-01-01", "cf_moment=2020-01-01T00:00:00Z", "cf_moment__gt=2020-01-01",
		"cf_moment__empty=true", "cf_any=1", "cf_any__ic=a", "cf_'=1", "cf_note%27%20OR%201=1--=1", "name=$user", "user=$user",
		"user_id=1", "request_id=x", "request_id=00000000-0000-0000-0000-000000000000",
		"action=create", "changed_object_id=1", "time__gt=now", "object_types=dcim.site", "object_type__n=dcim.site", "content_types=x",
		"content_type=dcim.site", "users_id=1", "user=admin", "group=x", "group_id=1", "is_active=maybe", "choices=%00", "default=1",
		"webhook=w", "webhook_id=1", "webhook_id=null", "webhook__n=w", "state=queued", "state__n=failed",
		"id=0199a8f0-0000-7000-8000-000000000001", "id=ffffffff-ffff-7fff-8fff-ffffffffffff",
		"id__lt=ffffffff-ffff-7000-8000-0000001fffff", "attempts=1", "paused_at=1", "conditions=1", "secret=x", "additional_headers__ic=x",
		"name=" + strings.Repeat("x", 20000), strings.Repeat("name=a&", 3000), strings.Repeat("x", 20000) + "=1", "brief=%00",
		"fields=%00,,id", "omit=id,name&exclude=id", "format=%00", "limit=%00", "cf_n__", "name__%00=1", "name__ic=%F0%9F%8F%B4",
	} {
		for _, path := range []byte{byte(i), 0, 9, 10, 11, 12} {
			f.Add(path, seed)
		}
	}
	f.Fuzz(func(t *testing.T, path byte, query string) {
		s := fuzzed()
		for _, query := range []string{query, "name=" + url.QueryEscape(query), "q=" + url.QueryEscape(query)} {
			sound(t, s.Do(t, apitest.Call{Method: "GET", Path: fuzzPaths[int(path)%len(fuzzPaths)] + "?" + printable(query), Token: s.Admin}))
		}
	})
}

// printable escapes what a request line can't contain; the server escapes nothing itself.
func printable(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || c == '#' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func FuzzOrdering(f *testing.F) {
	needsDatabase(f)
	cursor := func(direction, values string) string {
		return direction + base64.RawURLEncoding.EncodeToString([]byte(values))
	}
	for i, seed := range []struct{ ordering, cursor, limit, offset string }{
		{"name", "", "2", "1"}, {"-name", cursor("n", `["s3",1]`), "2", ""}, {"latitude", cursor("n", `[null,1]`), "1", "0"},
		{"-latitude", cursor("p", `[null,1]`), "1", "5"},
		{"latitude,-name", cursor("n", `[1e308,"x",1]`), "", ""}, {"latitude", cursor("n", `[1e999,1]`), "", ""},
		{"region", cursor("n", `["R",1]`), "", ""}, {"region,tenant", cursor("p", `[null,null,3]`), "", ""},
		{"id", cursor("n", `[9223372036854775808]`), "", ""}, {"id", cursor("n", `[1.5]`), "", ""}, {"id", cursor("x", `[1]`), "", ""},
		{"id", "n", "", ""}, {"id", "p!", "", ""}, {"id", ".1", "", ""}, {"id", cursor("n", `[1]`) + ".5", "1", ""},
		{"id", cursor("n", `[1]`) + ".-5", "", ""}, {"id", cursor("n", `[1]`) + ".9223372036854775808c", "", ""},
		{"id", cursor("n", `[]`), "", ""}, {"id", cursor("n", `{}`), "", ""},
		{"created", cursor("n", `["2020-01-01T00:00:00Z",1]`), "", ""}, {"created", cursor("n", `["0000-01-01T00:00:00Z",1]`), "", ""},
		{"created", cursor("p", `["x",1]`), "", ""}, {"request_id", cursor("n", `["x",1]`), "", ""},
		{"request_id", cursor("n", `["00000000-0000-0000-0000-000000000000",1]`), "", ""}, {"request_id", "", "1", ""},
		{"name", cursor("n", `["\u0000",1]`), "", ""}, {"name", cursor("n", "[\"\xff\"]"), "", ""}, {"name", cursor("n", `["\ud800"]`), "", ""},
		{"time,user", cursor("n", `["2020-01-01T00:00:00Z",null,1]`), "", ""}, {"-", "", "", ""}, {"--name", "", "", ""},
		{",,,", "", "", ""}, {"name,name", "", "1", ""}, {"-id,id", "", "1", ""}, {"tags", "", "", ""}, {"key", "", "", ""},
		{"password", "", "", ""},
		{"last_used", "", "", ""}, {"site_count", "", "", ""}, {"custom_fields", "", "", ""}, {"changed_object", "", "", ""},
		{"cf_note", "", "1", ""}, {"-cf_n", "", "1", ""}, {"cf_x,-cf_yes", "", "2", ""}, {"cf_any", "", "", ""}, {"cf_", "", "", ""},
		{"cf_n", cursor("n", `["x",1]`), "", ""}, {"-cf_n", cursor("p", `[1e400,1]`), "", ""}, {"cf_day", cursor("n", `["x",1]`), "1", ""},
		{"-cf_note", cursor("p", `[null,1]`), "1", ""}, {"cf_note'||version()", "", "", ""},
		{"name;DROP TABLE", "", "", ""}, {"name\x00", "", "\x00", "\x00"}, {"status", "", "0", "9223372036854775807"},
		{"status", "", "-1", "9223372036854775808"}, {"status", "", "9223372036854775807", "-9223372036854775808"},
		{"status", cursor("n", `["active",1]`), "1", "9223372036854775807"}, {strings.Repeat("facility,status,", 500), "", "1", ""},
		{strings.Repeat("description,", 300), cursor("n", "["+strings.Repeat(`"",`, 300)+"1]"), "1", ""},
		{strings.Repeat("latitude,", 300), cursor("n", "["+strings.Repeat(`null,`, 300)+"1]"), "1", ""},
	} {
		for _, path := range []byte{byte(i), 0, 9, 10, 11, 12} {
			f.Add(path, seed.ordering, seed.cursor, seed.limit, seed.offset)
		}
	}
	f.Fuzz(func(t *testing.T, path byte, ordering, cursor, limit, offset string) {
		s := fuzzed()
		query := url.Values{}
		for key, value := range map[string]string{"ordering": ordering, "cursor": cursor, "limit": limit, "offset": offset} {
			if value != "" {
				query.Set(key, value)
			}
		}
		first := s.Do(t, apitest.Call{Method: "GET", Path: fuzzPaths[int(path)%len(fuzzPaths)] + "?" + query.Encode(), Token: s.Admin})
		sound(t, first)
		if first.Status != http.StatusOK {
			return
		}
		for _, link := range []*string{first.Page(t).Next, first.Page(t).Previous} { // its own links are good
			if link != nil {
				s.Do(t, apitest.Call{Method: "GET", Path: local(t, s, link), Token: s.Admin}).Page(t)
			}
		}
	})
}
