package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

var uuid7 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// post is a server with a webhook A for sites and B for sites and regions, and the seven deliveries that the creation
// of three sites and a region made for them.
type post struct {
	s      *apitest.Server
	admin  actor
	a, b   int64
	sites  []int64
	region int64
}

func newPost(t *testing.T, change ...func(*app.Config)) post {
	t.Helper()
	p := post{s: apitest.New(t, change...)}
	p.admin = adminOf(p.s)
	p.a = p.admin.create(t, webhooks, hook("A"))
	p.b = p.admin.create(t, webhooks, hook("B", "content_types", []string{"dcim.site", "dcim.region"}))
	for i := range 3 {
		p.sites = append(p.sites, p.admin.create(t, sites, site(fmt.Sprint("S", i))))
	}
	p.region = p.admin.create(t, regions, obj{"name": "R", "slug": "r"})
	return p
}

// list returns the deliveries of a query, the oldest first.
func (p post) list(t *testing.T, query string) []obj {
	t.Helper()
	return p.admin.page(t, deliveries+"?ordering=id&limit=0&"+query).Results
}

// of returns a delivery by webhook and site.
func (p post) of(t *testing.T, webhook int64, n int) obj {
	t.Helper()
	return p.list(t, fmt.Sprintf("webhook_id=%d&object_type=dcim.site&object_id=%d", webhook, p.sites[n]))[0]
}

// fail does what a worker does if the receiver's answer is no success.
func (p post) fail(t *testing.T, where string) {
	t.Helper()
	exec(t, p.s,
		"UPDATE extras_delivery SET state = 'failed', finished_at = now(), reason = 'The receiver answered 500.', status_code = 500, "+
			"attempt_count = 1, tries = 1 WHERE "+where)
	exec(t, p.s, "DELETE FROM river_job j WHERE NOT EXISTS (SELECT FROM extras_delivery d WHERE d.job_id = j.id AND d.state = 'queued')")
}

func deliveryAt(d obj) string { return deliveries + d["id"].(string) + "/" }

func TestDeliveries(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	all := p.list(t, "")
	if len(all) != 7 {
		t.Fatalf("%d deliveries", len(all))
	}
	last := p.admin.do(t, "PATCH", at(sites, p.sites[0]), obj{"facility": "x"}).Want(t, http.StatusOK)
	p.fail(t, "event = 'updated' AND webhook_id = "+fmt.Sprint(p.b))
	first := p.list(t, "")[0]
	t.Run("ids", func(t *testing.T) {
		var ids []string
		for _, d := range p.list(t, "") {
			id, _ := d["id"].(string)
			if !uuid7.MatchString(id) || d["url"] != p.s.URL+deliveryAt(d) {
				t.Errorf("id %v, url %v", d["id"], d["url"])
			}
			ids = append(ids, id)
			got := p.admin.get(t, deliveryAt(d)).Want(t, http.StatusOK).Object(t)
			if got["id"] != id || fmt.Sprint(got["attempts"]) != "[]" {
				t.Errorf("read %v with attempts %v", got["id"], got["attempts"])
			}
			if v, given := d["attempts"]; !given || v != nil {
				t.Errorf("the list has attempts: %v", v)
			}
		}
		if !slices.IsSorted(ids) || len(slices.Compact(ids)) != 9 {
			t.Errorf("as texts they do not lie in order: %v", ids)
		}
		p.admin.get(t, deliveries+strings.ToUpper(ids[0])+"/").Want(t, http.StatusOK)
		for _, bad := range []string{"1", "x", "0", ids[0][:35], ids[0] + "0", strings.ReplaceAll(ids[0], "-", ""),
			ids[0][:14] + "4" + ids[0][15:], ids[0][:19] + "c" + ids[0][20:], ids[0][:35] + "f", "00000000-0000-7000-8000-000000000000",
			"ffffffff-ffff-7fff-bfff-ffffffffffff"} {
			wantDetail(t, p.admin.get(t, deliveries+bad+"/"), http.StatusNotFound, notFound)
			wantDetail(t, p.admin.do(t, "POST", deliveries+bad+"/retry/", nil), http.StatusNotFound, notFound)
		}
	})
	t.Run("what it says", func(t *testing.T) {
		if got := keys(first); got != "attempt_count attempts display event finished_at id object_id object_repr object_type queued_at "+
			"reason request_id retry_at retrying sequence state status_code time url webhook" {
			t.Errorf("fields %s", got)
		}
		for field, want := range map[string]any{"state": obj{"value": "queued", "label": "Queued"},
			"event": obj{"value": "created", "label": "Created"}, "object_type": "dcim.site", "object_id": float64(p.sites[0]), "sequence": 1.0,
			"attempt_count": 0.0, "status_code": nil, "reason": "", "finished_at": nil, "retry_at": nil, "queued_at": first["time"],
			"display": "dcim.site S0 created", "object_repr": "S0", "retrying": false} {
			if fmt.Sprint(first[field]) != fmt.Sprint(want) {
				t.Errorf("%s is %v, want %v", field, first[field], want)
			}
		}
		nested := first["webhook"].(obj)
		if nested["name"] != "A" || nested["url"] != p.s.URL+at(webhooks, p.a) || keys(nested) != "display id name url" {
			t.Errorf("webhook: %v", nested)
		}
	})
	times := p.list(t, "")
	for _, row := range []struct {
		query string
		want  int
	}{
		{"", 9}, {fmt.Sprintf("webhook_id=%d", p.a), 4}, {fmt.Sprintf("webhook_id=%d", p.b), 5},
		{fmt.Sprintf("webhook_id=%d&webhook_id=%d", p.a, p.b), 9}, {fmt.Sprintf("webhook_id__n=%d", p.a), 5}, {"webhook_id=999", 0},
		{"webhook=A", 4}, {"state=queued", 8}, {"state=failed", 1}, {"state=failed&state=queued", 9}, {"state__n=failed", 8},
		{"state=successful", 0},
		{"event=updated", 2}, {"event=created&state=failed", 0}, {"object_type=dcim.site", 8}, {"object_type=dcim.region", 1},
		{"object_type=DCIM.site", 0},
		{fmt.Sprintf("object_type=dcim.site&object_id=%d", p.sites[0]), 4}, {fmt.Sprintf("object_id=%d&object_type=dcim.region", p.region), 1},
		{"request_id=" + last.Header.Get("X-Request-ID"), 2}, {"request_id=00000000-0000-0000-0000-000000000000", 0},
		{"time__gte=" + query(times[7]["time"].(string)), 2}, {"time__gt=" + query(times[7]["time"].(string)), 0},
		{"time__lt=" + query(times[7]["time"].(string)), 7}, {"time__gte=2999-01-01", 0},
		{"sequence__gt=1", 2}, {"status_code=500", 1}, {"status_code__empty=true", 8}, {"q=ANSWERED", 1}, {"reason__ic=500", 1},
		{"attempt_count__gte=1", 1}, {"finished_at__empty=false", 1},
		{"id=" + first["id"].(string), 1}, {"id__n=" + first["id"].(string), 8}, {"id__gt=" + first["id"].(string), 8},
		{"id__lte=" + first["id"].(string), 1}, {"id=" + first["id"].(string) + "&id=" + times[1]["id"].(string), 2},
	} {
		t.Run("filter "+row.query, func(t *testing.T) {
			if page := p.admin.page(t, deliveries+"?"+row.query); len(page.Results) != row.want || page.Count != int64(row.want) {
				t.Errorf("%d rows, count %d, want %d", len(page.Results), page.Count, row.want)
			}
		})
	}
	for _, bad := range []string{"webhooks=1", "webhook_id=x", "state=lost", "id=1", "id=x", "request_id=x", "time__gte=soon",
		"attempts=1", "round=1", "job_id=1", "ordering=attempts", "ordering=round", "object_id=x"} {
		t.Run("refused "+bad, func(t *testing.T) { p.admin.get(t, deliveries+"?"+bad).Want(t, http.StatusBadRequest) })
	}
	for _, ordering := range []string{"", "id", "-id", "time", "-time", "state", "object_type,-id", "webhook", "-webhook",
		"finished_at", "-status_code", "request_id"} {
		t.Run("walk "+ordering, func(t *testing.T) { // ids are larger than a float64 can count
			whole := names(p.admin.page(t, deliveries+"?limit=0&ordering="+ordering).Results, "id")
			var forward []obj
			page := p.admin.page(t, deliveries+"?limit=2&ordering="+ordering)
			for forward = page.Results; page.Next != nil; forward = append(forward, page.Results...) {
				page = p.admin.page(t, local(t, p.s, page.Next))
			}
			back := page.Results
			for ; page.Previous != nil; back = append(slices.Clone(page.Results), back...) {
				page = p.admin.page(t, local(t, p.s, page.Previous))
			}
			if names(forward, "id") != whole || names(back, "id") != whole {
				t.Errorf("whole    %s\nforward  %s\nbackward %s", whole, names(forward, "id"), names(back, "id"))
			}
		})
	}
	t.Run("the newest come first", func(t *testing.T) {
		if got := p.admin.page(t, deliveries+"?limit=1").Results[0]["id"]; got != times[8]["id"] {
			t.Errorf("%v", got)
		}
	})
	t.Run("they are written by the machine alone", func(t *testing.T) {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			p.admin.do(t, method, deliveries, []obj{}).Want(t, http.StatusMethodNotAllowed)
			if method != "POST" {
				p.admin.do(t, method, deliveryAt(first), obj{}).Want(t, http.StatusMethodNotAllowed)
			}
		}
	})
	t.Run("a deleted webhook", func(t *testing.T) {
		p.admin.do(t, "DELETE", at(webhooks, p.a), nil).Want(t, http.StatusNoContent)
		if got := p.admin.get(t, deliveryAt(first)).Want(t, http.StatusOK).Object(t); got["webhook"] != nil {
			t.Errorf("%v", got["webhook"])
		}
		if n := p.admin.page(t, deliveries).Count; n != 9 {
			t.Errorf("%d deliveries", n)
		}
	})
}

// TestAttempts: requests and answers are shown to those who may change the webhook, and no answer has a url that is
// not ours.
func TestAttempts(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	d := p.of(t, p.a, 0)
	const target = "https://receiver.example/t4rget"
	for n, body := range []any{nil, []byte("templ4ted")} {
		exec(t, p.s, `INSERT INTO extras_attempt (delivery_id, changed_at, started_at, milliseconds, method, target, request_headers,
			request_body, status_code, response_headers, response_body, truncated, error)
			SELECT id, changed_at, changed_at + $3 * interval '1 s', 12, 'POST', $2, '{"X-Hook-Sequence":["1"]}', $4, CASE $3 WHEN 0
				THEN 500 END, '{"Url":["http://evil.example/"]}', '{"url":"http://evil.example/"}', FALSE, 'why'
			FROM extras_delivery WHERE webhook_id = $1 AND object_id = $5`, p.a, target, n, body, p.sites[0])
	}
	p.fail(t, "TRUE")
	view := apitest.Grant{Types: []string{"extras.delivery", "extras.webhook"}, Actions: []string{"view"}}
	change := func(constraints any) apitest.Grant {
		return apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"change"}, Constraints: constraints}
	}
	_, viewer := newActor(t, p.s, "viewer", view)
	_, changer := newActor(t, p.s, "changer", view, change(nil))
	_, own := newActor(t, p.s, "own", view, change(obj{"name": "A"}))
	_, other := newActor(t, p.s, "other", view, change(obj{"name": "B"}))
	for _, row := range []struct {
		name string
		who  actor
		sees bool
	}{
		{"superuser", p.admin, true}, {"may change all", changer, true}, {"may change this one", own, true},
		{"may change another", other, false}, {"may look", viewer, false},
		{"with a read-only token", actor{p.s, p.s.TokenOf(t, "changer", true)}, false},
		{"superuser with a read-only token", actor{p.s, p.s.TokenOf(t, "admin", true)}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := row.who.get(t, deliveryAt(d)).Want(t, http.StatusOK)
			attempts, _ := a.Object(t)["attempts"].([]any)
			if (len(attempts) == 2) != row.sees || strings.Contains(string(a.Raw), "t4rget") != row.sees ||
				strings.Contains(string(a.Raw), "evil") != row.sees {
				t.Errorf("sees %s", a.Raw)
			}
			if list := row.who.get(t, deliveries).Want(t, http.StatusOK); strings.Contains(string(list.Raw), "t4rget") {
				t.Error("the list shows a target")
			}
		})
	}
	t.Run("in order, with the body that was sent", func(t *testing.T) {
		attempts := p.admin.get(t, deliveryAt(d)).Object(t)["attempts"].([]any)
		one, two := attempts[0].(obj), attempts[1].(obj)
		sent, _ := one["request"].(obj)["body"].(string)
		if one["number"] != 1.0 || two["number"] != 2.0 || two["request"].(obj)["body"] != "templ4ted" ||
			one["request"].(obj)["target"] != target || one["response"].(obj)["status"] != 500.0 || two["response"] != nil || one["error"] != "why" {
			t.Errorf("%v", attempts)
		}
		for _, part := range []string{`"event":"created"`, `"model":"site"`, `"username":"admin"`,
			`"request_id":"` + d["request_id"].(string) + `"`, `"prechange":null`, `"name":"S0"`} {
			if !strings.Contains(strings.ReplaceAll(sent, `": `, `":`), part) {
				t.Errorf("the default body lacks %s: %s", part, sent)
			}
		}
	})
	t.Run("no url but ours", func(t *testing.T) {
		for _, path := range []string{deliveries, deliveryAt(d), webhooks, at(webhooks, p.a), conditionErrors, queues, workers} {
			var found any
			if a := p.admin.get(t, path).Want(t, http.StatusOK); path == deliveries || path == webhooks || path == conditionErrors ||
				path == queues || path == workers {
				found = plain(a.Page(t).Results)
			} else {
				found = plain(a.Object(t))
			}
			walkJSON(found, func(key string, v any) {
				text, isText := v.(string)
				if key == "url" && (!isText || !strings.HasPrefix(text, p.s.URL+"/api/")) {
					t.Errorf("%s has url %v", path, v)
				}
			})
		}
	})
}

// walkJSON visits every key of every object.
func walkJSON(v any, visit func(key string, v any)) {
	switch x := v.(type) {
	case map[string]any:
		for key, member := range x {
			visit(key, member)
			walkJSON(member, visit)
		}
	case []any:
		for _, item := range x {
			walkJSON(item, visit)
		}
	}
}
