package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestActionsRefuseWhatTheyDoNotKnow: the body of an action is no record. A misspelled key in it is refused: ignoring
// it would do something other than what was meant.
func TestActionsRefuseWhatTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.fail(t, "TRUE")
	all, d := deliveries+"retry/", p.of(t, p.a, 0)
	filter := func(name string, value any) obj { return obj{"filter": obj{name: value}} }
	for _, row := range []struct {
		name, path string
		body       any
		key        string
		message    string // a part of it
	}{
		{"a misspelt dry run", all, obj{"filter": obj{}, "dryrun": true}, "dryrun", `Unknown key. Did you mean "dry_run"?`},
		{"a dry run in the address", all + "?dry_run=true", obj{"filter": obj{}}, "dry_run", "put it into the body"},
		{"a filter in the address", deliveryAt(d) + "retry/?webhook_id=1", nil, "webhook_id", "put it into the body"},
		{"a misspelt filter", all, obj{"filters": obj{}}, "filters", `Unknown key. Did you mean "filter"?`},
		{"a filter beside the filters", all, obj{"filter": obj{}, "webhook_id": p.a}, "webhook_id", "Unknown key."},
		{"a long key", all, obj{"filter": obj{}, strings.Repeat("x", 1000): true}, strings.Repeat("x", 100) + "…", "Unknown key."},
		{"an unknown filter", all, filter("webhok_id", 1), "webhok_id", `Unknown filter. Did you mean "webhook_id"?`},
		{"a limit", all, filter("limit", 1), "limit", "This is not a filter"},
		{"an offset", all, filter("offset", 1), "offset", "This is not a filter"},
		{"an order", all, filter("ordering", "id"), "ordering", "This is not a filter"},
		{"fields", all, filter("fields", "id"), "fields", "This is not a filter"},
		{"a blank search", all, filter("q", " "), "q", "one text"},
		{"two searches", all, filter("q", []string{"a", "b"}), "q", "one text"},
		{"a long search", all, filter("q", strings.Repeat("x", 501)), "q", "shorter"},
		{"a zero byte", all, filter("q", "a\x00b"), "q", "Null"},
		{"one delivery, dry", deliveryAt(d) + "retry/", obj{"dry_run": true}, "dry_run", "Unknown key."},
		{"one delivery, many", deliveryAt(d) + "retry/", []obj{{}}, "non_field_errors", "dictionary"},
		{"a pause until then", at(webhooks, p.a) + "pause/", obj{"until": "2999-01-01"}, "until", "Unknown key."},
		{"a resume of some", at(webhooks, p.a) + "resume/", obj{"filter": obj{}}, "filter", "Unknown key."},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := writtenBy(t, p.s, func() {
				errs := p.admin.do(t, "POST", row.path, row.body).Want(t, http.StatusBadRequest).Object(t)
				if got := fmt.Sprint(errs[row.key]); len(errs) != 1 || !strings.Contains(got, row.message) {
					t.Errorf("%v", errs)
				}
			})
			if w != (written{}) || len(p.list(t, "state=failed")) != 7 || p.admin.get(t, at(webhooks, p.a)).Object(t)["paused_at"] != nil {
				t.Errorf("a refused request wrote %+v", w)
			}
		})
	}
	t.Run("nothing is said in two ways", func(t *testing.T) {
		for _, body := range []any{nil, obj{}} {
			for _, action := range []string{"pause/", "resume/"} {
				p.admin.do(t, "POST", at(webhooks, p.a)+action, body).Want(t, http.StatusOK)
			}
			p.admin.do(t, "POST", deliveryAt(d)+"retry/", body).Want(t, http.StatusAccepted)
			p.fail(t, "TRUE")
		}
	})
}

// TestRetryBySearch: q finds in a bulk retry what it finds in the list.
func TestRetryBySearch(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.fail(t, "TRUE")
	exec(t, p.s, "UPDATE extras_delivery SET reason = '100% lost' WHERE webhook_id = $1", p.a)
	for _, row := range []struct {
		filter obj
		want   int
	}{
		{obj{"q": "ANSWERED"}, 4}, {obj{"q": " lost "}, 3}, {obj{"q": "100%"}, 3}, {obj{"q": "_"}, 0}, {obj{"q": "nothing of it"}, 0},
		{obj{"q": "answered", "object_type": "dcim.region"}, 1}, {obj{"q": "answered", "webhook_id": p.a}, 0},
	} {
		t.Run(fmt.Sprint(row.filter), func(t *testing.T) {
			var params []string
			for name, value := range row.filter {
				params = append(params, name+"="+query(fmt.Sprint(value)))
			}
			if got := len(p.list(t, strings.Join(params, "&"))); got != row.want {
				t.Errorf("the list has %d", got)
			}
			for _, dry := range []bool{true, false} {
				if got := p.admin.do(t, "POST", deliveries+"retry/", obj{"filter": row.filter, "dry_run": dry}).Want(t, http.StatusOK).
					Object(t)["count"]; got != float64(row.want) {
					t.Errorf("dry run %t: %v", dry, got)
				}
			}
			exec(t, p.s,
				"UPDATE extras_delivery SET state = 'failed', reason = CASE webhook_id WHEN $1 THEN '100% lost' ELSE 'The "+
					"receiver answered 500.' END", p.a)
			exec(t, p.s, "DELETE FROM river_job")
		})
	}
}

// TestListsOfNoRecords: queues and workers are pages like others, and a misspelled filter in their address does not
// return everything.
func TestListsOfNoRecords(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.admin.create(t, webhooks, hook("C"))
	exec(t, p.s, "INSERT INTO extras_worker SELECT 'w' || n, 'h', '1', now() + n * interval '1 ms', now(), n FROM generate_series(1, 3) n")
	name := func(q obj) string {
		if hook, ok := q["webhook"].(obj); ok {
			return hook["name"].(string)
		}
		return q["id"].(string)
	}
	for _, row := range []struct {
		path, query, want string
		count             int64
		next, previous    string // their queries
	}{
		{queues, "", "A B C", 3, "", ""}, {queues, "?limit=0", "A B C", 3, "", ""}, {queues, "?limit=x", "A B C", 3, "", ""},
		{queues, "?format=json", "A B C", 3, "", ""},
		{queues, "?limit=2", "A B", 3, "limit=2&offset=2", ""}, {queues, "?limit=2&offset=2", "C", 3, "", "limit=2"},
		{queues, "?limit=1&offset=1", "B", 3, "limit=1&offset=2", "limit=1"},
		{queues, "?offset=3", "", 3, "", "limit=50"}, {queues, "?offset=9223372036854775807", "", 3, "", "limit=50"},
		{queues, "?offset=-1", "A B C", 3, "", ""},
		{queues, fmt.Sprintf("?webhook_id=%d", p.b), "B", 1, "", ""},
		{queues, fmt.Sprintf("?webhook_id=%d&webhook_id=%d", p.b, p.a), "A B", 2, "", ""}, {queues, "?webhook_id=999", "", 0, "", ""},
		{queues, fmt.Sprintf("?webhook_id=%d&webhook_id=%d&limit=1", p.b, p.a), "A", 2,
			fmt.Sprintf("limit=1&offset=1&webhook_id=%d&webhook_id=%d", p.b, p.a), ""},
		{workers, "", "w1 w2 w3", 3, "", ""}, {workers, "?limit=1&offset=1", "w2", 3, "limit=1&offset=2", "limit=1"},
	} {
		t.Run(row.path+row.query, func(t *testing.T) {
			page := p.admin.page(t, row.path+row.query)
			var got []string
			for _, q := range page.Results {
				got = append(got, name(q))
			}
			if strings.Join(got, " ") != row.want || page.Count != row.count {
				t.Errorf("%v (%d)", got, page.Count)
			}
			for _, link := range []struct {
				got  *string
				want string
			}{{page.Next, row.next}, {page.Previous, row.previous}} {
				if (link.got == nil) != (link.want == "") || link.got != nil && *link.got != p.s.URL+row.path+"?"+link.want {
					t.Errorf("next %v, previous %v", page.Next, page.Previous)
				}
			}
		})
	}
	loose := adminOf(apitest.New(t, func(c *app.Config) { c.StrictFilters = false }))
	for _, row := range []struct{ path, name, value, message string }{
		{queues, "nonsense", "1", "Unknown filter."}, {queues, "webhok_id", "1", `Unknown filter. Did you mean "webhook_id"?`},
		{queues, "q", "A", "Unknown filter."},
		{queues, "webhook_id__n", "1", `Unknown filter. Did you mean "webhook_id"?`}, {queues, "webhook_id", "x", ""},
		{workers, "nonsense", "1", "Unknown filter."}, {workers, "webhook_id", "1", "Unknown filter."},
		{workers, "limits", "1", `Unknown filter. Did you mean "limit"?`},
	} {
		t.Run("refused "+row.path+row.name, func(t *testing.T) {
			address := row.path + "?" + row.name + "=" + row.value
			errs := p.admin.get(t, address).Want(t, http.StatusBadRequest).Object(t)
			if got := fmt.Sprint(errs[row.name]); len(errs) != 1 || !strings.Contains(got, row.message) {
				t.Errorf("%v", errs)
			}
			if row.message != "" {
				loose.get(t, address).Want(t, http.StatusOK)
			}
		})
	}
	p.admin.get(t, queues+"?webhook_id=1%").Want(t, http.StatusBadRequest)
	t.Run("the section lists both", func(t *testing.T) {
		section := p.admin.get(t, "/api/extras/").Want(t, http.StatusOK).Object(t)
		if section["queues"] != p.s.URL+queues || section["workers"] != p.s.URL+workers || section["webhooks"] != p.s.URL+webhooks {
			t.Errorf("%v", section)
		}
		if other := p.admin.get(t, "/api/dcim/").Object(t); other["queues"] != nil {
			t.Errorf("%v", other)
		}
	})
}
